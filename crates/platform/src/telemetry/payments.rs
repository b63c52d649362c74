//! Metrics of what is done at Stripe in the background.

use prometheus::IntCounter;

use super::register::metrics;

metrics! {
    /// The counters of payments.
    PaymentMetrics {
        [jobs_done = "done", jobs_postponed = "postponed", jobs_failed = "failed"]: IntCounter =
            "caraplace_stripe_jobs_total" ["outcome"]
            "Attempts at cancellations, refunds and look-ups at Stripe, by outcome: done, postponed (tried \
             again soon) or failed (an operator should look).";
    }
}
