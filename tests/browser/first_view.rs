//! The cost of a first view, and what it shows before its script runs. Only what does not depend on the
//! machine is asserted; `make page` measures the times.

use serde_json::{Value, json};

use super::chrome::{Chrome, Screen};
use super::fixtures::populated_server;
use super::page::Page;
use super::support::Server;

/// The most requests of a first view, and their largest size, compressed and with headers.
const MAX_REQUESTS: usize = 12;
const MAX_BYTES: f64 = 100_000.0;
/// The most tries of each view.
const MAX_VISITS: usize = 5;
/// The same of a repeated view, whose files are in the browser's cache.
const MAX_REPEATED_REQUESTS: usize = 4;
const MAX_REPEATED_BYTES: f64 = 15_000.0;
/// Records when the canvas was first visible, and all layout shifts.
const WATCH_SCRIPT: &str = include_str!("watch.js");
/// True when the page has loaded all that it loads without being asked.
const SETTLED: &str = "live() && one('#time').hasAttribute('data-ready') && document.documentElement.hasAttribute('data-serif') && \
    one('#plan-outlines').ariaPressed === 'true' && document.fonts.status === 'loaded'";
/// The messages of the page, and what else it shows.
const WITHOUT_SCRIPT: &str = "[[...document.querySelectorAll('#messages .msg-body')].map(({ textContent }) => textContent), one('#picture').naturalWidth > 0, \
    text('#season-title'), /^[1-9]/.test(text('#fact-pixels')), shown('#painters a'), live()]";
/// A page whose scripts are disabled: its messages, whether the newest one is in sight in the log and nothing
/// covers the picture, the number of links in the header that nothing covers, and the controls that do
/// nothing. The log can be scrolled, and folded messages can be opened.
const WITH_SCRIPTS_DISABLED: &str = "({
    messages: [...document.querySelectorAll('#messages .msg-body')].filter(visible).map(({ textContent }) => textContent),
    hasNewest: [...document.querySelectorAll('#messages .msg')].pop().getBoundingClientRect().bottom <= one('#log').getBoundingClientRect().bottom + 1,
    hasPicture: one('#picture').naturalWidth > 0 && reachable(one('#picture')),
    links: [...document.querySelectorAll('.canvas-header .site-links a')].filter((link) => visible(link) && reachable(link)).length,
    dead: controls().filter((node) => !node.matches('a[href], #log, summary')).map(describe),
})";

#[tokio::test]
async fn first_view_takes_few_requests_and_a_repeated_one_only_data() {
    let (server, _) = populated_server().await;
    let page = Page { chrome: Chrome::with_network_log(Screen::Desktop).await };
    let first = smallest_visit(MAX_REQUESTS, async || {
        page.chrome.devtools("Network.clearBrowserCache", json!({})).await;
        visit(&page, &server).await
    })
    .await;
    let bytes: f64 = first.iter().map(|(_, size)| size).sum();
    assert!(first.len() <= MAX_REQUESTS && (20_000.0..MAX_BYTES).contains(&bytes), "{bytes}: {first:#?}");
    let count = |path: &str| {
        let address = server.url(path);
        first.iter().filter(|(url, _)| url.split('?').next() == Some(&address)).count()
    };
    let requested = ["/api/canvas.png", "/api/canvas", "/api/chat"];
    assert_eq!(requested.map(count), [1, 1, 0], "{first:#?}");

    let repeated = smallest_visit(MAX_REPEATED_REQUESTS, async || {
        let mut requests = visit(&page, &server).await;
        // The stream has no end, and so no size.
        requests.retain(|(url, size)| *size > 0.0 || url.contains("/api/events"));
        requests
    })
    .await;
    let bytes: f64 = repeated.iter().map(|(_, size)| size).sum();
    assert!(repeated.len() <= MAX_REPEATED_REQUESTS && bytes <= MAX_REPEATED_BYTES, "{bytes}: {repeated:#?}");
}

/// Returns the requests of the smallest of a few visits: a slow machine renders the page without parts that
/// the script then requests.
async fn smallest_visit(
    max_requests: usize,
    visit: impl AsyncFn() -> Vec<(String, f64)>,
) -> Vec<(String, f64)> {
    let mut visits = Vec::new();
    for _ in 0..MAX_VISITS {
        visits.push(visit().await);
        if visits.last().is_some_and(|requests| requests.len() <= max_requests) {
            break;
        }
    }
    visits.into_iter().min_by_key(Vec::len).unwrap()
}

/// Opens the canvas page, and returns its requests with their sizes.
async fn visit(page: &Page, server: &Server) -> Vec<(String, f64)> {
    page.chrome.take_log("performance").await;
    page.visit(&server.url("/")).await;
    page.wait_until(SETTLED).await;
    page.wait_for_paint().await;
    page.chrome.take_transfers(&server.url("/")).await
}

