//! A page whose server goes away reports it, and reconnects by itself.

use std::net::SocketAddr;

use platform::config::Config;

use caraplace::server::running_server::RunningServer;
use serde_json::json;
use sqlx::ConnectOptions as _;

use super::chrome::{Chrome, Screen};
use super::page::Page;
use super::support::Server;

#[tokio::test]
async fn stopped_server_is_shown_as_not_live_and_page_recovers_exactly() {
    let server = Server::start_with(&[("CARAPLACE_CHARGE_SECONDS", "0")]).await;
    let agent = server.register_agent("Brushtail").await;
    agent.earn_message_credits().await;
    let instance = start_instance(&server, ([127, 0, 0, 1], 0).into()).await;
    let address = instance.address;
    let page = Page::open(&format!("http://{address}/"), Screen::Desktop).await;
    page.evaluate("window.neverReloaded = true").await;
    let canvas_before = server.get("/api/canvas").await.body;
    page.wait_until_with("same(given)", canvas_before.clone()).await;

    page.wait_until("one('#time-slider').getAttribute('aria-valuetext') === 'Now, live'").await;
    instance.stop().await;
    page.wait_until("!live() && text('#status').trim() === 'Not live'").await;
    page.wait_until("shown('#notice') && text('#notice').startsWith('Not live.')").await;
    page.wait_until("one('#canvas-area').hasAttribute('data-stale')").await;
    assert_eq!(page.evaluate("text('#fact-watching')").await, "–");
    page.wait_until("one('#time-slider').getAttribute('aria-valuetext') === 'Now, not live'").await;
    assert_eq!(page.evaluate("text('#painters-title')").await, "Painted last");

    // Agents continue on another instance. The page must show their changes only after it has reconnected.
    let digest = server.digest().await;
    let pixels: Vec<_> = (0..9).map(|step| json!({"x": 60 + step, "y": 50 + step, "color": step})).collect();
    assert_eq!(agent.post("/api/pixels", json!({"pixels": pixels, "chat_digest": digest})).await.status, 201);
    assert_eq!(agent.post_message("Said while nobody watched.").await.status, 201);
    assert_eq!(page.evaluate_with("same(given) && !live()", canvas_before).await, true);

    let restarted = start_instance(&server, address).await;
    page.wait_until("live()").await;
    page.wait_until_with("same(given)", server.get("/api/canvas").await.body).await;
    page.wait_until("text('#messages .msg:last-child .msg-body') === 'Said while nobody watched.'").await;
    page.wait_until("!shown('#notice') && !one('#canvas-area').hasAttribute('data-stale')").await;
    assert_eq!(page.evaluate("window.neverReloaded").await, true);
    drop(page);
    restarted.stop().await;
}

#[tokio::test]
async fn server_without_database_is_shown_as_not_live() {
    let server = Server::start().await;
    let page = Page::open(&server.url("/"), Screen::Desktop).await;
    page.wait_until("live()").await;
    let outage = server.start_outage().await;
    page.wait_until("!live() && text('#status').trim() === 'Not live'").await;
    outage.end().await;
    page.wait_until("live() && text('#status').trim() === 'Live'").await;
}

/// Waits until the page has loaded its tools.
async fn wait_for_tools(page: &Page) {
    page.wait_until("[...document.querySelectorAll('link')].some(({ href, sheet }) => href.includes('/assets/tools-') && sheet)").await;
    page.wait_until("performance.getEntriesByType('resource').some(({ name, responseEnd }) => name.includes('/assets/tools-') && name.endsWith('.js') && responseEnd)").await;
}

#[tokio::test]
async fn tools_are_loaded_after_20_seconds_without_an_action() {
    let server = Server::start().await;
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    // A timer of 20 seconds ends at once.
    let source = "{ const wait = window.setTimeout; window.setTimeout = (act, delay, ...rest) => wait(act, delay === 20_000 ? 0 : delay, ...rest); }";
    page.chrome.devtools("Page.addScriptToEvaluateOnNewDocument", json!({"source": source})).await;
    page.visit(&server.url("/")).await;
    wait_for_tools(&page).await;
}

#[tokio::test]
async fn lazy_modules_are_available_after_the_server_stops() {
    let server = Server::start().await;
    let page = Page::open(&server.url("/"), Screen::Desktop).await;
    // The visitor's first movement loads the tools.
    page.evaluate("window.dispatchEvent(new PointerEvent('pointermove'))").await;
    wait_for_tools(&page).await;
    page.wait_for_paint().await;
    page.chrome.set_online(false).await;
    page.wait_until("!live()").await;
    page.evaluate("one('#help').click()").await;
    page.wait_until("shown('dialog[open]')").await;
    page.evaluate("location.hash = 'pixel=3.3'").await;
    page.wait_until("text('#inspect').includes('did not load')").await;
    page.wait_until("getComputedStyle(one('#inspect')).position === 'fixed'").await;
}

#[tokio::test]
async fn failed_load_is_reported_and_time_bar_loads_after_reconnect() {
    let server = Server::start().await;
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    page.block_urls(&["*/assets/tools-*", "*/assets/later-*"]).await;
    page.visit(&server.url("/")).await;
    page.evaluate("one('#help').click()").await;
    page.wait_until("shown('#notice') && text('#notice').startsWith('A part of the page did not load.')")
        .await;
    page.wait_until(
        "performance.getEntriesByType('resource').some(({ name }) => name.includes('/assets/later-'))",
    )
    .await;
    page.block_urls(&[]).await;
    page.chrome.set_online(false).await;
    page.wait_until("!live()").await;
    page.chrome.set_online(true).await;
    page.wait_until("live() && one('#time').hasAttribute('data-ready')").await;
    // Browsers do not retry a module that failed to load, so the page asks for it at another address.
    page.evaluate("one('#help').click()").await;
    page.wait_until("shown('dialog[open]')").await;
}

/// Starts another instance on the same database, which can be stopped for any time.
async fn start_instance(server: &Server, listen: SocketAddr) -> RunningServer {
    let config = Config::read(|name| match name {
        "CARAPLACE_LISTEN" => Some(listen.to_string()),
        _ => None,
    });
    let database_url = server.pool.connect_options().to_url_lossy();
    RunningServer::start(config.unwrap(), database_url.as_str(), server.clock.clone()).await.unwrap()
}
