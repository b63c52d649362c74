//! Looking back over a season of ten million placements, with nothing of it in memory.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Result, bail};
use caraplace::clock;
use caraplace::past::snapshots;
use rules::grid::Size;

use crate::Effort;
use crate::database::{add_season, count_snapshots, size_of};
use crate::figures::Figures;
use crate::server::Server;
use crate::table::{Bar, Row, Table};

const HISTORY: i64 = 10_000_000;
const AGENTS: usize = 100;
/// Moments that are asked for in each round, spread over the season.
const ASKS: i64 = 25;

/// Measures each size of canvas on a log of its own.
pub async fn run(effort: Effort, table: &mut Table) -> Result<()> {
    for side in ["128", "1000"] {
        let settings = [("CARAPLACE_CANVAS_WIDTH", side), ("CARAPLACE_CANVAS_HEIGHT", side)];
        let mut server = Server::start(&settings).await?;
        server.register(AGENTS).await?;
        add_season(&server.database_url()?, HISTORY, side.parse()?).await?;
        server.restart(&settings).await?;
        let filled = fill(&server, side).await?;
        let mut past = Past { side, server, settings, effort };
        past.measure(table).await?;
        table.add(Row {
            notes: past.sizes().await?,
            ..past.row("keeping the snapshots of all of it", "s", filled, 120.0)
        });
    }
    Ok(())
}

/// Waits until every snapshot is there; returns the seconds since the server was ready.
async fn fill(server: &Server, side: &str) -> Result<f64> {
    let (url, begun) = (server.database_url()?, clock::moment());
    let apart = apart(side)?;
    while count_snapshots(&url).await? < HISTORY / apart {
        if begun.elapsed() > Duration::from_mins(15) {
            bail!("the snapshots were not kept within a quarter of an hour");
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    Ok(begun.elapsed().as_secs_f64())
}

/// Numbers between two snapshots.
fn apart(side: &str) -> Result<i64> {
    let side = side.parse()?;
    Ok(snapshots::apart(Size { width: side, height: side }))
}

struct Past<'a> {
    side: &'a str,
    server: Server,
    settings: [(&'a str, &'a str); 2],
    effort: Effort,
}

impl Past<'_> {
    async fn measure(&mut self, table: &mut Table) -> Result<()> {
        let step = HISTORY / ASKS;
        let apart = apart(self.side)?;
        // Right before the next snapshot: the longest way from the one before.
        let number = |ask: i64| (ask * step / apart).max(1) * apart - 1;
        let numbers: Vec<_> = (1..=ASKS).map(|ask| format!("/api/canvas.bin?at={}", number(ask))).collect();
        self.slowest("any moment, by number", &numbers, 200.0, table).await?;
        let times: Vec<_> = (1..=ASKS).map(|ask| format!("/api/canvas.bin?at={}", at(ask, ASKS))).collect();
        self.slowest("any moment, by time", &times, 200.0, table).await?;
        let pages: Vec<_> = (1..ASKS).map(|ask| format!("/api/events?from={}", ask * step)).collect();
        self.slowest("5000 events from any number", &pages, 200.0, table).await?;
        self.slowest("`GET /api/timeline`", &["/api/timeline".to_owned()], 50.0, table).await?;
        let whole = format!("/api/timelapse.gif?from=0&to={HISTORY}");
        self.slowest("the whole season in 20 seconds, `GET /api/timelapse.gif`", &[whole], 10_000.0, table)
            .await
    }

    /// In each round, the slowest of these, in milliseconds, with cold caches.
    async fn slowest(&mut self, what: &str, paths: &[String], most: f64, table: &mut Table) -> Result<()> {
        let (mut slowest, mut all, mut bytes) = (Figures::default(), Figures::default(), 0);
        for _ in 0..self.effort.rounds {
            self.server.restart(&self.settings).await?;
            forget(self.server.folder())?;
            let mut worst = 0.0_f64;
            for path in paths {
                let begun = clock::moment();
                bytes = self.server.get(path).await?.bytes().await?.len();
                let took = begun.elapsed().as_secs_f64() * 1_000.0;
                all.add(took);
                worst = worst.max(took);
            }
            slowest.add(worst);
        }
        let (count, usual) = (paths.len(), all.median());
        let notes = format!(
            "the slowest of {count} in each round, caches cold; usually {usual:.1} ms; {bytes} bytes"
        );
        let row = self.row(what, "ms", 0.0, most);
        table.add(Row { figures: slowest, notes, ..row });
        Ok(())
    }

    fn row(&self, what: &str, unit: &str, figure: f64, most: f64) -> Row {
        let mut figures = Figures::default();
        figures.add(figure);
        Row {
            what: format!("{HISTORY} events on {0}×{0}: {what}", self.side),
            here: unit.to_owned(),
            figures,
            baseline: None,
            bar: Bar::AtMost(most),
            notes: String::new(),
        }
    }

    async fn sizes(&self) -> Result<String> {
        let url = self.server.database_url()?;
        let (snapshots, placements) = (size_of(&url, "snapshot").await?, size_of(&url, "placement").await?);
        let megabytes = |bytes: i64| bytes as f64 / 1e6;
        Ok(format!("snapshots {:.1} MB, placements {:.0} MB", megabytes(snapshots), megabytes(placements)))
    }
}

/// A time in a season of thirty days that ends now.
fn at(part: i64, of: i64) -> String {
    let now = clock::Clock::default().now();
    let time = now - chrono::TimeDelta::days(30) * (of - part + 1) as i32 / of as i32;
    time.to_rfc3339_opts(chrono::SecondsFormat::Millis, true)
}

/// Has the system drop what it holds of the database's files.
fn forget(folder: &Path) -> Result<()> {
    let drop = "find \"$0\" -type f -size +64k -exec dd of={} oflag=nocache conv=notrunc,fdatasync count=0 status=none ';'";
    // Files may go while they are looked for.
    Command::new("sh").args(["-c", drop]).arg(folder.join("postgres/base")).stderr(Stdio::null()).status()?;
    Ok(())
}
