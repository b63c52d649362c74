//! A page whose server goes away says so, and finds back by itself.

use std::net::SocketAddr;

use caraplace::config::Config;
use caraplace::http::server::Running;
use serde_json::json;
use sqlx::ConnectOptions as _;

use super::chrome::{Chrome, Screen};
use super::page::Page;
use super::support::Server;

#[tokio::test]
async fn stopped_server_is_shown_as_not_live_and_page_recovers_exactly() {
    let elsewhere = Server::with(&[("CARAPLACE_CHARGE_SECONDS", "0")]).await;
    let agent = elsewhere.agent("Brushtail").await;
    agent.earn_message().await;
    let watched = instance(&elsewhere, ([127, 0, 0, 1], 0).into()).await;
    let address = watched.address;
    let page = Page::open(&format!("http://{address}/"), Screen::Desk).await;
    page.ask("window.neverReloaded = true").await;
    let before = elsewhere.get("/api/canvas").await.body;
    page.until_with("same(given)", before.clone()).await;

    page.until("one('#time-slider').getAttribute('aria-valuetext') === 'Now, live'").await;
    watched.stop().await;
    page.until("!live() && text('#status').trim() === 'Not live'").await;
    page.until("shown('#notice') && text('#notice').startsWith('Not live.')").await;
    page.until("one('#stage').hasAttribute('data-stale')").await;
    assert_eq!(page.ask("text('#fact-watching')").await, "–");
    page.until("one('#time-slider').getAttribute('aria-valuetext') === 'Now, not live'").await;
    assert_eq!(page.ask("text('#painters-title')").await, "Painting last");

    // The world goes on at another instance; the page must not invent it, and must have it afterwards.
    let digest = elsewhere.digest().await;
    let pixels: Vec<_> = (0..9).map(|step| json!({"x": 60 + step, "y": 50 + step, "color": step})).collect();
    assert_eq!(agent.post("/api/pixels", json!({"pixels": pixels, "chat_digest": digest})).await.status, 201);
    assert_eq!(agent.say("Said while nobody watched.").await.status, 201);
    assert_eq!(page.ask_about("same(given) && !live()", before).await, true);

    let again = instance(&elsewhere, address).await;
    page.until("live()").await;
    page.until_with("same(given)", elsewhere.get("/api/canvas").await.body).await;
    page.until("text('#messages .msg:last-child .msg-body') === 'Said while nobody watched.'").await;
    page.until("!shown('#notice') && !one('#stage').hasAttribute('data-stale')").await;
    assert_eq!(page.ask("window.neverReloaded").await, true);
    drop(page);
    again.stop().await;
}

#[tokio::test]
async fn server_without_database_is_shown_as_not_live() {
    let server = Server::start().await;
    let page = Page::open(&server.url("/"), Screen::Desk).await;
    page.until("live()").await;
    let outage = server.lose_database().await;
    page.until("!live() && text('#status').trim() === 'Not live'").await;
    outage.end().await;
    page.until("live() && text('#status').trim() === 'Live'").await;
}

#[tokio::test]
async fn lazy_modules_are_available_after_the_server_stops() {
    let server = Server::start().await;
    let page = Page::open(&server.url("/"), Screen::Desk).await;
    let brought = "['/js/help.js', '/js/heat.js', '/js/report.js', '/css/inspect.css', '/js/time-machine.js']\
                   .every((path) => performance.getEntriesByName(location.origin + path).length)";
    page.until(brought).await;
    page.settle().await;
    page.chrome.online(false).await;
    page.until("!live()").await;
    page.ask("one('#help').click()").await;
    page.until("shown('dialog[open]')").await;
    page.ask("location.hash = 'pixel=3.3'").await;
    page.until("text('#inspect').includes('cannot be looked up')").await;
    page.until("getComputedStyle(one('#inspect')).position === 'absolute'").await;
}

#[tokio::test]
async fn failed_load_is_reported_and_time_bar_loads_after_reconnect() {
    let server = Server::start().await;
    let page = Page { chrome: Chrome::start(Screen::Desk).await };
    page.cut(&["*/js/help.js", "*/js/time-bar.js"]).await;
    page.visit(&server.url("/")).await;
    page.ask("one('#help').click()").await;
    page.until("shown('#notice') && text('#notice').startsWith('This did not load.')").await;
    page.until("performance.getEntriesByName(location.origin + '/js/time-bar.js').length").await;
    page.cut(&[]).await;
    page.chrome.online(false).await;
    page.until("!live()").await;
    page.chrome.online(true).await;
    page.until("live() && one('#time').hasAttribute('data-ready')").await;
}

/// One more instance on the same database, which can be stopped for as long as one likes.
async fn instance(server: &Server, listen: SocketAddr) -> Running {
    let config = Config::read(|name| match name {
        "CARAPLACE_LISTEN" => Some(listen.to_string()),
        _ => None,
    });
    let database_url = server.pool.connect_options().to_url_lossy();
    Running::start(config.unwrap(), database_url.as_str(), server.clock.clone()).await.unwrap()
}
