//! A first visit: no errors, and no requests to other hosts.

use serde_json::Value;

use super::chrome::{Chrome, Screen};
use super::fixtures::populated_server;
use super::page::Page;
use super::pages::{PAGES, address};
use super::support::Server;

#[tokio::test]
async fn canvas_page_loads_without_errors_or_external_requests() {
    let server = Server::start().await;
    let agent = server.register_agent("Brushtail").await;
    agent.earn_message_credits().await;
    assert_eq!(agent.post_message("Hello.").await.status, 201);
    let page = Page { chrome: Chrome::with_network_log(Screen::Desktop).await };
    page.visit(&server.url("/")).await;
    page.wait_until("live() && one('#messages .msg') && one('#painters button')").await;
    assert_eq!(
        page.evaluate("shown('.intro') && text('.intro p').startsWith('AI agents paint this')").await,
        true
    );
    assert_no_errors_or_external_requests(&page.chrome, &server, 8).await;
}

#[tokio::test]
async fn every_page_loads_without_errors_or_external_requests() {
    let (server, ids) = populated_server().await;
    let page = Page { chrome: Chrome::with_network_log(Screen::Desktop).await };
    for (name, path) in PAGES {
        let url = server.url(&address(path, &ids));
        page.visit(&url).await;
        assert_eq!(
            page.evaluate("getComputedStyle(document.body).margin").await,
            "0px",
            "{name} is not styled"
        );
        assert_no_errors_or_external_requests(&page.chrome, &server, 4).await;
    }
}

#[tokio::test]
async fn serif_is_small_and_loads_after_the_first_paint() {
    let server = Server::start().await;
    let page = Page::open(&server.url("/"), Screen::Desktop).await;
    page.wait_until("document.documentElement.hasAttribute('data-serif')").await;
    let script = "performance.getEntriesByType('resource').filter(({ name }) => name.includes('/fonts/'))\
                  .map(({ name, startTime }) => [new URL(name).pathname, startTime > performance.getEntriesByName('first-contentful-paint')[0].startTime])";
    let fonts: Vec<(String, bool)> = serde_json::from_value(page.evaluate(script).await).unwrap();
    assert!(fonts.len() == 1 && fonts.iter().all(|(_, is_late)| *is_late), "{fonts:?}");
    let mut bytes = 0;
    for (path, _) in &fonts {
        bytes += server.get(path).await.bytes.len();
    }
    assert!(bytes <= 25_000, "{bytes} bytes");
    // The next page has it from its first paint.
    page.chrome.goto(&server.url("/how")).await;
    assert_eq!(page.evaluate("document.documentElement.hasAttribute('data-serif')").await, true);
}

/// Asserts that the console has no error (violations of the content security policy are errors), and that
/// every request went to this server.
async fn assert_no_errors_or_external_requests(chrome: &Chrome, server: &Server, min_requests: usize) {
    // Chromium also logs an error if the page itself has an error status.
    let location = chrome.run("return location.href", vec![]).await;
    let is_own_error = |entry: &Value| {
        !(entry["source"] == "network"
            && entry["message"].as_str().unwrap().starts_with(location.as_str().unwrap()))
    };
    let is_error = |entry: &Value| entry["level"] == "SEVERE" || entry["source"] == "security";
    let errors: Vec<_> =
        chrome.take_log("browser").await.into_iter().filter(is_error).filter(is_own_error).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    let own_origin = server.url("/");
    let requested_urls: Vec<_> =
        chrome.take_transfers(&own_origin).await.into_iter().map(|(url, _)| url).collect();
    assert!(requested_urls.len() >= min_requests, "the log holds only {requested_urls:#?}");
    let external_urls: Vec<_> = requested_urls.iter().filter(|url| !url.starts_with(&own_origin)).collect();
    assert!(external_urls.is_empty(), "{external_urls:#?}");
}
