//! From the address to the painted canvas, on a processor made four times slower.

use anyhow::Result;
use serde_json::json;

use crate::chrome::{Chrome, Screen};
use crate::exhibit;
use crate::figures::Figures;
use crate::page::Page;
use crate::server::Server;
use crate::table::{Bar, Row, Table};

const SLOWER: u32 = 4;
const PAINTING_SECONDS: u32 = 20;
/// Writes down when the canvas was first seen, and everything that moved.
const WATCH: &str = include_str!("../../tests/browser/watch.js");

/// Each round is a first visit: nothing is in the browser's cache.
pub async fn run(rounds: usize, table: &mut Table) -> Result<()> {
    let server = Server::start(&[("CARAPLACE_MAX_CHARGES", "32"), ("CARAPLACE_CHARGE_SECONDS", "1")]).await?;
    exhibit::paint(&server, PAINTING_SECONDS).await?;
    let page = Page { chrome: Chrome::start(Screen::Desk).await };
    page.chrome.devtools("Page.addScriptToEvaluateOnNewDocument", json!({"source": WATCH})).await;
    let mut figures = [(); 5].map(|()| Figures::default());
    for _ in 0..rounds {
        let seen = visit(&page, &server).await;
        for (figure, value) in figures.iter_mut().zip(seen) {
            figure.add(value);
        }
    }
    let [painted, words, shifts, kilobytes, requests] = figures;
    let told = |figures: &Figures| format!("{:.0}", figures.median());
    let notes = format!("first words after {} ms; {} requests", told(&words), told(&requests));
    table.add(row("first view, processor 4× slower: canvas painted", "ms", painted, 1000.0, notes));
    table.add(row("first view: transferred, with all headers", "kB", kilobytes, 100.0, String::new()));
    table.add(row("first view: layout shift in all", "", shifts, 0.0, String::new()));
    Ok(())
}

/// Milliseconds to the canvas and to the first words, layout shift, kilobytes, requests.
async fn visit(page: &Page, server: &Server) -> [f64; 5] {
    page.chrome.goto("about:blank").await;
    page.chrome.devtools("Network.clearBrowserCache", json!({})).await;
    page.chrome.devtools("Emulation.setCPUThrottlingRate", json!({"rate": SLOWER})).await;
    page.chrome.log("performance").await;
    page.chrome.goto(&server.url).await;
    page.until("window.painted > 0 && loaded()").await;
    page.chrome.devtools("Emulation.setCPUThrottlingRate", json!({"rate": 1})).await;
    let sizes = page.chrome.transfers(&server.url).await;
    let seen = page
        .ask("[window.painted, window.words, window.moved.reduce((sum, { value }) => sum + value, 0)]")
        .await;
    let number = |at: usize| seen[at].as_f64().unwrap_or(f64::NAN);
    let bytes: f64 = sizes.iter().map(|(_, size)| size).sum();
    [number(0), number(1), number(2), bytes / 1000.0, sizes.len() as f64]
}

fn row(what: &str, unit: &str, figures: Figures, most: f64, notes: String) -> Row {
    Row {
        what: what.to_owned(),
        here: unit.to_owned(),
        baseline: None,
        figures,
        bar: Bar::AtMost(most),
        notes,
    }
}
