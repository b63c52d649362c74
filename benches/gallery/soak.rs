//! Ten minutes before a busy canvas: the page must hold no more at the end than at the beginning.

use std::time::Duration;

use anyhow::{Result, ensure};
use serde_json::json;

use crate::chrome::{Chrome, Screen};
use crate::crowd::Crowd;
use crate::figures::Figures;
use crate::metrics::Metrics;
use crate::page::Page;
use crate::server::Server;
use crate::table::{Bar, Row, Table, number};

const PAINTERS: usize = 50;
const PLACEMENTS_PER_SECOND: u32 = 500;
const MESSAGES_PER_SECOND: u32 = 1;
const MINUTES: usize = 10;
/// Until caches are filled and code is compiled.
const WARM: usize = 2;
const MINUTE: Duration = Duration::from_mins(1);

/// What the page holds, once everything is thrown away that can be.
#[derive(Clone, Copy)]
struct Held {
    heap: f64,
    nodes: f64,
    listeners: f64,
}

/// Tells each minute what the page holds, and how much more that is than when it was warm.
pub async fn run(table: &mut Table) -> Result<()> {
    let server = Server::start(&[]).await?;
    let keys = server.register(PAINTERS).await?;
    let page = Page::open(&server.url, Screen::Desk).await;
    page.ask("window.neverReloaded = true").await;
    let painting = Crowd::paint(&server, &keys, PLACEMENTS_PER_SECOND).await?;
    let talking = Crowd::talk(&server, &keys, MESSAGES_PER_SECOND);
    let mut samples = Vec::new();
    for minute in 1..=MINUTES {
        tokio::time::sleep(MINUTE).await;
        ensure!(page.ask("window.neverReloaded && live()").await == true, "the page is not live any more");
        let held = held(&page.chrome).await;
        let Held { heap, nodes, listeners } = held;
        eprintln!("  minute {minute}: {:.2} MB heap, {nodes} nodes, {listeners} listeners", heap / 1e6);
        samples.push(held);
    }
    talking.stop();
    let rate = painting.stop_if_kept()?;
    let (first, last) = (samples[WARM - 1], samples[MINUTES - 1]);
    let what = format!("page, {MINUTES} minutes at {PLACEMENTS_PER_SECOND} placements/s");
    let heap = (last.heap - first.heap) / 1e6;
    let notes = format!("{:.2} MB at the end; {} a second were placed", last.heap / 1e6, number(rate));
    table.add(row(format!("{what}: growth of the heap"), "MB", heap, 1.0, notes));
    // The chat keeps its newest rows in the document and drops the others some hundreds at a time.
    let most = |of: fn(&Held) -> f64| samples.iter().map(of).fold(0.0, f64::max);
    let notes = format!("{} at the end", last.nodes);
    table.add(row(format!("{what}: nodes in all, at most"), "", most(|held| held.nodes), 10_000.0, notes));
    let notes = format!("{} at the end", last.listeners);
    table.add(row(format!("{what}: listeners, at most"), "", most(|held| held.listeners), 1_000.0, notes));
    Ok(())
}

async fn held(chrome: &Chrome) -> Held {
    chrome.devtools("HeapProfiler.collectGarbage", json!({})).await;
    let metrics = Metrics::of(chrome).await;
    let figure = |name| metrics.get(name);
    Held { heap: figure("JSHeapUsedSize"), nodes: figure("Nodes"), listeners: figure("JSEventListeners") }
}

fn row(what: String, unit: &str, figure: f64, most: f64, notes: String) -> Row {
    let mut figures = Figures::default();
    figures.add(figure);
    Row { what, here: unit.to_owned(), figures, baseline: None, bar: Bar::AtMost(most), notes }
}
