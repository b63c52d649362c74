//! axe-core finds no accessibility problem on any page or state, light or dark.

use serde_json::json;

use super::chrome::{Chrome, Screen};
use super::driver::INSTALL_HINT;
use super::fixtures::populated_server;
use super::page::Page;
use super::pages::{PAGES, address};
use super::states::{PLAN_STATES, PageState, STATES};
use super::support::Server;

const AXE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/target/tools/page/node_modules/axe-core/axe.min.js");
const AXE_TAGS: [&str; 7] =
    ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa", "best-practice"];
const AXE_SCRIPT: &str = include_str!("axe.js");

#[tokio::test]
async fn every_page_is_accessible() {
    let (server, ids) = populated_server().await;
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    install_axe(&page.chrome).await;
    for (name, path) in PAGES {
        page.visit(&server.url(&address(path, &ids))).await;
        assert_accessible(&page, name).await;
    }
}

#[tokio::test]
async fn every_state_of_the_canvas_page_is_accessible() {
    let (server, ids) = populated_server().await;
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    install_axe(&page.chrome).await;
    for PageState { name, path, is_phone, action, condition } in STATES {
        let (width, height) = if is_phone { (390, 844) } else { (1440, 900) };
        page.chrome.emulate_screen(width, height, is_phone).await;
        page.visit(&server.url(&address(path, &ids))).await;
        page.evaluate(action).await;
        page.wait_until(condition).await;
        assert_accessible(&page, name).await;
    }
}

#[tokio::test]
async fn every_state_with_plans_is_accessible() {
    let (server, ids) = populated_server().await;
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    install_axe(&page.chrome).await;
    for (width, height, is_touch) in [(1440, 900, false), (390, 844, true)] {
        page.chrome.emulate_screen(width, height, is_touch).await;
        for (name, path, action, condition) in PLAN_STATES {
            page.visit(&server.url(&address(path, &ids))).await;
            page.evaluate(action).await;
            page.wait_until(condition).await;
            assert_accessible(&page, &format!("{name} at {width}")).await;
        }
    }
}

#[tokio::test]
async fn empty_and_disconnected_canvas_are_accessible() {
    let server = Server::start().await;
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    install_axe(&page.chrome).await;
    page.visit(&server.url("/")).await;
    assert_accessible(&page, "empty").await;
    server.start_outage().await;
    page.wait_until("!live() && shown('#notice')").await;
    assert_accessible(&page, "not live").await;
}

/// Loads axe into every document that is opened from now on, bypassing the content security policy.
pub async fn install_axe(chrome: &Chrome) {
    let source = std::fs::read_to_string(AXE)
        .unwrap_or_else(|error| panic!("axe-core is missing ({error}): {INSTALL_HINT}"));
    chrome.devtools("Page.addScriptToEvaluateOnNewDocument", json!({"source": source})).await;
}

/// Asserts that axe finds nothing on the current page, light and dark. The background is tested at its
/// darkest and its brightest colour, on which only contrast depends.
pub async fn assert_accessible(page: &Page, label: &str) {
    let (all_rules, contrast_rule) = (json!(AXE_TAGS), json!({"type": "rule", "values": ["color-contrast"]}));
    for (scheme, background, rules) in [
        ("dark", "--background", &all_rules),
        ("dark", "--background-glow", &contrast_rule),
        ("light", "--background", &contrast_rule),
        ("light", "--background-glow", &contrast_rule),
    ] {
        page.chrome.set_color_scheme(scheme).await;
        let result = page.chrome.run_async(AXE_SCRIPT, vec![rules.clone(), json!(background)]).await.unwrap();
        let min_passes = if rules == &all_rules { 10 } else { 1 };
        let passed_rules = result["tried"].as_u64();
        assert!(
            passed_rules.is_some_and(|passed_rules| passed_rules >= min_passes),
            "{label}: axe tried nothing: {result}"
        );
        assert_eq!(result["found"], json!([]), "{label}, {scheme}, on {background}: {:#}", result["found"]);
    }
}
