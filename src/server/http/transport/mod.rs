//! Sockets: accepting connections, timeouts, and limits of open connections.

pub(in crate::server::http) mod accept;
pub(in crate::server::http) mod capacity;
pub(in crate::server::http) mod header_guard;
pub(in crate::server::http) mod io;
pub mod lifecycle;
pub(in crate::server::http) mod open_connections;
pub(in crate::server::http) mod timeouts;
