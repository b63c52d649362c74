//! Writing responses: problems, headers, content negotiation, cached pages and request metrics.

pub mod attention;
pub mod cors;
pub(crate) mod event_stream;
pub mod negotiate;
pub mod no_store;
pub mod not_found;
pub mod page_cache;
pub mod panics;
pub mod problem;
pub mod request_metrics;
mod warning_log;
