//! Metrics of webhooks.

use prometheus::{Histogram, IntCounter, IntGauge};

use super::register::metrics;

/// Buckets of the time from an event to its delivery: from a quarter of a second to a day.
const DELIVERY_BUCKETS: &[f64] = &[0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 60.0, 600.0, 3_600.0, 86_400.0];

metrics! {
    /// The metrics of webhooks.
    WebhookMetrics {
        pending: IntGauge = "caraplace_webhook_deliveries_pending"
            "Deliveries to webhooks that wait for an attempt, counted every 10 seconds in the database: the \
             same on all instances.";
        disabled: IntCounter = "caraplace_webhooks_disabled_total"
            "Webhooks that were disabled because their receivers answered 410, or accepted nothing for a \
             day, or because their secrets were lost.";
        delivery_seconds: Histogram = "caraplace_webhook_delivery_seconds"
            "Seconds from an event to its accepted delivery, without repetitions that agents asked for."
            in DELIVERY_BUCKETS;
        [delivered = "delivered", retried = "retried", failed = "failed"]: IntCounter =
            "caraplace_webhook_attempts_total" ["outcome"]
            "Attempts to deliver to webhooks, by outcome: delivered, retried (to be tried again), or failed \
             (given up).";
        [scan_errors = "scan", claim_errors = "claim", send_errors = "send", measure_errors = "measure",
         clean_up_errors = "clean_up"]: IntCounter =
            "caraplace_webhook_errors_total" ["task"]
            "Errors of tasks of webhooks, which try again: scan (find events), claim, send, measure, or \
             clean_up.";
    }
}
