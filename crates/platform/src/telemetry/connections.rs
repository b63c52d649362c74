//! Metrics of client connections.

use prometheus::{IntCounter, IntGauge};

use super::register::metrics;

metrics! {
    /// The metrics of client connections.
    ConnectionMetrics {
        open: IntGauge = "caraplace_connections_open"
            "Open client connections.";
        max: IntGauge = "caraplace_connections_max"
            "Open connections above which idle ones are closed; derived from the limit of open files.";
        idle_closed: IntCounter = "caraplace_idle_connections_closed_total"
            "Idle connections closed to make room for others, the longest idle ones first.";
    }
}
