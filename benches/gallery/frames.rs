//! Whether the page stays smooth before a million pixels of which ten thousand change a second.

use std::time::Duration;

use anyhow::Result;
use serde_json::{Value, json};

use crate::background_load::BackgroundLoad;
use crate::chrome::{Chrome, Screen};
use crate::metrics::Metrics;
use crate::page::Page;
use crate::samples::{Samples, percentile};
use crate::server::Server;
use crate::table::{Row, Table, Threshold, format_number};

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
const WARMUP: Duration = Duration::from_secs(4);
/// The screen's own sixty frames a second, with a tenth of a millisecond for the clock.
const FRAME_MS: f64 = 16.8;
/// What our own script may take of a frame.
const SCRIPT_MS: f64 = 2.0;
/// The times between frames, and the tasks that Chromium calls long, over 50 ms.
const WATCH_SCRIPT: &str = "const [ms, done] = arguments, frames = [], long = [];
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
struct FrameSamples {
    frame_ms: Vec<f64>,
    long_tasks_ms: Vec<f64>,
    script_ms: Samples,
    main_thread_ms: Samples,
}

/// Looks at the canvas from afar, from near and from very near.
pub async fn run(table: &mut Table) -> Result<()> {
    let server = Server::start(&SETTINGS).await?;
    let keys = server.register(PAINTERS).await?;
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    let digest = server.digest().await?;
    for (view, hash) in VIEWS {
        page.visit(&format!("{}/{hash}", server.url)).await;
        let digest = digest.clone();
        let load = BackgroundLoad::start(
            &server,
            "/api/pixels",
            &keys,
            REQUESTS_PER_SECOND,
            move |request| json!({"pixels": pixels_of_request(request), "chat_digest": digest}),
        );
        tokio::time::sleep(WARMUP).await;
        let samples = measure_frames(&page).await?;
        let rate = load.stop_at_planned_rate()? * PIXELS_PER_REQUEST as f64;
        add_rows(view, samples, rate, table);
    }
    Ok(())
}

/// Somewhere else each time, in all colours.
fn pixels_of_request(request: usize) -> Vec<Value> {
    let first = request * PIXELS_PER_REQUEST;
    let cells = (first..first + PIXELS_PER_REQUEST).map(|number| (number, number * STRIDE % (SIDE * SIDE)));
    cells.map(|(number, cell)| json!({"x": cell % SIDE, "y": cell / SIDE, "color": number % 16})).collect()
}

async fn measure_frames(page: &Page) -> Result<FrameSamples> {
    let mut samples = FrameSamples::default();
    for _ in 0..ROUNDS {
        let metrics_before = Metrics::fetch(&page.chrome).await;
        let result = page.chrome.run_async(WATCH_SCRIPT, vec![json!(ROUND_MS)]).await.unwrap();
        let metrics_after = Metrics::fetch(&page.chrome).await;
        let (frames, long_tasks): (Vec<f64>, Vec<f64>) = serde_json::from_value(result)?;
        let per_frame =
            |name| 1_000.0 * (metrics_after.get(name) - metrics_before.get(name)) / frames.len() as f64;
        samples.script_ms.add(per_frame("ScriptDuration"));
        samples.main_thread_ms.add(per_frame("TaskDuration"));
        samples.frame_ms.extend(frames);
        samples.long_tasks_ms.extend(long_tasks);
    }
    Ok(samples)
}

fn add_rows(view: &str, mut samples: FrameSamples, rate: f64, table: &mut Table) {
    let percentile_text = |frames: &mut [f64], part| format_number(percentile(frames, part));
    let notes = format!(
        "p95 {}, p99 {} ms; {} frames; {} tasks over 50 ms; {} changes/s",
        percentile_text(&mut samples.frame_ms, 0.95),
        percentile_text(&mut samples.frame_ms, 0.99),
        samples.frame_ms.len(),
        samples.long_tasks_ms.len(),
        format_number(rate),
    );
    let mut intervals = Samples::default();
    samples.frame_ms.iter().for_each(|interval| intervals.add(*interval));
    table.add(row(format!("{view}: from frame to frame"), intervals, FRAME_MS, notes));
    let notes = format!("the main thread in all {} ms", format_number(samples.main_thread_ms.median()));
    table.add(row(format!("{view}: our script in a frame"), samples.script_ms, SCRIPT_MS, notes));
}

fn row(name: String, samples: Samples, limit: f64, notes: String) -> Row {
    Row { name, unit: "ms".to_owned(), baseline: None, samples, threshold: Threshold::AtMost(limit), notes }
}
