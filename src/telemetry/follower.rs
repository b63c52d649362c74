//! The log as this instance knows it, and how closely it follows the others.

use std::time::Instant;

use parking_lot::Mutex;
use prometheus::{Gauge, IntCounter, IntGauge};

use super::register::metrics;
use crate::clock::monotonic_now;

metrics! {
    /// The metrics of the log and of following it.
    FollowerMetrics {
        head: IntGauge = "caraplace_log_head"
            "Number of the newest event known here.";
        version: IntGauge = "caraplace_log_version"
            "Number of the newest event known here that changed a pixel.";
        control: IntGauge = "caraplace_log_control"
            "Number of the newest entry of the control log known here.";
        lag_events: IntGauge = "caraplace_follower_lag_events"
            "Events of other instances that the last look at the log found missing here.";
        lag_seconds: Gauge = "caraplace_follower_lag_seconds"
            "Seconds since this instance last knew itself to be at the head of the log.";
        [pixels = "pixel", chat = "chat", reactions = "reaction", other = "other"]: IntCounter =
            "caraplace_log_events_total" ["kind"]
            "Events that this instance took in, whoever wrote them, by kind.";
        [
            /// A wake-up brought something new.
            wakeups_with_news = "news",
            /// A wake-up told what was known, such as an own write.
            wakeups_without_news = "known",
            /// None came for a while.
            polls_without_wakeup = "quiet"
        ]: IntCounter = "caraplace_follower_wakeups_total" ["kind"]
            "Why the follower looked, or did not: news, known (an own write), quiet (no wake-up for a while).";
    }
    with {
        /// When this instance last knew that it was at the head.
        at_head_since: Mutex<Instant> = Mutex::new(monotonic_now());
    }
}

impl FollowerMetrics {
    /// A look at the log found so many events missing.
    pub fn set_lag(&self, events: i64) {
        self.lag_events.set(events.max(0));
    }

    /// All that was missing is taken in.
    pub fn record_at_head(&self) {
        *self.at_head_since.lock() = monotonic_now();
    }

    pub(super) fn refresh(&self) {
        self.lag_seconds.set(self.at_head_since.lock().elapsed().as_secs_f64());
    }
}
