//! Writing responses: problems, headers, content negotiation, cached pages and request metrics.

pub(in crate::http) mod attention;
pub mod codes;
pub(in crate::http) mod cors;
pub(in crate::http) mod event_stream;
pub mod headers;
pub(in crate::http) mod negotiate;
pub(in crate::http) mod no_store;
pub(in crate::http) mod not_found;
pub(in crate::http) mod page_cache;
pub(in crate::http) mod panics;
pub(in crate::http) mod problem;
mod refusals;
pub(in crate::http) mod request_metrics;
