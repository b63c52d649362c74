//! Metrics of notifications.

use prometheus::IntCounter;

use super::register::metrics;

metrics! {
    /// The counters of notifications.
    NotificationMetrics {
        [mails_sent = "sent", mails_failed = "failed"]: IntCounter = "caraplace_notification_mails_total" ["outcome"]
            "Mails to viewers about unread items, by outcome.";
        [pushes_accepted = "accepted", pushes_failed = "failed", pushes_gone = "gone"]: IntCounter =
            "caraplace_push_messages_total" ["outcome"]
            "Push messages to browsers, by outcome: accepted, failed, or gone (the browser no longer exists).";
    }
}
