//! Metrics of notifications.

use prometheus::IntCounter;

use super::register::metrics;

metrics! {
    /// The counters of notifications.
    NotificationMetrics {
        [mails_sent = "sent", mails_failed = "failed"]: IntCounter =
            "caraplace_notification_mails_total" ["outcome"]
            "Mails to viewers about unread items, by outcome.";
        [notices_sent = "sent", notices_failed = "failed"]: IntCounter =
            "caraplace_operator_notices_total" ["outcome"]
            "Notices to the operators by mail and to their webhook, by outcome.";
        [pushes_accepted = "accepted", pushes_failed = "failed", pushes_refused = "refused",
         pushes_gone = "gone"]: IntCounter = "caraplace_push_messages_total" ["outcome"]
            "Push messages to browsers, by outcome: accepted, failed (to be tried again), refused (the push \
             service rejects them), or gone (the browser no longer exists).";
    }
}
