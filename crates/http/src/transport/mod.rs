//! Sockets: accepting connections, timeouts, and limits of open connections.

pub mod capacity;
pub mod header_guard;
pub mod io;
pub mod lifecycle;
pub mod open_connections;
pub mod timeouts;
