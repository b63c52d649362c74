//! The frame rate of the page with a million pixels of which ten thousand change per second.

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

/// Slow requests are not logged, because the machine is also loaded by the browser.
const SETTINGS: [(&str, &str); 3] =
    [("CARAPLACE_CANVAS_WIDTH", "1000"), ("CARAPLACE_CANVAS_HEIGHT", "1000"), ("RUST_LOG", "error")];
const SIDE: usize = 1_000;
const PAINTERS: usize = 10;
const REQUESTS_PER_SECOND: u32 = 40;
const PIXELS_PER_REQUEST: usize = 250;
/// Coprime to the canvas' size, so that placements are spread over it and return to a pixel as late as
/// possible.
const STRIDE: usize = 618_033;
/// The views with their addresses.
const VIEWS: [(&str, &str); 3] =
    [("whole canvas", ""), ("4×", "#x=500&y=500&z=4"), ("16×", "#x=500&y=500&z=16")];
const ROUNDS: usize = 5;
const ROUND_MS: u32 = 2_000;
/// Time until code is compiled and the page has loaded the chat a second time.
const WARMUP: Duration = Duration::from_secs(4);
/// Sixty frames per second, with 0.1 ms tolerance for the clock.
const FRAME_MS: f64 = 16.8;
/// Maximum time of our own script per frame.
const SCRIPT_MS: f64 = 2.0;
/// Records the times between frames, and the tasks that Chromium calls long, over 50 ms.
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

/// The measurements of one view.
#[derive(Default)]
struct FrameSamples {
    frame_ms: Vec<f64>,
    long_tasks_ms: Vec<f64>,
    script_ms: Samples,
    main_thread_ms: Samples,
}

/// Measures the whole canvas and two zoom levels.
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

/// Returns pixels at different points for each request, in all colours.
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
    table.add(row(format!("{view}: time between frames"), intervals, FRAME_MS, notes));
    let notes = format!("main thread {} ms", format_number(samples.main_thread_ms.median()));
    table.add(row(format!("{view}: script time per frame"), samples.script_ms, SCRIPT_MS, notes));
}

fn row(name: String, samples: Samples, limit: f64, notes: String) -> Row {
    Row { name, unit: "ms".to_owned(), baseline: None, samples, threshold: Threshold::AtMost(limit), notes }
}
