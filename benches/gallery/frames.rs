//! Whether the page stays smooth before a million pixels of which ten thousand change a second.

use std::time::Duration;

use anyhow::Result;
use serde_json::{Value, json};

use crate::chrome::{Chrome, Screen};
use crate::crowd::Crowd;
use crate::figures::{Figures, percentile};
use crate::metrics::Metrics;
use crate::page::Page;
use crate::server::Server;
use crate::table::{Bar, Row, Table, number};

/// Slow answers are the other load of a machine: they would stand between the rows.
const SETTINGS: [(&str, &str); 3] =
    [("CARAPLACE_CANVAS_WIDTH", "1000"), ("CARAPLACE_CANVAS_HEIGHT", "1000"), ("RUST_LOG", "error")];
const SIDE: usize = 1_000;
const PAINTERS: usize = 10;
const REQUESTS_PER_SECOND: u32 = 40;
const PIXELS_PER_REQUEST: usize = 250;
/// Prime to the canvas' size, so that strokes fall everywhere and come back to a cell as late as can be.
const STRIDE: usize = 618_033;
/// What one looks at, and its address.
const VIEWS: [(&str, &str); 3] =
    [("whole canvas", ""), ("4×", "#x=500&y=500&z=4"), ("16×", "#x=500&y=500&z=16")];
const ROUNDS: usize = 5;
const ROUND_MS: u32 = 2_000;
/// Until code is compiled, and the page has made its second look at the chat.
const WARM: Duration = Duration::from_secs(4);
/// The screen's own sixty frames a second, with a tenth of a millisecond for the clock.
const FRAME_MS: f64 = 16.8;
/// What our own script may take of a frame.
const SCRIPT_MS: f64 = 2.0;
/// The times between frames, and the tasks that Chromium calls long, over 50 ms.
const WATCH: &str = "const [ms, done] = arguments, frames = [], long = [];
    const observer = new PerformanceObserver((list) => list.getEntries().forEach(({ duration }) => long.push(duration)));
    observer.observe({ entryTypes: ['longtask'] });
    const begun = performance.now();
    let last = 0;
    requestAnimationFrame(function frame(now) {
      if (last) frames.push(now - last);
      last = now;
      if (now - begun < ms) return requestAnimationFrame(frame);
      observer.disconnect();
      done([frames, long]);
    });";

/// What was seen in one view.
#[derive(Default)]
struct Seen {
    frames: Vec<f64>,
    long: Vec<f64>,
    script: Figures,
    thread: Figures,
}

/// Looks at the canvas from afar, from near and from very near.
pub async fn run(table: &mut Table) -> Result<()> {
    let server = Server::start(&SETTINGS).await?;
    let keys = server.register(PAINTERS).await?;
    let page = Page { chrome: Chrome::start(Screen::Desk).await };
    let digest = server.digest().await?;
    for (view, hash) in VIEWS {
        page.visit(&format!("{}/{hash}", server.url)).await;
        let digest = digest.clone();
        let painting = Crowd::start(
            &server,
            "/api/pixels",
            &keys,
            REQUESTS_PER_SECOND,
            move |request| json!({"pixels": strokes(request), "chat_digest": digest}),
        );
        tokio::time::sleep(WARM).await;
        let seen = watch(&page).await?;
        let rate = painting.stop_if_kept()? * PIXELS_PER_REQUEST as f64;
        tell(view, seen, rate, table);
    }
    Ok(())
}

/// Somewhere else each time, in all colours.
fn strokes(request: usize) -> Vec<Value> {
    let first = request * PIXELS_PER_REQUEST;
    let places = (first..first + PIXELS_PER_REQUEST).map(|number| (number, number * STRIDE % (SIDE * SIDE)));
    places
        .map(|(number, place)| json!({"x": place % SIDE, "y": place / SIDE, "color": number % 16}))
        .collect()
}

async fn watch(page: &Page) -> Result<Seen> {
    let mut seen = Seen::default();
    for _ in 0..ROUNDS {
        let before = Metrics::of(&page.chrome).await;
        let told = page.chrome.run_until_done(WATCH, vec![json!(ROUND_MS)]).await.unwrap();
        let after = Metrics::of(&page.chrome).await;
        let (frames, long): (Vec<f64>, Vec<f64>) = serde_json::from_value(told)?;
        let per_frame = |name| 1_000.0 * (after.get(name) - before.get(name)) / frames.len() as f64;
        seen.script.add(per_frame("ScriptDuration"));
        seen.thread.add(per_frame("TaskDuration"));
        seen.frames.extend(frames);
        seen.long.extend(long);
    }
    Ok(seen)
}

fn tell(view: &str, mut seen: Seen, rate: f64, table: &mut Table) {
    let part = |frames: &mut [f64], part| number(percentile(frames, part));
    let notes = format!(
        "p95 {}, p99 {} ms; {} frames; {} tasks over 50 ms; {} changes/s",
        part(&mut seen.frames, 0.95),
        part(&mut seen.frames, 0.99),
        seen.frames.len(),
        seen.long.len(),
        number(rate),
    );
    let mut intervals = Figures::default();
    seen.frames.iter().for_each(|interval| intervals.add(*interval));
    table.add(row(format!("{view}: from frame to frame"), intervals, FRAME_MS, notes));
    let notes = format!("the main thread in all {} ms", number(seen.thread.median()));
    table.add(row(format!("{view}: our script in a frame"), seen.script, SCRIPT_MS, notes));
}

fn row(what: String, figures: Figures, most: f64, notes: String) -> Row {
    Row { what, here: "ms".to_owned(), baseline: None, figures, bar: Bar::AtMost(most), notes }
}
