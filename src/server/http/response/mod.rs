//! Writing responses: problems, headers, content negotiation, cached pages and request metrics.

pub(in crate::server::http) mod attention;
pub(in crate::server::http) mod cors;
pub(in crate::server::http) mod event_stream;
pub mod headers;
pub(in crate::server::http) mod negotiate;
pub(in crate::server::http) mod no_store;
pub(in crate::server::http) mod not_found;
pub(in crate::server::http) mod page_cache;
pub(in crate::server::http) mod panics;
pub(in crate::server::http) mod problem;
pub(in crate::server::http) mod request_metrics;
