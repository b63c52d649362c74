//! The work of drawing: thirty placements per second on the usual canvas, and views of a canvas of a million
//! pixels.

use std::time::Duration;

use anyhow::Result;
use platform::clock::monotonic_now;
use serde_json::{Value, json};

use crate::background_load::BackgroundLoad;
use crate::browser_usage::drawing_cpu_seconds;
use crate::chrome::{Chrome, Screen};
use crate::page::Page;
use crate::samples::Samples;
use crate::server::Server;
use crate::table::{Row, Table, Threshold, format_number};

const PAINTERS: usize = 40;
const PLACEMENTS_PER_SECOND: u32 = 30;
const ROUNDS: usize = 5;
const ROUND: Duration = Duration::from_secs(4);
/// Time until highlights and name tags are loaded, and code is compiled.
const WARMUP: Duration = Duration::from_secs(8);
const LARGE: [(&str, &str); 3] =
    [("CARAPLACE_CANVAS_WIDTH", "1000"), ("CARAPLACE_CANVAS_HEIGHT", "1000"), ("RUST_LOG", "error")];
const SIDE: usize = 1_000;
/// Requests of 250 pixels that fill the large canvas with noise, which costs most to scale.
const NOISE_REQUESTS: usize = 200;
const PIXELS_PER_REQUEST: usize = 250;
/// Coprime to the number of pixels, so that they are spread over the canvas.
const STRIDE: usize = 618_033;
const VISITS: usize = 3;
const WHEEL_STEPS: usize = 12;
const DRAG_STEPS: usize = 30;
const STEP: Duration = Duration::from_millis(30);
/// Records the tasks that Chromium calls long, over 50 ms. It runs before the page's own scripts.
const WATCH_SCRIPT: &str = "window.longTasks = [];
    new PerformanceObserver((list) => list.getEntries().forEach(({ duration }) => window.longTasks.push(duration)))
      .observe({ type: 'longtask', buffered: true });";

/// Measures both.
pub async fn run(table: &mut Table) -> Result<()> {
    measure_placements(table).await?;
    measure_large_canvas(table).await
}

async fn watching_page() -> Page {
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    page.chrome.devtools("Page.addScriptToEvaluateOnNewDocument", json!({"source": WATCH_SCRIPT})).await;
    page
}

/// Returns the long tasks since the last call, in milliseconds.
async fn take_long_tasks(page: &Page) -> Result<Vec<f64>> {
    Ok(serde_json::from_value(page.evaluate("window.longTasks.splice(0)").await)?)
}

async fn measure_placements(table: &mut Table) -> Result<()> {
    let server = Server::start(&[]).await?;
    let keys = server.register(PAINTERS).await?;
    let page = watching_page().await;
    page.visit(&server.url).await;
    let load = BackgroundLoad::start_placements(&server, &keys, PLACEMENTS_PER_SECOND).await?;
    tokio::time::sleep(WARMUP).await;
    take_long_tasks(&page).await?;
    let mut samples = Samples::default();
    for _ in 0..ROUNDS {
        let (cpu_before, started_at) = (drawing_cpu_seconds(page.chrome.pid()), monotonic_now());
        tokio::time::sleep(ROUND).await;
        let cpu = drawing_cpu_seconds(page.chrome.pid()) - cpu_before;
        samples.add(100.0 * cpu / started_at.elapsed().as_secs_f64());
    }
    let long_tasks = take_long_tasks(&page).await?;
    let rate = load.stop_at_planned_rate()?;
    let notes = format!(
        "renderer and GPU process, without a GPU; {} tasks over 50 ms; {} placements/s",
        long_tasks.len(),
        format_number(rate)
    );
    let name = format!("page at {PLACEMENTS_PER_SECOND} placements/s: CPU time");
    table.add(row(name, "% of a core", samples, 10.0, notes));
    Ok(())
}

/// Measures the longest task while the canvas is loaded, zoomed and moved.
async fn measure_large_canvas(table: &mut Table) -> Result<()> {
    let server = Server::start(&LARGE).await?;
    let keys = server.register(1).await?;
    let digest = server.digest().await?;
    for request in 0..NOISE_REQUESTS {
        let body = json!({"pixels": pixels_of_request(request), "chat_digest": digest});
        server.post_json("/api/pixels", &keys[0], &body).await?;
    }
    let page = watching_page().await;
    let (mut longest, mut count) = (Samples::default(), 0);
    for _ in 0..VISITS {
        page.visit(&server.url).await;
        move_view(&page).await;
        let long_tasks = take_long_tasks(&page).await?;
        count += long_tasks.len();
        longest.add(long_tasks.into_iter().fold(0.0, f64::max));
    }
    let notes = format!("0 is none over 50 ms; {count} in {VISITS} visits with zooming and moving");
    table.add(row("page of 1000×1000 pixels: longest task".to_owned(), "ms", longest, 50.0, notes));
    Ok(())
}

/// Returns pixels at different points for each request, in all colours but that of the blank canvas.
fn pixels_of_request(request: usize) -> Vec<Value> {
    let first = request * PIXELS_PER_REQUEST;
    let cells = (first..first + PIXELS_PER_REQUEST).map(|number| (number, number * STRIDE % (SIDE * SIDE)));
    cells
        .map(|(number, cell)| json!({"x": cell % SIDE, "y": cell / SIDE, "color": number % 15 + 1}))
        .collect()
}

/// Zooms in at the middle, drags, and shows the whole canvas again.
async fn move_view(page: &Page) {
    let center = "(({ left, top, width, height }) => [left + width / 2, top + height / 2])(one('#pixels').getBoundingClientRect())";
    let center = page.evaluate(center).await;
    let (x, y) = (center[0].as_f64().unwrap(), center[1].as_f64().unwrap());
    for _ in 0..WHEEL_STEPS {
        dispatch_mouse(page, json!({"type": "mouseWheel", "x": x, "y": y, "deltaX": 0, "deltaY": -120}))
            .await;
    }
    let pressed = |kind: &str, x: f64, y: f64| json!({"type": kind, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1});
    dispatch_mouse(page, pressed("mousePressed", x, y)).await;
    for step in 0..DRAG_STEPS {
        let moved = step as f64 * 8.0;
        dispatch_mouse(page, pressed("mouseMoved", x - moved, y - moved / 2.0)).await;
    }
    dispatch_mouse(page, pressed("mouseReleased", x, y)).await;
    page.evaluate("one('#zoom-fit').click()").await;
    tokio::time::sleep(Duration::from_secs(1)).await;
}

async fn dispatch_mouse(page: &Page, event: Value) {
    page.chrome.devtools("Input.dispatchMouseEvent", event).await;
    tokio::time::sleep(STEP).await;
}

fn row(name: String, unit: &str, samples: Samples, limit: f64, notes: String) -> Row {
    Row { name, unit: unit.to_owned(), baseline: None, samples, threshold: Threshold::AtMost(limit), notes }
}
