//! axe-core finds nothing on any page or state, light or dark, that shuts people out.

use serde_json::json;

use super::chrome::{Chrome, Screen};
use super::driver::REMEDY;
use super::keyboard::{ENTER, ESCAPE, RIGHT};
use super::page::Page;
use super::pages::{PAGES, address};
use super::support::Server;
use super::world::busy;

const AXE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/target/tools/page/node_modules/axe-core/axe.min.js");
const RULES: [&str; 7] = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa", "best-practice"];
const ASK_AXE: &str = include_str!("axe.js");
const SCHEMES: [&str; 2] = ["dark", "light"];

#[tokio::test]
async fn nobody_is_shut_out_of_any_page() {
    let (server, agent) = busy().await;
    let page = Page { chrome: Chrome::start(Screen::Desk).await };
    bring_axe(&page.chrome).await;
    for (name, path) in PAGES {
        for scheme in SCHEMES {
            page.chrome.prefer(scheme).await;
            page.visit(&server.url(&address(path, &agent))).await;
            clean(&page, &format!("{name}, {scheme}")).await;
        }
    }
}

#[tokio::test]
async fn nobody_is_shut_out_of_any_state_of_the_canvas_page() {
    let (server, _) = busy().await;
    let page = Page { chrome: Chrome::start(Screen::Desk).await };
    bring_axe(&page.chrome).await;
    for scheme in SCHEMES {
        page.chrome.prefer(scheme).await;
        page.chrome.hold(1440, 900, false).await;
        page.visit(&server.url("/#x=24&y=24&z=24")).await;
        clean(&page, &format!("seen from near, {scheme}")).await;
        page.ask("one('#art').focus()").await;
        page.chrome.press(&[RIGHT]).await;
        page.chrome.press(&[ENTER]).await;
        page.until("shown('#inspect .who .name')").await;
        clean(&page, &format!("a pixel's card, {scheme}")).await;
        page.chrome.press(&[ESCAPE]).await;
        page.ask("one('#log').scrollTo(0, 40)").await;
        page.until("document.querySelectorAll('.msg').length > 50").await;
        clean(&page, &format!("the chat's beginning, {scheme}")).await;
        page.chrome.hold(390, 844, true).await;
        clean(&page, &format!("on a phone, {scheme}")).await;
        // The sheet is remembered, so it may be open already.
        page.ask("one('#sheet-toggle[aria-expanded=false]')?.click()").await;
        page.until("one('#sheet-toggle').getAttribute('aria-expanded') === 'true'").await;
        clean(&page, &format!("the chat's sheet, {scheme}")).await;
    }
}

#[tokio::test]
async fn nobody_is_shut_out_of_an_empty_or_a_lost_canvas() {
    let server = Server::start().await;
    let page = Page { chrome: Chrome::start(Screen::Desk).await };
    bring_axe(&page.chrome).await;
    page.visit(&server.url("/")).await;
    for scheme in SCHEMES {
        page.chrome.prefer(scheme).await;
        clean(&page, &format!("empty, {scheme}")).await;
    }
    server.lose_database().await;
    page.until("!live() && shown('#notice')").await;
    for scheme in SCHEMES {
        page.chrome.prefer(scheme).await;
        clean(&page, &format!("not live, {scheme}")).await;
    }
}

/// Brings axe into every document that is opened from now on, past the content security policy.
async fn bring_axe(chrome: &Chrome) {
    let source = std::fs::read_to_string(AXE)
        .unwrap_or_else(|error| panic!("axe-core is missing ({error}): {REMEDY}"));
    chrome.devtools("Page.addScriptToEvaluateOnNewDocument", json!({"source": source})).await;
}

/// Insists that axe finds nothing on the page as it stands.
async fn clean(page: &Page, what: &str) {
    // The wall is lit in its middle: contrast must hold where it is darkest and where it is brightest.
    for wall in ["--wall", "--wall-lit"] {
        let result = page.chrome.run_until_done(ASK_AXE, vec![json!(RULES), json!(wall)]).await.unwrap();
        assert!(
            result["tried"].as_u64().is_some_and(|tried| tried > 10),
            "{what}: axe tried nothing: {result}"
        );
        assert_eq!(result["found"], json!([]), "{what} on {wall}: {:#}", result["found"]);
    }
}
