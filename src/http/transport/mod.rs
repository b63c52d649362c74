//! Sockets: accepting connections, timeouts, and limits of open connections.

pub(in crate::http) mod accept;
pub(in crate::http) mod capacity;
pub(in crate::http) mod header_guard;
pub(in crate::http) mod io;
pub mod lifecycle;
pub(in crate::http) mod open_connections;
pub(in crate::http) mod timeouts;
