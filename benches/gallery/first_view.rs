//! The first view of the canvas page, on a CPU slowed down four times.

use anyhow::Result;
use serde_json::json;

use crate::chrome::{Chrome, Screen};
use crate::demo_canvas;
use crate::page::Page;
use crate::samples::Samples;
use crate::server::Server;
use crate::table::{Row, Table, Threshold};

const CPU_SLOWDOWN: u32 = 4;
const PAINTING_SECONDS: u32 = 20;
/// Records when the canvas was first visible, and all layout shifts.
const WATCH_SCRIPT: &str = include_str!("../../tests/browser/watch.js");

/// Measures first visits: the browser's cache is empty in each round.
pub async fn run(rounds: usize, table: &mut Table) -> Result<()> {
    let server = Server::start(&[("CARAPLACE_MAX_CHARGES", "32"), ("CARAPLACE_CHARGE_SECONDS", "1")]).await?;
    demo_canvas::start_placements(&server, PAINTING_SECONDS).await?;
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    page.chrome.devtools("Page.addScriptToEvaluateOnNewDocument", json!({"source": WATCH_SCRIPT})).await;
    let mut samples = [(); 5].map(|()| Samples::default());
    for _ in 0..rounds {
        let values = measure_visit(&page, &server).await;
        for (sample, value) in samples.iter_mut().zip(values) {
            sample.add(value);
        }
    }
    let [canvas_ms, words_ms, shifts, kilobytes, requests] = samples;
    let median = |samples: &Samples| format!("{:.0}", samples.median());
    let notes = format!("first text after {} ms; {} requests", median(&words_ms), median(&requests));
    table.add(row("first view, CPU 4× slower: canvas painted", "ms", canvas_ms, 1000.0, notes));
    table.add(row("first view: transferred, including headers", "kB", kilobytes, 100.0, String::new()));
    table.add(row("first view: total layout shift", "", shifts, 0.0, String::new()));
    Ok(())
}

/// Returns milliseconds to the canvas and to the first text, layout shift, kilobytes, and number of requests.
async fn measure_visit(page: &Page, server: &Server) -> [f64; 5] {
    page.chrome.goto("about:blank").await;
    page.chrome.devtools("Network.clearBrowserCache", json!({})).await;
    page.chrome.devtools("Emulation.setCPUThrottlingRate", json!({"rate": CPU_SLOWDOWN})).await;
    page.chrome.take_log("performance").await;
    page.chrome.goto(&server.url).await;
    page.wait_until("window.painted > 0 && loaded()").await;
    page.chrome.devtools("Emulation.setCPUThrottlingRate", json!({"rate": 1})).await;
    let sizes = page.chrome.take_transfers(&server.url).await;
    let times = page
        .evaluate("[window.painted, window.words, window.moved.reduce((sum, { value }) => sum + value, 0)]")
        .await;
    let time = |index: usize| times[index].as_f64().unwrap_or(f64::NAN);
    let bytes: f64 = sizes.iter().map(|(_, size)| size).sum();
    [time(0), time(1), time(2), bytes / 1000.0, sizes.len() as f64]
}

fn row(name: &str, unit: &str, samples: Samples, limit: f64, notes: String) -> Row {
    Row {
        name: name.to_owned(),
        unit: unit.to_owned(),
        baseline: None,
        samples,
        threshold: Threshold::AtMost(limit),
        notes,
    }
}
