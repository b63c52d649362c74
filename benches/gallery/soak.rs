//! Ten minutes of the page with a busy canvas: its memory must not grow.

use std::time::Duration;

use anyhow::{Result, ensure};
use serde_json::json;

use crate::background_load::BackgroundLoad;
use crate::chrome::{Chrome, Screen};
use crate::metrics::Metrics;
use crate::page::Page;
use crate::samples::Samples;
use crate::server::Server;
use crate::table::{Row, Table, Threshold, format_number};

const PAINTERS: usize = 50;
const PLACEMENTS_PER_SECOND: u32 = 500;
const MESSAGES_PER_SECOND: u32 = 1;
const MINUTES: usize = 10;
/// Minutes until caches are filled and code is compiled.
const WARM_MINUTES: usize = 2;
const MINUTE: Duration = Duration::from_mins(1);

/// The page's memory after garbage collection.
#[derive(Clone, Copy)]
struct PageUsage {
    heap_bytes: f64,
    nodes: f64,
    listeners: f64,
}

/// Measures the page's memory each minute, and its growth after the warm-up.
pub async fn run(table: &mut Table) -> Result<()> {
    let server = Server::start(&[]).await?;
    let keys = server.register(PAINTERS).await?;
    let page = Page::open(&server.url, Screen::Desktop).await;
    page.evaluate("window.neverReloaded = true").await;
    let placements = BackgroundLoad::start_placements(&server, &keys, PLACEMENTS_PER_SECOND).await?;
    let messages = BackgroundLoad::start_messages(&server, &keys, MESSAGES_PER_SECOND);
    let mut samples = Vec::new();
    for minute in 1..=MINUTES {
        tokio::time::sleep(MINUTE).await;
        ensure!(page.evaluate("window.neverReloaded && live()").await == true, "the page is no longer live");
        let usage = measure_usage(&page.chrome).await;
        let PageUsage { heap_bytes: heap, nodes, listeners } = usage;
        eprintln!("  minute {minute}: {:.2} MB heap, {nodes} nodes, {listeners} listeners", heap / 1e6);
        samples.push(usage);
    }
    messages.stop();
    let rate = placements.stop_at_planned_rate()?;
    let (first, last) = (samples[WARM_MINUTES - 1], samples[MINUTES - 1]);
    let name = format!("page, {MINUTES} minutes at {PLACEMENTS_PER_SECOND} placements/s");
    let heap_growth_mb = (last.heap_bytes - first.heap_bytes) / 1e6;
    let notes = format!("{:.2} MB at the end; {} placements/s", last.heap_bytes / 1e6, format_number(rate));
    table.add(row(format!("{name}: growth of the heap"), "MB", heap_growth_mb, 1.0, notes));
    // The chat keeps its newest rows in the document and removes the others some hundreds at a time.
    let max_of = |count: fn(&PageUsage) -> f64| samples.iter().map(count).fold(0.0, f64::max);
    let notes = format!("{} at the end", last.nodes);
    table.add(row(
        format!("{name}: maximum number of nodes"),
        "",
        max_of(|usage| usage.nodes),
        10_000.0,
        notes,
    ));
    let notes = format!("{} at the end", last.listeners);
    table.add(row(
        format!("{name}: maximum number of listeners"),
        "",
        max_of(|usage| usage.listeners),
        1_000.0,
        notes,
    ));
    Ok(())
}

async fn measure_usage(chrome: &Chrome) -> PageUsage {
    chrome.devtools("HeapProfiler.collectGarbage", json!({})).await;
    let metrics = Metrics::fetch(chrome).await;
    let metric = |name| metrics.get(name);
    PageUsage {
        heap_bytes: metric("JSHeapUsedSize"),
        nodes: metric("Nodes"),
        listeners: metric("JSEventListeners"),
    }
}

fn row(name: String, unit: &str, value: f64, limit: f64, notes: String) -> Row {
    let mut samples = Samples::default();
    samples.add(value);
    Row { name, unit: unit.to_owned(), samples, baseline: None, threshold: Threshold::AtMost(limit), notes }
}
