//! Declares, creates and registers metrics. Each is declared in one place, with its name and its help.

use prometheus::core::{Atomic, Collector, GenericCounter, GenericGauge};
use prometheus::{Histogram, HistogramOpts, HistogramVec, IntCounterVec, Opts, Result};

/// Buckets of request durations: from a quarter of a millisecond to ten seconds.
pub(super) const LATENCY_BUCKETS: &[f64] =
    &[0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];

/// Buckets of batch sizes: powers of two.
pub(super) const BATCH_SIZE_BUCKETS: &[f64] = &[1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0];

/// A metric, or a family of metrics whose label values are not known yet.
pub(super) trait Metric: Collector + Clone + 'static {
    /// Creates a metric. Only families have open labels, and only histograms have buckets.
    fn create(options: Opts, labels: &[&str], buckets: &[f64]) -> Result<Self>;
}

impl<P: Atomic + 'static> Metric for GenericCounter<P> {
    fn create(options: Opts, _: &[&str], _: &[f64]) -> Result<Self> {
        Self::with_opts(options)
    }
}

impl<P: Atomic + 'static> Metric for GenericGauge<P> {
    fn create(options: Opts, _: &[&str], _: &[f64]) -> Result<Self> {
        Self::with_opts(options)
    }
}

impl Metric for Histogram {
    fn create(options: Opts, _: &[&str], buckets: &[f64]) -> Result<Self> {
        Self::with_opts(HistogramOpts::from(options).buckets(buckets.to_vec()))
    }
}

impl Metric for IntCounterVec {
    fn create(options: Opts, labels: &[&str], _: &[f64]) -> Result<Self> {
        Self::new(options, labels)
    }
}

impl Metric for HistogramVec {
    fn create(options: Opts, labels: &[&str], buckets: &[f64]) -> Result<Self> {
        Self::new(HistogramOpts::from(options).buckets(buckets.to_vec()), labels)
    }
}

/// Creates and registers a metric. It fails only if two metrics have the same name, which is a literal in
/// this folder, or if a group is created twice.
pub(super) fn register<M: Metric>(options: Opts, labels: &[&str], buckets: &[f64]) -> M {
    let created = M::create(options, labels, buckets);
    match created.and_then(|metric| prometheus::register(Box::new(metric.clone())).map(|()| metric)) {
        Ok(metric) => metric,
        Err(error) => panic!("a metric cannot be registered: {error}"),
    }
}

/// Declares a group of metrics. Each has a field, a type, a name, the labels that it leaves open, a help
/// text, and the buckets of a histogram if they are not [`LATENCY_BUCKETS`].
///
/// After them come families of which every label value is known: the field of each value, the type, name,
/// label and help. All values are registered from the start, so that rates include the first increase. Fields
/// that are not metrics come last, after `with`.
macro_rules! metrics {
    (
        $(#[$about:meta])*
        $Group:ident {
            $($(#[$doc:meta])* $field:ident: $Metric:ty = $name:literal $([$($open:literal),+])? $help:literal
                $(in $buckets:ident)?;)*
            $([$($(#[$of_value:meta])* $member:ident = $value:expr),+]: $Member:ty =
                $family:literal [$label:literal] $family_help:literal;)*
        }
        $(with { $($(#[$of_own:meta])* $own:ident: $Own:ty = $make:expr;)+ })?
    ) => {
        $(#[$about])*
        ///
        /// [`METRICS`]($crate::telemetry::METRICS) holds the one instance.
        pub struct $Group {
            $($(#[$doc])* pub $field: $Metric,)*
            $($($(#[$of_value])* pub $member: $Member,)+)*
            $($($(#[$of_own])* $own: $Own,)+)?
        }

        impl Default for $Group {
            /// Creates and registers the metrics of the group.
            fn default() -> Self {
                use prometheus::Opts;
                use $crate::telemetry::register::register;
                Self {
                    $($field: register(
                        Opts::new($name, $help),
                        &[$($($open),+)?],
                        metrics!(@buckets $($buckets)?),
                    ),)*
                    $($($member: register(
                        Opts::new($family, $family_help).const_label($label, $value),
                        &[],
                        metrics!(@buckets),
                    ),)+)*
                    $($($own: $make,)+)?
                }
            }
        }
    };
    (@buckets) => { $crate::telemetry::register::LATENCY_BUCKETS };
    (@buckets $buckets:ident) => { $buckets };
}
pub(super) use metrics;
