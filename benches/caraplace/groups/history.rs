//! Reads from the history of a season of ten million placements, with cold caches.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Result, bail};
use caraplace_canvas::history::snapshots;
use platform::clock;
use rules::grid::Size;

use crate::RunOptions;
use crate::database::{add_season, count_snapshots, table_size_bytes};
use crate::samples::Samples;
use crate::server::Server;
use crate::table::{Row, Table, Threshold};

const EVENT_COUNT: i64 = 10_000_000;
const AGENTS: usize = 100;
/// Number of points in time that are requested in each round, spread over the season.
const POINTS_PER_ROUND: i64 = 25;

/// Measures each size of canvas on a log of its own.
pub async fn run(options: RunOptions, table: &mut Table) -> Result<()> {
    for side in ["128", "1000"] {
        let settings = [("CARAPLACE_CANVAS_WIDTH", side), ("CARAPLACE_CANVAS_HEIGHT", side)];
        let mut server = Server::start(&settings).await?;
        server.register(AGENTS).await?;
        add_season(&server.database_url()?, EVENT_COUNT, side.parse()?).await?;
        server.restart(&settings).await?;
        let fill_seconds = wait_for_snapshots(&server, side).await?;
        let mut bench = HistoryBench { side, server, settings, options };
        bench.measure(table).await?;
        table.add(Row {
            notes: bench.describe_sizes().await?,
            ..bench.row("creating all snapshots", "s", fill_seconds, 120.0)
        });
    }
    Ok(())
}

/// Waits until every snapshot exists. Returns the seconds since the server was ready.
async fn wait_for_snapshots(server: &Server, side: &str) -> Result<f64> {
    let (url, started_at) = (server.database_url()?, clock::monotonic_now());
    let interval = snapshot_interval(side)?;
    while count_snapshots(&url).await? < EVENT_COUNT / interval {
        if started_at.elapsed() > Duration::from_mins(15) {
            bail!("the snapshots were not created within 15 minutes");
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    Ok(started_at.elapsed().as_secs_f64())
}

/// Returns the number of events between two snapshots.
fn snapshot_interval(side: &str) -> Result<i64> {
    let side = side.parse()?;
    Ok(snapshots::snapshot_interval(Size { width: side, height: side }))
}

struct HistoryBench<'a> {
    side: &'a str,
    server: Server,
    settings: [(&'a str, &'a str); 2],
    options: RunOptions,
}

impl HistoryBench<'_> {
    async fn measure(&mut self, table: &mut Table) -> Result<()> {
        let step = EVENT_COUNT / POINTS_PER_ROUND;
        let interval = snapshot_interval(self.side)?;
        // The last number before a snapshot: it needs the longest replay.
        let seq_before_snapshot = |point: i64| (point * step / interval).max(1) * interval - 1;
        let paths_by_seq: Vec<_> = (1..=POINTS_PER_ROUND)
            .map(|point| format!("/api/canvas.bin?at={}", seq_before_snapshot(point)))
            .collect();
        self.measure_slowest("any point in time, by number", &paths_by_seq, 200.0, table).await?;
        let paths_by_time: Vec<_> = (1..=POINTS_PER_ROUND)
            .map(|point| format!("/api/canvas.bin?at={}", season_time(point, POINTS_PER_ROUND)))
            .collect();
        self.measure_slowest("any point in time, by timestamp", &paths_by_time, 200.0, table).await?;
        let event_pages: Vec<_> =
            (1..POINTS_PER_ROUND).map(|point| format!("/api/events?from={}", point * step)).collect();
        self.measure_slowest("5000 events from any number", &event_pages, 200.0, table).await?;
        self.measure_slowest("`GET /api/timeline`", &["/api/timeline".to_owned()], 50.0, table).await?;
        let timelapse = format!("/api/timelapse.gif?from=0&to={EVENT_COUNT}");
        self.measure_slowest(
            "the whole season in 20 seconds, `GET /api/timelapse.gif`",
            &[timelapse],
            10_000.0,
            table,
        )
        .await
    }

    /// Measures the slowest of these requests in each round, in milliseconds, with cold caches.
    async fn measure_slowest(
        &mut self,
        name: &str,
        paths: &[String],
        limit: f64,
        table: &mut Table,
    ) -> Result<()> {
        let (mut slowest_per_round, mut all, mut bytes) = (Samples::default(), Samples::default(), 0);
        for _ in 0..self.options.rounds {
            self.server.restart(&self.settings).await?;
            drop_file_cache(self.server.folder())?;
            let mut worst = 0.0_f64;
            for path in paths {
                let started_at = clock::monotonic_now();
                bytes = self.server.get(path).await?.bytes().await?.len();
                let milliseconds = started_at.elapsed().as_secs_f64() * 1_000.0;
                all.add(milliseconds);
                worst = worst.max(milliseconds);
            }
            slowest_per_round.add(worst);
        }
        let (count, median) = (paths.len(), all.median());
        let notes = format!(
            "the slowest of {count} in each round with cold caches; median {median:.1} ms; {bytes} bytes"
        );
        let row = self.row(name, "ms", 0.0, limit);
        table.add(Row { samples: slowest_per_round, notes, ..row });
        Ok(())
    }

    fn row(&self, name: &str, unit: &str, value: f64, limit: f64) -> Row {
        let mut samples = Samples::default();
        samples.add(value);
        Row {
            name: format!("{EVENT_COUNT} events on {0}×{0}: {name}", self.side),
            unit: unit.to_owned(),
            samples,
            baseline: None,
            threshold: Threshold::AtMost(limit),
            notes: String::new(),
        }
    }

    async fn describe_sizes(&self) -> Result<String> {
        let url = self.server.database_url()?;
        let (snapshots, placements) =
            (table_size_bytes(&url, "snapshot").await?, table_size_bytes(&url, "placement").await?);
        let megabytes = |bytes: i64| bytes as f64 / 1e6;
        Ok(format!("snapshots {:.1} MB, placements {:.0} MB", megabytes(snapshots), megabytes(placements)))
    }
}

/// Returns a time in a season of thirty days that ends now.
fn season_time(index: i64, part_count: i64) -> String {
    let now = clock::Clock::default().now();
    let time = now - chrono::TimeDelta::days(30) * (part_count - index + 1) as i32 / part_count as i32;
    time.to_rfc3339_opts(chrono::SecondsFormat::Millis, true)
}

/// Removes the database's files from the system's page cache.
fn drop_file_cache(folder: &Path) -> Result<()> {
    let script = "find \"$0\" -type f -size +64k -exec dd of={} oflag=nocache conv=notrunc,fdatasync count=0 status=none ';'";
    // Files may be deleted during the search.
    Command::new("sh")
        .args(["-c", script])
        .arg(folder.join("postgres/base"))
        .stderr(Stdio::null())
        .status()?;
    Ok(())
}
