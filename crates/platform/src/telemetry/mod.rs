//! Observability: the log on standard error, and the metrics for `/metrics`.

mod caches;
mod connections;
mod database;
pub mod event_loops;
mod follower;
mod game;
mod guide;
pub mod logging;
mod messaging;
mod moderation;
mod notifications;
mod payments;
mod process;
mod register;
mod requests;
mod sign_in;
mod streams;
mod webhooks;
mod writer;

use std::sync::LazyLock;
use std::time::Instant;

use prometheus::{Encoder, Histogram, TextEncoder};

pub use caches::CacheMeter;
pub use requests::RouteMeter;

use crate::clock::monotonic_now;

/// The metrics of the process.
pub static METRICS: LazyLock<Metrics> = LazyLock::new(|| {
    let metrics = Metrics::default();
    metrics.process.set_constants();
    metrics
});

/// All metrics of the process, in Prometheus' default registry, which [`METRICS`] alone fills.
#[derive(Default)]
pub struct Metrics {
    pub requests: requests::RequestMetrics,
    pub writer: writer::WriterMetrics,
    pub follower: follower::FollowerMetrics,
    pub streams: streams::StreamMetrics,
    pub connections: connections::ConnectionMetrics,
    pub database: database::DatabaseMetrics,
    pub caches: caches::CacheMetrics,
    pub game: game::GameMetrics,
    pub messaging: messaging::MessagingMetrics,
    pub moderation: moderation::ModerationMetrics,
    pub payments: payments::PaymentMetrics,
    pub notifications: notifications::NotificationMetrics,
    pub webhooks: webhooks::WebhookMetrics,
    pub guide: guide::GuideMetrics,
    pub sign_in: sign_in::SignInMetrics,
    pub event_loops: event_loops::EventLoopMetrics,
    process: process::ProcessMetrics,
}

impl Metrics {
    /// Returns all metrics in Prometheus' text format.
    ///
    /// # Errors
    /// If a metric cannot be encoded.
    pub fn to_text(&self) -> prometheus::Result<Vec<u8>> {
        self.process.refresh();
        self.follower.refresh();
        let mut text = Vec::new();
        TextEncoder::new().encode(&prometheus::gather(), &mut text)?;
        Ok(text)
    }
}

/// Measures the phases of an operation, one after the other.
pub struct PhaseTimer(Instant);

impl PhaseTimer {
    /// Starts the first phase.
    pub fn start() -> Self {
        Self(monotonic_now())
    }

    /// Records the current phase, and starts the next.
    pub fn observe_phase(&mut self, phase: &Histogram) {
        let now = monotonic_now();
        phase.observe((now - self.0).as_secs_f64());
        self.0 = now;
    }
}
