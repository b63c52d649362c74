//! The log as this instance knows it, and how closely it follows the others.

use std::time::Instant;

use parking_lot::Mutex;
use prometheus::{Gauge, IntCounter, IntGauge};

use super::register::Register;
use crate::clock::moment;

/// What is told of the log and of following it.
pub struct Follower {
    pub head: IntGauge,
    pub version: IntGauge,
    pub control: IntGauge,
    pub pixels: IntCounter,
    pub chat: IntCounter,
    pub reactions: IntCounter,
    pub other: IntCounter,
    /// A wake-up brought something new.
    pub news: IntCounter,
    /// A wake-up told what was known, such as an own write.
    pub known: IntCounter,
    /// None came for a while.
    pub quiet: IntCounter,
    lag_events: IntGauge,
    lag_seconds: Gauge,
    /// When this instance last knew that it was at the head.
    at_head: Mutex<Instant>,
}

impl Follower {
    pub(super) fn new(register: &Register<'_>) -> Self {
        let [pixels, chat, reactions, other] = register.counter_of_each(
            "caraplace_log_events_total",
            "Events that this instance took in, whoever wrote them, by kind.",
            ("kind", ["pixel", "chat", "reaction", "other"]),
        );
        let [news, known, quiet] = register.counter_of_each(
            "caraplace_follower_wakeups_total",
            "Why the follower looked, or did not: news, known (an own write), quiet (no wake-up for a while).",
            ("kind", ["news", "known", "quiet"]),
        );
        Self {
            head: register.gauge("caraplace_log_head", "Number of the newest event known here."),
            version: register.gauge(
                "caraplace_log_version",
                "Number of the newest event known here that changed a pixel.",
            ),
            control: register
                .gauge("caraplace_log_control", "Number of the newest entry of the control log known here."),
            pixels,
            chat,
            reactions,
            other,
            news,
            known,
            quiet,
            lag_events: register.gauge(
                "caraplace_follower_lag_events",
                "Events of other instances that the last look at the log found missing here.",
            ),
            lag_seconds: register.seconds_gauge(
                "caraplace_follower_lag_seconds",
                "Seconds since this instance last knew itself to be at the head of the log.",
            ),
            at_head: Mutex::new(moment()),
        }
    }

    /// A look at the log found so many events missing.
    pub fn behind(&self, events: i64) {
        self.lag_events.set(events.max(0));
    }

    /// All that was missing is taken in.
    pub fn at_head(&self) {
        *self.at_head.lock() = moment();
    }

    pub(super) fn look(&self) {
        self.lag_seconds.set(self.at_head.lock().elapsed().as_secs_f64());
    }
}
