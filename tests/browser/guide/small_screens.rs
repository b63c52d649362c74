//! The guide on phones: a sheet over the chat, with a tab on the chat's head.

use serde_json::json;

use super::{IS_IDLE, ask, open_page, start_server};
use crate::axe::assert_accessible;
use crate::support::ScriptedAnswer;

#[tokio::test]
async fn guide_is_a_sheet_on_phones() {
    let script = vec![
        ScriptedAnswer::call("timeline", json!({})),
        ScriptedAnswer::Text("Not much, but look at [64,60]."),
    ];
    let (_model, server) = start_server(script).await;
    let page = open_page(&server).await;
    page.evaluate("one('[aria-label=\"Collapse the guide\"]').click()").await;
    for (width, height) in [(320, 568), (390, 844), (768, 1024)] {
        page.chrome.emulate_screen(width, height, true).await;
        page.visit(&server.url("/")).await;
        page.wait_until("shown('#guide-tab')").await;
        assert_eq!(page.evaluate("misfits()").await, json!([]), "collapsed at {width}");
    }
    page.chrome.emulate_screen(390, 844, true).await;
    page.visit(&server.url("/")).await;
    page.wait_until("shown('#guide-tab')").await;
    assert_accessible(&page, "the tab on a phone").await;
    page.tap("#guide-tab").await;
    page.wait_until("shown('#guide-question') && text('.guide-problem') === ''").await;
    ask(&page, "What happened?").await;
    page.wait_until(&format!("{IS_IDLE} && shown('.guide-pointer')")).await;
    // The sheet covers the lower part of the page.
    let problems = page.evaluate("misfits().filter((problem) => !problem.startsWith('covered'))").await;
    assert_eq!(problems, json!([]));
    assert_accessible(&page, "the guide on a phone").await;
    page.tap(".guide-pointer").await;
    page.wait_until("!shown('#guide') && /^#x=64&y=60&/.test(location.hash)").await;
    // It does not open by itself: it would cover the canvas.
    page.tap("#guide-tab").await;
    page.wait_until("shown('#guide')").await;
    page.visit(&server.url("/")).await;
    page.wait_until("shown('#guide-tab')").await;
    assert_eq!(page.evaluate("shown('#guide')").await, false);
}

#[tokio::test]
async fn opened_chat_keeps_the_tab_in_reach() {
    let (_model, server) = start_server(vec![]).await;
    let page = open_page(&server).await;
    page.evaluate("one('[aria-label=\"Collapse the guide\"]').click()").await;
    page.chrome.emulate_screen(390, 844, true).await;
    page.visit(&server.url("/")).await;
    page.wait_until("shown('#guide-tab')").await;
    page.tap(".chat-header").await;
    page.wait_until("one('#chat').hasAttribute('data-open') && !one('#chat').getAnimations().length").await;
    assert_eq!(page.evaluate("reachable(one('#guide-tab'))").await, true);
    page.tap("#guide-tab").await;
    page.wait_until("shown('#guide') && !one('#chat').hasAttribute('data-open')").await;
}
