//! A canvas of a million pixels: it is decoded in a worker, and has the server's colours at any size.

use serde_json::{Value, json};

use super::chrome::{Chrome, Screen};
use super::fixtures::UNLIMITED;
use super::page::Page;
use super::support::Server;

const SIZE: [(&str, &str); 2] = [("CARAPLACE_CANVAS_WIDTH", "1000"), ("CARAPLACE_CANVAS_HEIGHT", "1000")];
const SIDE: i64 = 1_000;
/// Coprime to the number of pixels, so that placements are spread over the canvas.
const STRIDE: i64 = 618_033;
const REQUESTS: i64 = 16;
const PIXELS_PER_REQUEST: i64 = 250;
/// Records the workers that the page starts.
const WATCH_SCRIPT: &str = "window.workers = [];
    const NativeWorker = window.Worker;
    window.Worker = class extends NativeWorker {
      constructor(url, options) {
        super(url, options);
        window.workers.push(new URL(url, location.href).pathname);
      }
    };";
/// Compares every seventh device pixel with the mean of the cells that it covers. Returns the greatest
/// difference of a colour's part, or 255 while cells are larger than device pixels.
const MEANS_SCRIPT: &str = "(({ width, height, rows, palette }, { width: across, height: down }) => {
    if (across >= width) return 255;
    const { data } = one('#pixels').getContext('2d', { willReadFrequently: true }).getImageData(0, 0, across, down);
    const colors = palette.map(({ hex }) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)));
    const covered = (at, pixels, cells) => {
      const [from, to] = [at * cells / pixels, (at + 1) * cells / pixels], parts = [];
      for (let cell = Math.floor(from); cell < Math.min(to, cells); cell++) parts.push([cell, Math.min(to, cell + 1) - Math.max(from, cell)]);
      return parts;
    };
    let greatest = 0;
    for (let y = 0; y < down; y += 7) {
      for (let x = 0; x < across; x += 7) {
        const sum = [0, 0, 0];
        let weight = 0;
        for (const [row, tall] of covered(y, down, height)) {
          for (const [column, wide] of covered(x, across, width)) {
            weight += tall * wide;
            colors[parseInt(rows[row][column], 16)].forEach((part, at) => { sum[at] += part * tall * wide; });
          }
        }
        sum.forEach((part, at) => { greatest = Math.max(greatest, Math.abs(part / weight - data[(y * across + x) * 4 + at])); });
      }
    }
    return greatest;
  })(given, one('#pixels'))";

#[tokio::test]
async fn a_large_canvas_is_decoded_in_a_worker_and_a_small_one_is_not() {
    let server = Server::start_with(&[&UNLIMITED[..], &SIZE[..]].concat()).await;
    paint_noise(&server).await;
    let canvas = server.get("/api/canvas").await.body;
    let page = watching_page().await;
    page.visit(&server.url("/")).await;
    assert_is_exact(&page, &canvas).await;
    let workers = page.evaluate("window.workers").await;
    assert_eq!(workers.as_array().map(Vec::len), Some(1), "{workers}");

    let small = Server::start().await;
    page.visit(&small.url("/")).await;
    page.wait_until_with("same(given)", small.get("/api/canvas").await.body).await;
    assert_eq!(page.evaluate("window.workers").await, json!([]));
}

#[tokio::test]
async fn a_large_canvas_is_shown_without_a_worker_too() {
    let server = Server::start_with(&[&UNLIMITED[..], &SIZE[..]].concat()).await;
    paint_noise(&server).await;
    let canvas = server.get("/api/canvas").await.body;
    for script in
        ["delete window.Worker", "window.Worker = class { constructor() { throw new Error('none'); } }"]
    {
        let page = Page { chrome: Chrome::start(Screen::Desktop).await };
        page.chrome.devtools("Page.addScriptToEvaluateOnNewDocument", json!({"source": script})).await;
        page.visit(&server.url("/")).await;
        assert_is_exact(&page, &canvas).await;
    }
}

#[tokio::test]
async fn placements_reach_a_large_canvas_in_place() {
    let server = Server::start_with(&[&UNLIMITED[..], &SIZE[..]].concat()).await;
    let page = watching_page().await;
    // On a larger screen each cell is one device pixel.
    page.chrome.emulate_screen(1900, 1300, false).await;
    page.visit(&server.url("/")).await;
    page.wait_until("one('#pixels').width === 1000").await;
    paint_noise(&server).await;
    page.wait_until_with("same(given)", server.get("/api/canvas").await.body).await;
}

async fn watching_page() -> Page {
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    page.chrome.devtools("Page.addScriptToEvaluateOnNewDocument", json!({"source": WATCH_SCRIPT})).await;
    page
}

/// Waits until every device pixel has the mean of its cells: the canvas is exact as soon as nothing moves.
async fn assert_is_exact(page: &Page, canvas: &Value) {
    page.wait_until_with(&format!("{MEANS_SCRIPT} <= 1"), canvas.clone()).await;
}

async fn paint_noise(server: &Server) {
    let agent = server.register_agent("Brushtail").await;
    let digest = server.digest().await;
    for request in 0..REQUESTS {
        let numbers = request * PIXELS_PER_REQUEST..(request + 1) * PIXELS_PER_REQUEST;
        let cells = numbers.map(|number| (number, number * STRIDE % (SIDE * SIDE)));
        let pixels: Vec<_> = cells
            .map(|(number, cell)| json!({"x": cell % SIDE, "y": cell / SIDE, "color": number % 15 + 1}))
            .collect();
        let reply = agent.post("/api/pixels", json!({"pixels": pixels, "chat_digest": digest})).await;
        assert_eq!(reply.status, 201, "{}", reply.body);
    }
}
