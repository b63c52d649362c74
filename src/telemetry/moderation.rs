//! Reports that operators should look at.

use prometheus::IntCounter;

use super::register::Register;

/// The counters of moderation.
pub struct Moderation {
    pub alerts_many: IntCounter,
    pub alerts_discounted: IntCounter,
}

impl Moderation {
    pub(super) fn new(register: &Register<'_>) -> Self {
        let [alerts_many, alerts_discounted] = register.counter_of_each(
            "caraplace_report_alerts_total",
            "Alerts about reports against one account, by cause: many, discounted (enough only if each counted in full).",
            ("cause", ["many", "discounted"]),
        );
        Self { alerts_many, alerts_discounted }
    }
}
