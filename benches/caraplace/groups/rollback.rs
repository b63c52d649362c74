//! A rollback of a million placements and its undo, while agents continue to paint.

use std::time::Duration;

use anyhow::{Result, bail};
use platform::clock;

use super::placements::posts;
use crate::RunOptions;
use crate::database::{add_history, count_finished_rollbacks, insert_rollback, undo_rollbacks};
use crate::load::{LoadRequest, LoadResult, run_load};
use crate::samples::Samples;
use crate::server::Server;
use crate::table::{Row, Table, Threshold, format_number};

const HISTORY_PLACEMENTS: i64 = 1_000_000;
/// Number of agents in the history.
const HISTORY_AGENTS: usize = 100;
const PAINTERS: usize = 32;
const SETTINGS: &[(&str, &str)] = &[];

/// Measures the duration of both, and the latency of placements at the same time.
pub async fn run(options: RunOptions, table: &mut Table) -> Result<()> {
    let mut server = Server::start(SETTINGS).await?;
    let keys = server.register(HISTORY_AGENTS + PAINTERS).await?.split_off(HISTORY_AGENTS);
    add_history(&server.database_url()?, HISTORY_PLACEMENTS).await?;
    server.restart(SETTINGS).await?;
    let url = server.database_url()?;
    let baseline = run_painters(&server, &keys, options.duration).await?;
    let (rollback_seconds, during_rollback) = tokio::try_join!(
        async {
            insert_rollback(&url).await?;
            wait_until_finished(&url, 1).await
        },
        run_painters(&server, &keys, options.duration)
    )?;
    let (undo_seconds, during_undo) = tokio::try_join!(
        async {
            undo_rollbacks(&url).await?;
            wait_until_finished(&url, 1).await
        },
        run_painters(&server, &keys, options.duration)
    )?;
    table.add(row("rollback of", rollback_seconds, (&baseline, &during_rollback)));
    table.add(row("undo of", undo_seconds, (&baseline, &during_undo)));
    Ok(())
}

async fn run_painters(server: &Server, keys: &[String], duration: Duration) -> Result<LoadResult> {
    let posts = posts(keys, &server.digest().await?);
    let url = format!("{}/api/pixel", server.url);
    run_load(&LoadRequest { url, connections: PAINTERS, duration, headers: &[], posts: &posts }).await
}

/// Waits until this number of rollbacks is complete. Returns the seconds.
async fn wait_until_finished(url: &str, count: i64) -> Result<f64> {
    let started_at = clock::monotonic_now();
    while count_finished_rollbacks(url).await? < count {
        if started_at.elapsed() > Duration::from_mins(5) {
            bail!("the rollback was not complete within five minutes");
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Ok(started_at.elapsed().as_secs_f64())
}

fn row(name: &str, seconds: f64, (baseline, during): (&LoadResult, &LoadResult)) -> Row {
    let mut samples = Samples::default();
    samples.add(seconds);
    Row {
        name: format!("{name} {HISTORY_PLACEMENTS} placements on 128×128 while {PAINTERS} connections paint"),
        unit: "s".into(),
        samples,
        baseline: None,
        threshold: Threshold::AtMost(30.0),
        notes: format!(
            "placements at the same time {}/s, 99th percentile {} ms; before {}/s, {} ms",
            format_number(during.rate),
            format_number(during.p99),
            format_number(baseline.rate),
            format_number(baseline.p99)
        ),
    }
}
