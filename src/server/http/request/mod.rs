//! Reading requests: authentication, bodies, query strings, idempotency keys and rate limits.

pub(in crate::server::http) mod address;
pub(in crate::server::http) mod app_data;
pub(in crate::server::http) mod auth_author;
pub(in crate::server::http) mod auth_operator;
pub(in crate::server::http) mod auth_reader;
pub(in crate::server::http) mod auth_throttle;
pub(in crate::server::http) mod auth_viewer;
pub(in crate::server::http) mod auth_visitor;
pub(in crate::server::http) mod authentication;
pub(in crate::server::http) mod body;
pub(in crate::server::http) mod cookies;
pub(in crate::server::http) mod extract;
pub(in crate::server::http) mod known_params;
pub(in crate::server::http) mod metrics_access;
pub(in crate::server::http) mod origin;
pub(in crate::server::http) mod query;
pub(in crate::server::http) mod rate_limit_headers;
pub(in crate::server::http) mod rate_limited;
pub(in crate::server::http) mod rate_limits;
pub(in crate::server::http) mod request_address;
pub(in crate::server::http) mod request_body;
pub(in crate::server::http) mod request_id;
pub(in crate::server::http) mod stream_slots;
pub(in crate::server::http) mod viewer_cookies;
pub(in crate::server::http) mod visitor_cookie;
pub(in crate::server::http) mod work_account;
mod work_debts;
