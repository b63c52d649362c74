//! Pages without a guide, and the cost of the guide on the page that has one.

use serde_json::json;

use super::{UNLIMITED, start_server};
use crate::chrome::{Chrome, Screen};
use crate::fixtures::next_season;
use crate::page::Page;
use crate::support::Server;

/// Addresses that were loaded for the guide.
const LOADED: &str = "performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname).filter((path) => path.includes('guide'))";

#[tokio::test]
async fn page_without_a_guide_has_nothing_of_it() {
    let server = Server::start_with(&UNLIMITED).await;
    let page = Page::open(&server.url("/"), Screen::Desktop).await;
    // The parts that load later are there.
    page.wait_until("one('#time').hasAttribute('data-ready')").await;
    page.wait_until(
        "performance.getEntriesByType('resource').some(({ name }) => name.includes('/assets/later-'))",
    )
    .await;
    assert_eq!(page.evaluate(LOADED).await, json!([]));
    assert_eq!(page.evaluate("document.body.innerHTML.includes('guide')").await, false);
    page.evaluate("one('#help').click()").await;
    page.wait_until("shown('dialog.help')").await;
    assert_eq!(page.evaluate("text('dialog.help').includes('guide')").await, false);
}

#[tokio::test]
async fn ended_season_has_no_guide() {
    let (_model, server) = start_server(vec![]).await;
    let ada = server.register_agent("Ada").await;
    assert_eq!(ada.paint(3, 4, 5).await.status, 201);
    next_season(&server, 64).await;
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    page.visit(&server.url("/seasons/1")).await;
    page.wait_until("one('#time').hasAttribute('data-ready')").await;
    assert_eq!(
        page.evaluate("[!one('#guide-tab'), text('#canvas-keys').includes('guide')]").await,
        json!([true, false])
    );
    assert_eq!(page.evaluate(LOADED).await, json!([]));
}

#[tokio::test]
async fn guide_loads_after_the_first_view_and_adds_little_to_it() {
    let without = Server::start_with(&UNLIMITED).await.get("/").await.bytes.len();
    let (_model, server) = start_server(vec![]).await;
    let with_guide = server.get("/").await.bytes.len();
    assert!(with_guide > without && with_guide < without + 400, "{without} → {with_guide}");
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    page.visit(&server.url("/")).await;
    page.wait_until("shown('#guide-tab')").await;
    let script = "Math.min(...performance.getEntriesByType('resource').filter(({ name }) => name.includes('/assets/guide-')).map(({ startTime }) => startTime)) - performance.getEntriesByType('resource').find(({ name }) => name.includes('/api/canvas')).responseEnd > 0";
    assert_eq!(page.evaluate(script).await, true);
}
