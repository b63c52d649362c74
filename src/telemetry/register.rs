//! Makes numbers and registers them; each name has its help, and each name stands in the source once.

use prometheus::core::Collector;
use prometheus::{
    Counter, Gauge, Histogram, HistogramOpts, HistogramVec, IntCounter, IntCounterVec, IntGauge, IntGaugeVec,
    Opts, Registry,
};

/// From a quarter of a millisecond to ten seconds: what answers take.
pub(super) const SECONDS: &[f64] =
    &[0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];

/// Powers of two, as the writer's batches grow.
pub(super) const COUNTS: &[f64] = &[1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0];

/// Where numbers are registered.
pub(super) struct Register<'a>(&'a Registry);

impl<'a> Register<'a> {
    pub(super) fn new(registry: &'a Registry) -> Self {
        Self(registry)
    }

    pub(super) fn counter(&self, name: &str, help: &str) -> IntCounter {
        self.add(IntCounter::new(name, help))
    }

    pub(super) fn counters(&self, name: &str, help: &str, labels: &[&str]) -> IntCounterVec {
        self.add(IntCounterVec::new(Opts::new(name, help), labels))
    }

    /// One counter for each value of a label; all are there from the start, so that rates see the first increase.
    pub(super) fn counter_of_each<const N: usize>(
        &self,
        name: &str,
        help: &str,
        (label, values): (&str, [&str; N]),
    ) -> [IntCounter; N] {
        let family = self.counters(name, help, &[label]);
        values.map(|value| family.with_label_values(&[value]))
    }

    pub(super) fn seconds_counter(&self, name: &str, help: &str) -> Counter {
        self.add(Counter::new(name, help))
    }

    pub(super) fn gauge(&self, name: &str, help: &str) -> IntGauge {
        self.add(IntGauge::new(name, help))
    }

    pub(super) fn gauges(&self, name: &str, help: &str, labels: &[&str]) -> IntGaugeVec {
        self.add(IntGaugeVec::new(Opts::new(name, help), labels))
    }

    pub(super) fn seconds_gauge(&self, name: &str, help: &str) -> Gauge {
        self.add(Gauge::new(name, help))
    }

    pub(super) fn histogram(&self, name: &str, help: &str, buckets: &[f64]) -> Histogram {
        self.add(Histogram::with_opts(HistogramOpts::new(name, help).buckets(buckets.to_vec())))
    }

    pub(super) fn histograms(&self, name: &str, help: &str, labels: &[&str]) -> HistogramVec {
        self.histograms_with(name, help, labels, SECONDS)
    }

    pub(super) fn histograms_with(
        &self,
        name: &str,
        help: &str,
        labels: &[&str],
        buckets: &[f64],
    ) -> HistogramVec {
        self.add(HistogramVec::new(HistogramOpts::new(name, help).buckets(buckets.to_vec()), labels))
    }

    /// Names are literals of this folder: registering fails only when one stands here twice.
    fn add<T: Collector + Clone + 'static>(&self, made: prometheus::Result<T>) -> T {
        match made.and_then(|metric| self.0.register(Box::new(metric.clone())).map(|()| metric)) {
            Ok(metric) => metric,
            Err(error) => panic!("a metric has a bad name: {error}"),
        }
    }
}
