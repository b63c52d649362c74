//! A first visit: nothing goes wrong, and nobody else hears of it.

use serde_json::Value;

use super::chrome::{Chrome, Screen};
use super::page::Page;
use super::support::Server;

#[tokio::test]
async fn the_canvas_page_loads_without_an_error_and_asks_nobody_else() {
    let server = Server::start().await;
    let agent = server.agent("Brushtail").await;
    agent.earn_message().await;
    assert_eq!(agent.say("Hello.").await.status, 201);
    let page = Page::open(&server.url("/"), Screen::Desk).await;
    page.until("one('#messages .msg') && one('#painters button')").await;
    nothing_went_wrong(&page.chrome, &server, 40).await;
}

#[tokio::test]
async fn the_reading_pages_load_without_an_error_and_are_styled() {
    let server = Server::start().await;
    let chrome = Chrome::start(Screen::Phone).await;
    for path in ["/docs", "/errors"] {
        chrome.goto(&server.url(path)).await;
        nothing_went_wrong(&chrome, &server, 4).await;
        let fits = "return document.documentElement.scrollWidth <= innerWidth && \
                    getComputedStyle(document.querySelector('.page nav')).display === 'flex'";
        assert_eq!(chrome.run(fits, vec![]).await, true, "{path}");
    }
}

/// No error on the console (a breach of the content security policy is one), every request to this server.
async fn nothing_went_wrong(chrome: &Chrome, server: &Server, least: usize) {
    let bad = |entry: &Value| entry["level"] == "SEVERE" || entry["source"] == "security";
    let errors: Vec<_> = chrome.log("browser").await.into_iter().filter(bad).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    let own = server.url("/");
    let asked = requests(&chrome.log("performance").await, &own);
    assert!(asked.len() >= least, "the log holds only {asked:#?}");
    let others: Vec<_> = asked.iter().filter(|url| !url.starts_with(&own)).collect();
    assert!(others.is_empty(), "{others:#?}");
}

/// The addresses of all requests that documents of this origin made; Chromium's own first page asks for things too.
fn requests(log: &[Value], origin: &str) -> Vec<String> {
    let messages = log.iter().map(|entry| entry["message"].as_str().unwrap());
    let events = messages.map(|message| serde_json::from_str::<Value>(message).unwrap()["message"].take());
    let sent = events.filter(|event| event["method"] == "Network.requestWillBeSent");
    let ours = sent
        .filter(|event| event["params"]["documentURL"].as_str().is_some_and(|url| url.starts_with(origin)));
    ours.map(|event| event["params"]["request"]["url"].as_str().unwrap().to_owned()).collect()
}
