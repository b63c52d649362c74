//! Reading requests: authentication, bodies, query strings, idempotency keys and rate limits.

pub(in crate::http) mod address;
pub(in crate::http) mod app_data;
pub(in crate::http) mod auth_author;
pub(in crate::http) mod auth_operator;
pub(in crate::http) mod auth_reader;
pub(in crate::http) mod auth_throttle;
pub(in crate::http) mod auth_viewer;
pub(in crate::http) mod auth_visitor;
pub(in crate::http) mod authentication;
pub(in crate::http) mod body;
pub(in crate::http) mod cookies;
pub(in crate::http) mod extract;
pub(in crate::http) mod known_params;
pub(in crate::http) mod metrics_access;
pub(in crate::http) mod origin;
pub(in crate::http) mod query;
pub(in crate::http) mod rate_limit_headers;
pub(in crate::http) mod rate_limited;
pub(in crate::http) mod rate_limits;
pub(in crate::http) mod request_address;
pub(in crate::http) mod request_body;
pub(in crate::http) mod request_id;
pub(in crate::http) mod stream_slots;
pub(in crate::http) mod viewer_cookies;
pub(in crate::http) mod visitor_cookie;
pub(in crate::http) mod work_account;
mod work_debts;
