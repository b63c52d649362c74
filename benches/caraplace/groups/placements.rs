//! Durable placements, with many connections and with few.

use anyhow::Result;

use crate::RunOptions;
use crate::baseline::BaselineServer;
use crate::database::create_plain_table;
use crate::load::{LoadRequest, LoadResult, PostRequest, run_load};
use crate::samples::Samples;
use crate::server::Server;
use crate::table::{Row, Table, Threshold, format_number};

const AGENTS: usize = 1_000;
const MANY_CONNECTIONS: usize = 256;
const FEW_CONNECTIONS: usize = 8;

/// Measures placements and their baselines in turn.
pub async fn run(options: RunOptions, table: &mut Table) -> Result<()> {
    let server = Server::start(&[]).await?;
    let database = server.database_url()?;
    create_plain_table(&database).await?;
    let baseline_server = BaselineServer::start(Some(&database)).await?;
    let keys = server.register(AGENTS).await?;
    let comparison = Comparison { server: &server, baseline_server: &baseline_server, keys: &keys, options };
    comparison
        .run(MANY_CONNECTIONS, "/pixel", ("bare framework, same POST", Threshold::Ratio(0.6)), table)
        .await?;
    comparison
        .run(FEW_CONNECTIONS, "/statement", ("one statement per request", Threshold::Ratio(1.0)), table)
        .await
}

struct Comparison<'a> {
    server: &'a Server,
    baseline_server: &'a BaselineServer,
    keys: &'a [String],
    options: RunOptions,
}

impl Comparison<'_> {
    async fn run(
        &self,
        connections: usize,
        baseline_path: &str,
        (baseline_name, threshold): (&str, Threshold),
        table: &mut Table,
    ) -> Result<()> {
        let mut server_samples = PlacementSamples::default();
        let mut baseline_rates = Samples::default();
        for _ in 0..self.options.rounds {
            let digest = self.server.digest().await?;
            let posts = posts(self.keys, &digest);
            let load = |url: String| {
                let (duration, posts) = (self.options.duration, posts.as_slice());
                async move { run_load(&LoadRequest { url, connections, duration, headers: &[], posts }).await }
            };
            baseline_rates.add(load(format!("{}{baseline_path}", self.baseline_server.url)).await?.rate);
            let cpu_before = self.server.cpu_seconds();
            let result = load(format!("{}/api/pixel", self.server.url)).await?;
            let cpu_after = self.server.cpu_seconds();
            let count = result.rate * self.options.duration.as_secs_f64();
            server_samples.add(
                result,
                (cpu_after.0 - cpu_before.0) / count,
                (cpu_after.1 - cpu_before.1) / count,
            );
        }
        let name = format!("durable placements, {connections} connections, {AGENTS} agents");
        table.add(server_samples.row(name, (baseline_name.to_owned(), baseline_rates), threshold));
        if connections == MANY_CONNECTIONS {
            table.add(Row {
                name: format!("99th percentile of placements, {connections} connections"),
                unit: "ms".into(),
                samples: server_samples.p99,
                baseline: None,
                threshold: Threshold::AtMost(12.0),
                notes: String::new(),
            });
        }
        Ok(())
    }
}

/// Returns many thousand requests with one pixel each.
pub(super) fn posts(keys: &[String], digest: &str) -> Vec<PostRequest> {
    let post = |number: usize| {
        let (x, y, color) = (number * 31 % 128, number * 17 / 128 % 128, number % 16);
        let body = format!("{{\"x\":{x},\"y\":{y},\"color\":{color},\"chat_digest\":\"{digest}\"}}");
        PostRequest { key: keys[number % keys.len()].clone(), body }
    };
    (0..10_007).map(post).collect()
}

#[derive(Default)]
struct PlacementSamples {
    rate: Samples,
    p50: Samples,
    p99: Samples,
    server_cost: Samples,
    database_cost: Samples,
}

impl PlacementSamples {
    /// Adds a result. The CPU times are in seconds per placement.
    fn add(&mut self, result: LoadResult, server_cost: f64, database_cost: f64) {
        self.rate.add(result.rate);
        self.p50.add(result.p50);
        self.p99.add(result.p99);
        self.server_cost.add(server_cost * 1e6);
        self.database_cost.add(database_cost * 1e6);
    }

    fn row(&self, name: String, baseline: (String, Samples), threshold: Threshold) -> Row {
        let notes = format!(
            "p50 {} ms, p99 {} ms; CPU time per placement: server {} µs, PostgreSQL {} µs",
            format_number(self.p50.median()),
            format_number(self.p99.median()),
            format_number(self.server_cost.median()),
            format_number(self.database_cost.median()),
        );
        let (samples, unit) = (self.rate.clone(), "/s".to_owned());
        Row { name, unit, samples, baseline: Some(baseline), threshold, notes }
    }
}
