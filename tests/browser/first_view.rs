//! The cost of a first view. Only what does not depend on the machine is asserted; `make page` measures the
//! times.

use std::collections::BTreeSet;

use reqwest::Url;
use serde_json::{Value, json};

use super::chrome::{Chrome, Screen};
use super::fixtures::populated_server;
use super::page::Page;
use super::support::Server;

/// Maximum size of all responses, compressed and with headers.
const MAX_BYTES: f64 = 100_000.0;
/// Records when the canvas was first visible, and all layout shifts.
const WATCH_SCRIPT: &str = include_str!("watch.js");
/// The reads of the first view.
const FIRST_READS: [&str; 5] =
    ["/api/canvas", "/api/chat", "/api/events", "/api/pixels/recent", "/api/stats"];

#[tokio::test]
async fn first_view_is_small_and_requests_the_canvas_before_its_modules_load() {
    let (server, _) = populated_server().await;
    let page = page_with_watch_script().await;
    for (path, entry) in [("/", "/js/main.js"), ("/seasons/1", "/js/archive.js")] {
        assert_small_first_view(&page, &server, path, entry).await;
    }
}

async fn assert_small_first_view(page: &Page, server: &Server, path: &str, entry: &str) {
    page.chrome.devtools("Network.clearBrowserCache", json!({})).await;
    page.visit(&server.url(path)).await;
    let mut sizes = page.chrome.take_transfers(&server.url("/")).await;
    // What the page loads a second later may be among them on a slow machine.
    let html = String::from_utf8(server.get(path).await.bytes).unwrap();
    let modules = imported_modules(entry);
    sizes.retain(|(url, _)| {
        let address = &url[server.url("").len()..];
        let loaded = address.split('?').next().unwrap_or(address);
        loaded == path
            || FIRST_READS.contains(&loaded)
            || modules.contains(loaded)
            || html.contains(&format!("=\"{loaded}\""))
    });
    sizes.sort_by(|(_, left), (_, right)| right.total_cmp(left));
    let bytes: f64 = sizes.iter().map(|(_, size)| size).sum();
    assert!((20_000.0..MAX_BYTES).contains(&bytes), "{path}: {bytes} bytes: {sizes:?}");
    let loads = page.evaluate("performance.getEntriesByType('resource').map(({ name, startTime, responseEnd }) => [new URL(name).pathname, startTime, responseEnd])").await;
    let loads: Vec<(String, f64, f64)> = serde_json::from_value(loads).unwrap();
    let canvas: Vec<_> = loads.iter().filter(|(path, ..)| path == "/api/canvas").collect();
    let (_, _, script_loaded_at) = loads.iter().find(|(path, ..)| path == entry).unwrap();
    assert_eq!(canvas.len(), 1, "{loads:#?}");
    assert!(canvas[0].1 < *script_loaded_at, "{loads:#?}");
}

/// Returns the paths of the modules that a module imports statically, directly or through others, and its own.
fn imported_modules(entry: &str) -> BTreeSet<String> {
    let (mut found, mut unread) = (BTreeSet::new(), vec![entry.to_owned()]);
    while let Some(path) = unread.pop() {
        let text = std::fs::read_to_string(format!("public{path}")).unwrap();
        let folder = Url::parse("http://page").unwrap().join(&path).unwrap();
        let imports =
            text.split(" from '").skip(1).filter_map(|rest| rest.split_once("';").map(|(name, _)| name));
        unread.extend(
            imports
                .map(|name| folder.join(name).unwrap().path().to_owned())
                .filter(|name| !found.contains(name)),
        );
        found.insert(path);
    }
    found
}

#[tokio::test]
async fn layout_does_not_shift_after_first_paint() {
    let (server, _) = populated_server().await;
    let agent = server.register_agent("Latecomer").await;
    let page = page_with_watch_script().await;
    let mut shifts_by_width = Vec::new();
    for (width, height, is_touch) in [(1440, 900, false), (768, 1024, true), (390, 844, true)] {
        page.chrome.emulate_screen(width, height, is_touch).await;
        page.visit(&server.url("/")).await;
        page.wait_until("document.fonts.status === 'loaded'").await;
        for number in 0..3 {
            let text = format!("I come late, {number} at {width}.");
            assert_eq!(agent.paint(number, 3, 7).await.status, 201);
            assert_eq!(agent.post_message(&text).await.status, 201);
            page.wait_until_with("text('#messages .msg:last-child .msg-body') === given", json!(text)).await;
        }
        // The page loads the chat a second time, and from then on only listens to the stream.
        page.wait_until("performance.getEntriesByType('resource').filter(({ name }) => name.includes('/api/chat?')).length > 1").await;
        page.wait_for_paint().await;
        let shifts: Vec<Value> = serde_json::from_value(page.evaluate("window.moved").await).unwrap();
        shifts_by_width.extend(shifts.into_iter().map(|shift| (width, shift)));
    }
    assert!(shifts_by_width.is_empty(), "{shifts_by_width:#?}");
}

async fn page_with_watch_script() -> Page {
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    page.chrome.devtools("Page.addScriptToEvaluateOnNewDocument", json!({"source": WATCH_SCRIPT})).await;
    page
}
