//! Single placements through a fixed number of connections, measured with and without something else.

use anyhow::Result;

use super::placements::posts;
use crate::RunOptions;
use crate::load::{LoadRequest, LoadResult, run_load};
use crate::samples::Samples;
use crate::server::Server;
use crate::table::{Row, Threshold, format_number};

pub(super) const CONNECTIONS: usize = 64;

/// The samples of one condition.
#[derive(Default)]
pub(super) struct SingleLoad {
    rate: Samples,
    p99: Samples,
    cpu_micros: Samples,
}

impl SingleLoad {
    /// Adds a measurement.
    pub(super) async fn measure(
        &mut self,
        server: &Server,
        painters: &[String],
        options: RunOptions,
    ) -> Result<()> {
        let digest = server.digest().await?;
        let posts = posts(painters, &digest);
        let (url, cpu_before) = (format!("{}/api/pixel", server.url), server.cpu_seconds().0);
        let (connections, duration) = (CONNECTIONS, options.duration);
        let load = LoadRequest { url, connections, duration, headers: &[], posts: &posts };
        let LoadResult { rate, p99, .. } = run_load(&load).await?;
        let cpu_seconds = server.cpu_seconds().0 - cpu_before;
        self.rate.add(rate);
        self.p99.add(p99);
        self.cpu_micros.add(cpu_seconds * 1e6 / (rate * duration.as_secs_f64()));
        Ok(())
    }

    /// Returns the row that compares this condition with another.
    pub(super) fn row(self, name: String, (baseline, without): (&str, Self), threshold: Threshold) -> Row {
        let notes = format!(
            "99th percentile {} ms, without {} ms; CPU {} µs per placement, without {} µs",
            format_number(self.p99.median()),
            format_number(without.p99.median()),
            format_number(self.cpu_micros.median()),
            format_number(without.cpu_micros.median()),
        );
        let (samples, baseline) = (self.rate, Some((baseline.to_owned(), without.rate)));
        Row { name, unit: "/s".into(), samples, baseline, threshold, notes }
    }
}
