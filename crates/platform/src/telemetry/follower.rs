//! Metrics of the log and of the follower.

use std::time::Instant;

use parking_lot::Mutex;
use prometheus::{Gauge, IntCounter, IntGauge};

use super::register::metrics;
use crate::clock::monotonic_now;

metrics! {
    /// The metrics of the log and of the follower.
    FollowerMetrics {
        head: IntGauge = "caraplace_log_head"
            "Number of the newest event that this instance has applied.";
        version: IntGauge = "caraplace_log_version"
            "Number of the newest applied event that changed a pixel.";
        control: IntGauge = "caraplace_log_control"
            "Number of the newest applied entry of the control log.";
        lag_events: IntGauge = "caraplace_follower_lag_events"
            "Events of other instances that were missing here when the log was last read.";
        lag_seconds: Gauge = "caraplace_follower_lag_seconds"
            "Seconds since this instance was last at the head of the log.";
        [pixels = "pixel", chat = "chat", reactions = "reaction", other = "other"]: IntCounter =
            "caraplace_log_events_total" ["kind"]
            "Events that this instance has applied, its own and others, by kind.";
        [
            /// The notification announced new events.
            wakeups_with_news = "news",
            /// The notification announced what was known, such as the instance's own write.
            wakeups_without_news = "known",
            /// No notification came for a while.
            polls_without_wakeup = "quiet"
        ]: IntCounter = "caraplace_follower_wakeups_total" ["kind"]
            "Wake-ups of the follower by reason: news, known (for example its own write), quiet (no \
             notification for a while).";
    }
    with {
        /// The last time at which the instance was at the head.
        at_head_since: Mutex<Instant> = Mutex::new(monotonic_now());
    }
}

impl FollowerMetrics {
    /// Records the number of missing events.
    pub fn set_lag(&self, events: i64) {
        self.lag_events.set(events.max(0));
    }

    /// Counts an applied event of this kind.
    pub fn count_event(&self, kind: &str) {
        match kind {
            "pixel" => self.pixels.inc(),
            "chat" => self.chat.inc(),
            "reaction" => self.reactions.inc(),
            _ => self.other.inc(),
        }
    }

    /// Records that the instance is at the head.
    pub fn record_at_head(&self) {
        *self.at_head_since.lock() = monotonic_now();
    }

    /// Updates the metrics that depend on the time.
    pub(super) fn refresh(&self) {
        self.lag_seconds.set(self.at_head_since.lock().elapsed().as_secs_f64());
    }
}
