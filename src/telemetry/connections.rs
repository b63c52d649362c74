//! The connections of clients.

use prometheus::{IntCounter, IntGauge};

use super::register::metrics;

metrics! {
    /// The numbers about connections.
    ConnectionMetrics {
        open: IntGauge = "caraplace_connections_open"
            "Connections of clients that are open.";
        max: IntGauge = "caraplace_connections_max"
            "Connections from which on idle ones are closed to make room; it follows from the limit of open files.";
        idle_closed: IntCounter = "caraplace_idle_connections_closed_total"
            "Connections that were closed to make room for others, the longest idle ones first.";
    }
}
