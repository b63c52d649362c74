//! Metrics of reports and appeals that need an operator.

use prometheus::{Gauge, IntCounter, IntGauge};

use super::register::metrics;

metrics! {
    /// The metrics of moderation.
    ModerationMetrics {
        waiting: IntGauge = "caraplace_reports_waiting"
            "Cases of reports that no operator has decided, as counted every half minute.";
        oldest: Gauge = "caraplace_reports_oldest_seconds"
            "Seconds since the first report of the oldest case that no operator has decided; zero if there is \
             none.";
        appeals_waiting: IntGauge = "caraplace_appeals_waiting"
            "Appeals that no operator has decided, as counted every half minute.";
        [alerts_many = "many", alerts_discounted = "discounted"]: IntCounter =
            "caraplace_report_alerts_total" ["cause"]
            "Alerts about reports against one account, by cause: many, or discounted (enough only if each \
             report counted in full).";
    }
}
