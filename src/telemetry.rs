//! What the operator can see: logs on standard error, and counters for `/metrics`.

use std::io::IsTerminal as _;
use std::sync::LazyLock;

use prometheus::{
    Encoder, Histogram, HistogramOpts, IntCounter, IntCounterVec, IntGauge, Opts, Registry, TextEncoder,
};
use tracing_subscriber::EnvFilter;

/// The process' counters.
pub static METRICS: LazyLock<Metrics> = LazyLock::new(Metrics::new);

/// Everything that `/metrics` tells.
pub struct Metrics {
    registry: Registry,
    /// Answers by status.
    pub answers: IntCounterVec,
    /// Refusals by code.
    pub refusals: IntCounterVec,
    /// Pixels placed through this instance.
    pub placements: IntCounter,
    /// Writes per transaction.
    pub batch_size: Histogram,
    /// Writes that wait.
    pub queued: IntGauge,
    /// Open streams.
    pub streams: IntGauge,
    /// Number of the newest event known here.
    pub head: IntGauge,
}

impl Metrics {
    fn new() -> Self {
        let registry = Registry::new();
        Self {
            answers: counters(&registry, "caraplace_answers_total", "Answers by status.", "status"),
            refusals: counters(&registry, "caraplace_refusals_total", "Refusals by code.", "code"),
            placements: counter(
                &registry,
                "caraplace_placements_total",
                "Pixels placed through this instance.",
            ),
            batch_size: histogram(&registry, "caraplace_batch_size", "Writes per transaction."),
            queued: gauge(&registry, "caraplace_queued_writes", "Writes that wait for the gate."),
            streams: gauge(&registry, "caraplace_streams", "Open event streams."),
            head: gauge(&registry, "caraplace_head", "Number of the newest event known here."),
            registry,
        }
    }

    /// All counters in Prometheus' text format.
    ///
    /// # Errors
    /// When a counter cannot be written as text.
    pub fn text(&self) -> prometheus::Result<Vec<u8>> {
        let mut text = Vec::new();
        TextEncoder::new().encode(&self.registry.gather(), &mut text)?;
        Ok(text)
    }
}

/// Names are literals of this file: registering fails only when one stands here twice.
fn register<T: prometheus::core::Collector + Clone + 'static>(
    registry: &Registry,
    made: prometheus::Result<T>,
) -> T {
    match made.and_then(|metric| registry.register(Box::new(metric.clone())).map(|()| metric)) {
        Ok(metric) => metric,
        Err(error) => panic!("a metric has a bad name: {error}"),
    }
}

fn counter(registry: &Registry, name: &str, help: &str) -> IntCounter {
    register(registry, IntCounter::new(name, help))
}

fn counters(registry: &Registry, name: &str, help: &str, label: &str) -> IntCounterVec {
    register(registry, IntCounterVec::new(Opts::new(name, help), &[label]))
}

fn gauge(registry: &Registry, name: &str, help: &str) -> IntGauge {
    register(registry, IntGauge::new(name, help))
}

fn histogram(registry: &Registry, name: &str, help: &str) -> Histogram {
    let buckets = vec![1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0];
    register(registry, Histogram::with_opts(HistogramOpts::new(name, help).buckets(buckets)))
}

/// What is logged when RUST_LOG does not say: the framework tells at info what no operator asked.
const DEFAULT_FILTER: &str = "info,actix_server=warn,actix_http=off,sqlx=error";

/// Logs to standard error, by default from info up.
pub fn start_logging() {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(DEFAULT_FILTER));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .with_target(false)
        .init();
}
