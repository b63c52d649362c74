//! Metrics of reports that need an operator.

use prometheus::IntCounter;

use super::register::metrics;

metrics! {
    /// The counters of moderation.
    ModerationMetrics {
        [alerts_many = "many", alerts_discounted = "discounted"]: IntCounter = "caraplace_report_alerts_total" ["cause"]
            "Alerts about reports against one account, by cause: many, or discounted (enough only if each report counted in full).";
    }
}
