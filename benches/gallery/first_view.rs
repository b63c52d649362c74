//! The first view of the canvas page, on a CPU slowed down four times and on a slow line, and the repeated
//! one.

use anyhow::Result;
use serde_json::json;

use crate::chrome::{Chrome, Screen};
use crate::demo_canvas;
use crate::page::Page;
use crate::samples::Samples;
use crate::server::Server;
use crate::table::{Row, Table, Threshold};

const CPU_SLOWDOWN: u32 = 4;
/// A slow line: 400 kbit/s and 400 ms.
const SLOW_BYTES_PER_SECOND: i32 = 50_000;
const SLOW_LATENCY_MS: u32 = 400;
const PAINTING_SECONDS: u32 = 20;
/// Records when picture and canvas were first visible and the page live, and all layout shifts.
const WATCH_SCRIPT: &str = include_str!("../../tests/browser/watch.js");

/// The loading of a page, as its visitor sees it.
#[derive(Default)]
struct Visits {
    /// Milliseconds until the picture of the rendered page is visible.
    picture_ms: Samples,
    /// Milliseconds until the canvas is drawn.
    canvas_ms: Samples,
    /// Milliseconds until the page is live.
    live_ms: Samples,
    /// The total layout shift.
    shift: Samples,
    requests: Samples,
    /// Transferred, with headers.
    kilobytes: Samples,
}

/// The conditions of a visit.
#[derive(Clone, Copy)]
struct Conditions {
    cpu_slowdown: u32,
    is_slow_line: bool,
    /// True if the browser's cache has the files of an earlier visit.
    is_repeated: bool,
}

/// Measures first and repeated visits.
pub async fn run(rounds: usize, table: &mut Table) -> Result<()> {
    let server = Server::start(&[("CARAPLACE_MAX_CHARGES", "32"), ("CARAPLACE_CHARGE_SECONDS", "1")]).await?;
    demo_canvas::start_placements(&server, PAINTING_SECONDS).await?;
    let page = Page { chrome: Chrome::with_network_log(Screen::Desktop).await };
    page.chrome.devtools("Page.addScriptToEvaluateOnNewDocument", json!({"source": WATCH_SCRIPT})).await;
    let slow_cpu = Conditions { cpu_slowdown: CPU_SLOWDOWN, is_slow_line: false, is_repeated: false };
    let repeated = Conditions { cpu_slowdown: 1, is_repeated: true, ..slow_cpu };
    let slow_line = Conditions { cpu_slowdown: 1, is_slow_line: true, is_repeated: false };
    let [mut first, mut second, mut slow] = [(); 3].map(|()| Visits::default());
    for _ in 0..rounds {
        visit(&page, &server, slow_cpu, &mut first).await;
        visit(&page, &server, repeated, &mut second).await;
        visit(&page, &server, slow_line, &mut slow).await;
    }
    table.add(row("first view, CPU 4× slower: canvas painted", "ms", first.canvas_ms, 1000.0));
    table.add(row("first view: requests", "", first.requests, 12.0));
    table.add(row("first view: transferred, including headers", "kB", first.kilobytes, 100.0));
    table.add(row("first view: total layout shift", "", first.shift, 0.0));
    table.add(row("repeated view: requests", "", second.requests, 4.0));
    table.add(row("repeated view: transferred, including headers", "kB", second.kilobytes, 15.0));
    table.add(row("first view, 400 kbit/s and 400 ms: picture visible", "ms", slow.picture_ms, 1500.0));
    table.add(row("first view, 400 kbit/s and 400 ms: live", "ms", slow.live_ms, 3000.0));
    Ok(())
}

async fn visit(page: &Page, server: &Server, conditions: Conditions, visits: &mut Visits) {
    page.chrome.goto("about:blank").await;
    if !conditions.is_repeated {
        page.chrome.devtools("Network.clearBrowserCache", json!({})).await;
    }
    set_conditions(page, conditions.cpu_slowdown, conditions.is_slow_line).await;
    page.chrome.take_log("performance").await;
    page.chrome.goto(&server.url).await;
    page.wait_until("window.lived > 0 && window.painted > 0").await;
    set_conditions(page, 1, false).await;
    page.wait_until("loaded() && document.documentElement.hasAttribute('data-serif')").await;
    let transfers = page.chrome.take_transfers(&server.url).await;
    // Files from the cache have no size, and neither has the stream, which has no end.
    let sent: Vec<_> =
        transfers.iter().filter(|(url, size)| *size > 0.0 || url.contains("/api/events")).collect();
    let script = "[window.pictured, window.painted, window.lived, window.moved.reduce((sum, { value }) => sum + value, 0)]";
    let times = page.evaluate(script).await;
    let time = |index: usize| times[index].as_f64().unwrap_or(f64::NAN);
    visits.picture_ms.add(time(0));
    visits.canvas_ms.add(time(1));
    visits.live_ms.add(time(2));
    visits.shift.add(time(3));
    visits.requests.add(sent.len() as f64);
    visits.kilobytes.add(sent.iter().map(|(_, size)| size).sum::<f64>() / 1000.0);
}

async fn set_conditions(page: &Page, cpu_slowdown: u32, is_slow_line: bool) {
    page.chrome.devtools("Emulation.setCPUThrottlingRate", json!({"rate": cpu_slowdown})).await;
    let (latency, bytes_per_second) =
        if is_slow_line { (SLOW_LATENCY_MS, SLOW_BYTES_PER_SECOND) } else { (0, -1) };
    let line = json!({
        "offline": false, "latency": latency, "downloadThroughput": bytes_per_second,
        "uploadThroughput": bytes_per_second,
    });
    page.chrome.devtools("Network.emulateNetworkConditions", line).await;
}

fn row(name: &str, unit: &str, samples: Samples, limit: f64) -> Row {
    Row {
        name: name.to_owned(),
        unit: unit.to_owned(),
        baseline: None,
        samples,
        threshold: Threshold::AtMost(limit),
        notes: String::new(),
    }
}