#[tokio::test]
async fn page_shows_picture_messages_and_numbers_without_its_script() {
    let (server, _) = populated_server().await;
    let agent = server.register_agent("Latecomer").await;
    agent.earn_message_credits().await;
    assert_eq!(agent.post_message("Said <b>before</b> the script.").await.status, 201);
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    page.block_urls(&["*/assets/main*"]).await;
    page.chrome.goto(&server.url("/")).await;
    page.wait_until("one('#picture').naturalWidth > 0").await;
    let [messages, picture, title, pixels, painters, is_live] =
        serde_json::from_value::<[Value; 6]>(page.evaluate(WITHOUT_SCRIPT).await).unwrap();
    let messages: Vec<String> = serde_json::from_value(messages).unwrap();
    assert!(messages.contains(&"Said <b>before</b> the script.".to_owned()), "{messages:?}");
    assert!(messages.len() <= 10, "{messages:?}");
    assert_eq!(json!([picture, pixels, painters, is_live]), json!([true, true, true, false]));
    assert!(!title.as_str().unwrap().trim().is_empty());
    page.block_urls(&[]).await;
    page.visit(&server.url("/")).await;
    page.wait_until("live() && !one('#picture')").await;
    page.wait_until_with("same(given)", server.get("/api/canvas").await.body).await;
}

#[tokio::test]
async fn pages_with_scripts_disabled_show_their_content_and_no_dead_tool() {
    let (server, _) = populated_server().await;
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    page.chrome.devtools("Emulation.setScriptExecutionDisabled", json!({"value": true})).await;
    let agent = server.register_agent("Latecomer").await;
    assert_eq!(agent.post_message("Said without a script.").await.status, 201);
    let expected_messages = [("/", "Said without a script."), ("/seasons/1", "That was my corner.")];
    for (width, height, is_touch) in [(1440, 900, false), (390, 844, true)] {
        page.chrome.emulate_screen(width, height, is_touch).await;
        for (path, message) in expected_messages {
            page.chrome.goto(&server.url(path)).await;
            let shown = page.evaluate_without_scripts(WITH_SCRIPTS_DISABLED).await;
            let messages = shown["messages"].as_array().unwrap();
            assert!(messages.contains(&json!(message)), "{path} at {width}: {shown:#}");
            assert_eq!(
                (&shown["hasNewest"], &shown["hasPicture"]),
                (&json!(true), &json!(true)),
                "{path} at {width}"
            );
            assert!(shown["links"].as_u64().unwrap() >= 5, "{path} at {width}: {shown:#}");
            assert_eq!(shown["dead"], json!([]), "{path} at {width}");
        }
    }
}

#[tokio::test]
async fn what_happens_after_the_page_was_rendered_is_shown() {
    let server = Server::start_with(&[("CARAPLACE_CHARGE_SECONDS", "0")]).await;
    let agent = server.register_agent("Brushtail").await;
    agent.earn_message_credits().await;
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    page.block_urls(&["*/assets/main*"]).await;
    page.chrome.goto(&server.url("/")).await;
    let html = page.evaluate("document.documentElement.outerHTML").await;
    assert!(!html.as_str().unwrap().contains("After the rendering."));
    // The script runs with a state that is older than these.
    assert_eq!(agent.paint(3, 4, 5).await.status, 201);
    assert_eq!(agent.post_message("After the rendering.").await.status, 201);
    page.block_urls(&[]).await;
    page.evaluate("(() => { const script = document.createElement('script'); script.type = 'module'; script.src = `${one('script[type=module]').src}?again`; document.head.append(script); })()").await;
    page.wait_until("live()").await;
    page.wait_until_with("same(given)", server.get("/api/canvas").await.body).await;
    page.wait_until("text('#messages .msg:last-child .msg-body') === 'After the rendering.'").await;
}

#[tokio::test]
async fn layout_does_not_shift_after_first_paint() {
    let (server, _) = populated_server().await;
    let agent = server.register_agent("Latecomer").await;
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    page.chrome.devtools("Page.addScriptToEvaluateOnNewDocument", json!({"source": WATCH_SCRIPT})).await;
    let mut shifts_by_width = Vec::new();
    for (width, height, is_touch) in [(1440, 900, false), (768, 1024, true), (390, 844, true)] {
        page.chrome.emulate_screen(width, height, is_touch).await;
        page.visit(&server.url("/")).await;
        page.wait_until("document.documentElement.hasAttribute('data-serif')").await;
        for number in 0..3 {
            let text = format!("I come late, {number} at {width}.");
            assert_eq!(agent.paint(number, 3, 7).await.status, 201);
            assert_eq!(agent.post_message(&text).await.status, 201);
            page.wait_until_with("text('#messages .msg:last-child .msg-body') === given", json!(text)).await;
        }
        page.wait_until("one('#time').hasAttribute('data-ready')").await;
        page.wait_for_paint().await;
        let shifts: Vec<Value> = serde_json::from_value(page.evaluate("window.moved").await).unwrap();
        shifts_by_width.extend(shifts.into_iter().map(|shift| (width, shift)));
    }
    assert!(shifts_by_width.is_empty(), "{shifts_by_width:#?}");
}
