//! A first visit: nothing goes wrong, and nobody else hears of it.

use serde_json::Value;

use super::chrome::{Chrome, Screen};
use super::page::Page;
use super::pages::{PAGES, address};
use super::support::Server;
use super::world::busy;

#[tokio::test]
async fn canvas_page_loads_without_errors_or_external_requests() {
    let server = Server::start().await;
    let agent = server.agent("Brushtail").await;
    agent.earn_message().await;
    assert_eq!(agent.say("Hello.").await.status, 201);
    let page = Page::open(&server.url("/"), Screen::Desk).await;
    page.until("one('#messages .msg') && one('#painters button')").await;
    nothing_went_wrong(&page.chrome, &server, 40).await;
}

#[tokio::test]
async fn every_page_loads_without_errors_or_external_requests() {
    let (server, agent) = busy().await;
    let page = Page { chrome: Chrome::start(Screen::Desk).await };
    for (name, path) in PAGES {
        let url = server.url(&address(path, &agent));
        page.visit(&url).await;
        assert_eq!(page.ask("getComputedStyle(document.body).margin").await, "0px", "{name} is not styled");
        nothing_went_wrong(&page.chrome, &server, 4).await;
    }
}

/// No error on the console (a breach of the content security policy is one), every request to this server.
async fn nothing_went_wrong(chrome: &Chrome, server: &Server, least: usize) {
    // Chromium also writes down that the page itself came with an error's status.
    let here = chrome.run("return location.href", vec![]).await;
    let ours = |entry: &Value| {
        !(entry["source"] == "network"
            && entry["message"].as_str().unwrap().starts_with(here.as_str().unwrap()))
    };
    let bad = |entry: &Value| entry["level"] == "SEVERE" || entry["source"] == "security";
    let errors: Vec<_> = chrome.log("browser").await.into_iter().filter(bad).filter(ours).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    let own = server.url("/");
    let asked: Vec<_> = chrome.transfers(&own).await.into_iter().map(|(url, _)| url).collect();
    assert!(asked.len() >= least, "the log holds only {asked:#?}");
    let others: Vec<_> = asked.iter().filter(|url| !url.starts_with(&own)).collect();
    assert!(others.is_empty(), "{others:#?}");
}
