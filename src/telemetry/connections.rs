//! The connections of clients.

use prometheus::{IntCounter, IntGauge};

use super::register::Register;

/// The numbers about connections.
pub struct Connections {
    pub open: IntGauge,
    pub most: IntGauge,
    pub idle_closed: IntCounter,
}

impl Connections {
    pub(super) fn new(register: &Register<'_>) -> Self {
        Self {
            open: register.gauge("caraplace_connections_open", "Connections of clients that are open."),
            most: register.gauge(
                "caraplace_connections_max",
                "Connections from which on idle ones are closed to make room; it follows from the limit of open files.",
            ),
            idle_closed: register.counter(
                "caraplace_idle_connections_closed_total",
                "Connections that were closed to make room for others, the longest idle ones first.",
            ),
        }
    }
}
