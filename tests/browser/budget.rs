//! What a first view may cost. Only what no busy machine can change is asserted; `make page` tells the times.

use serde_json::{Value, json};

use super::chrome::{Chrome, Screen};
use super::page::Page;
use super::world::busy;

/// All that is sent, compressed, with every header.
const MOST_BYTES: f64 = 100_000.0;
/// Writes down when the canvas was first seen, and everything that moved.
const WATCH: &str = include_str!("watch.js");

#[tokio::test]
async fn first_view_is_small_and_requests_the_canvas_before_its_modules_load() {
    let (server, _) = busy().await;
    let page = watched().await;
    page.visit(&server.url("/")).await;
    let mut sizes = page.chrome.transfers(&server.url("/")).await;
    sizes.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    let bytes: f64 = sizes.iter().map(|(_, size)| size).sum();
    assert!((20_000.0..MOST_BYTES).contains(&bytes), "{bytes} bytes: {sizes:?}");
    let loads = page.ask("performance.getEntriesByType('resource').map(({ name, startTime, responseEnd }) => [new URL(name).pathname, startTime, responseEnd])").await;
    let loads: Vec<(String, f64, f64)> = serde_json::from_value(loads).unwrap();
    let canvas: Vec<_> = loads.iter().filter(|(path, ..)| path == "/api/canvas").collect();
    let (_, _, scripts) = loads.iter().find(|(path, ..)| path == "/js/main.js").unwrap();
    assert_eq!(canvas.len(), 1, "{loads:#?}");
    assert!(canvas[0].1 < *scripts, "{loads:#?}");
}

#[tokio::test]
async fn layout_does_not_shift_after_first_paint() {
    let (server, _) = busy().await;
    let agent = server.agent("Latecomer").await;
    let page = watched().await;
    let mut moved = Vec::new();
    for (width, height, touched) in [(1440, 900, false), (768, 1024, true), (390, 844, true)] {
        page.chrome.hold(width, height, touched).await;
        page.visit(&server.url("/")).await;
        page.until("document.fonts.status === 'loaded'").await;
        for number in 0..3 {
            let words = format!("I come late, {number} at {width}.");
            assert_eq!(agent.paint(number, 3, 7).await.status, 201);
            assert_eq!(agent.say(&words).await.status, 201);
            page.until_with("text('#messages .msg:last-child .msg-body') === given", json!(words)).await;
        }
        // The page's second look at the chat, after which it only listens.
        page.until("performance.getEntriesByType('resource').filter(({ name }) => name.includes('/api/chat?')).length > 1").await;
        page.settle().await;
        let shifts: Vec<Value> = serde_json::from_value(page.ask("window.moved").await).unwrap();
        moved.extend(shifts.into_iter().map(|shift| (width, shift)));
    }
    assert!(moved.is_empty(), "{moved:#?}");
}

async fn watched() -> Page {
    let page = Page { chrome: Chrome::start(Screen::Desk).await };
    page.chrome.devtools("Page.addScriptToEvaluateOnNewDocument", json!({"source": WATCH})).await;
    page
}
