//! axe-core finds nothing on any page or state, light or dark, that shuts people out.

use serde_json::json;

use super::chrome::{Chrome, Screen};
use super::driver::REMEDY;
use super::page::Page;
use super::pages::{PAGES, address};
use super::states::{STATES, State};
use super::support::Server;
use super::world::busy;

const AXE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/target/tools/page/node_modules/axe-core/axe.min.js");
const TAGS: [&str; 7] = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa", "best-practice"];
const ASK_AXE: &str = include_str!("axe.js");

#[tokio::test]
async fn every_page_is_accessible() {
    let (server, agent) = busy().await;
    let page = Page { chrome: Chrome::start(Screen::Desk).await };
    bring_axe(&page.chrome).await;
    for (name, path) in PAGES {
        page.visit(&server.url(&address(path, &agent))).await;
        clean(&page, name).await;
    }
}

#[tokio::test]
async fn every_state_of_the_canvas_page_is_accessible() {
    let (server, agent) = busy().await;
    let page = Page { chrome: Chrome::start(Screen::Desk).await };
    bring_axe(&page.chrome).await;
    for State { name, path, phone, act, until } in STATES {
        let (width, height) = if phone { (390, 844) } else { (1440, 900) };
        page.chrome.hold(width, height, phone).await;
        page.visit(&server.url(&address(path, &agent))).await;
        page.ask(act).await;
        page.until(until).await;
        clean(&page, name).await;
    }
}

#[tokio::test]
async fn empty_and_disconnected_canvas_are_accessible() {
    let server = Server::start().await;
    let page = Page { chrome: Chrome::start(Screen::Desk).await };
    bring_axe(&page.chrome).await;
    page.visit(&server.url("/")).await;
    clean(&page, "empty").await;
    server.lose_database().await;
    page.until("!live() && shown('#notice')").await;
    clean(&page, "not live").await;
}

/// Brings axe into every document that is opened from now on, past the content security policy.
pub async fn bring_axe(chrome: &Chrome) {
    let source = std::fs::read_to_string(AXE)
        .unwrap_or_else(|error| panic!("axe-core is missing ({error}): {REMEDY}"));
    chrome.devtools("Page.addScriptToEvaluateOnNewDocument", json!({"source": source})).await;
}

/// Insists that axe finds nothing on the page as it stands, light and dark. The wall is lit in its middle: contrast must
/// hold where it is darkest and where it is brightest. Nothing but contrast depends on either.
pub async fn clean(page: &Page, what: &str) {
    let (all, contrast) = (json!(TAGS), json!({"type": "rule", "values": ["color-contrast"]}));
    for (scheme, wall, rules) in [
        ("dark", "--wall", &all),
        ("dark", "--wall-lit", &contrast),
        ("light", "--wall", &contrast),
        ("light", "--wall-lit", &contrast),
    ] {
        page.chrome.prefer(scheme).await;
        let result = page.chrome.run_until_done(ASK_AXE, vec![rules.clone(), json!(wall)]).await.unwrap();
        let least = if rules == &all { 10 } else { 1 };
        let tried = result["tried"].as_u64();
        assert!(tried.is_some_and(|tried| tried >= least), "{what}: axe tried nothing: {result}");
        assert_eq!(result["found"], json!([]), "{what}, {scheme}, on {wall}: {:#}", result["found"]);
    }
}
