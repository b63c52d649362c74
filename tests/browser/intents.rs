//! Intents on the page: their state, their regions, and their end.

use serde_json::{Value, json};

use super::axe::{assert_accessible, install_axe};
use super::chrome::{Chrome, Screen};
use super::fixtures::UNLIMITED;
use super::page::Page;
use super::support::{Agent, Server};

/// The labels of the intents in the chat, as they are shown.
const STATES_SCRIPT: &str = "[...document.querySelectorAll('#messages .intent-state')].filter((label) => label.checkVisibility()).map((label) => label.textContent.replace(/until .*/, 'until'))";
/// True if the card lists these intents, each with its text and state.
const ROWS_SCRIPT: &str = "[...document.querySelectorAll('#inspect .intents li')].map((row) => row.querySelector('.intent-text').textContent + row.querySelector('.intent-state').textContent.replace(/ until .*/, '')).join() === given.join()";
/// True if the overlay leaves these cells of the fitted canvas as they are, and dims the cell 100, 100.
const OUTLINES_SCRIPT: &str = "(() => {
    const overlay = one('#overlay');
    const alpha = ([x, y]) => overlay.getContext('2d').getImageData((x + 0.5) * overlay.width / 128, (y + 0.5) * overlay.height / 128, 1, 1).data[3];
    return given.every((cell) => alpha(cell) === 0) && alpha([100, 100]) > 0;
})()";

fn region(left: i64, top: i64) -> Value {
    json!({"x1": left, "y1": top, "x2": left + 9, "y2": top + 9})
}

/// Posts an intent with these fields. Returns the path of its changes.
async fn post_intent(agent: &Agent<'_>, content: &str, fields: Value) -> String {
    let mut body = json!({"type": "intent", "content": content, "color_palette": [5, 12]});
    body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    let reply = agent.post("/api/chat", body).await;
    assert_eq!(reply.status, 201, "{}", reply.body);
    format!("/api/intents/{}", reply.body["message"]["id"].as_str().unwrap())
}

async fn change(agent: &Agent<'_>, path: &str, changes: Value) {
    let reply = agent.post(path, changes).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
}

async fn wait_for_states(page: &Page, states: Value) {
    page.wait_until_with(&format!("{STATES_SCRIPT}.join() === given.join()"), states).await;
}

#[tokio::test]
async fn an_intent_is_live_until_its_author_ends_it() {
    let server = Server::start_with(&UNLIMITED).await;
    let agent = server.register_agent("Brushtail").await;
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    install_axe(&page.chrome).await;
    page.chrome.goto(&server.url("/")).await;
    page.wait_until("live()").await;
    let intent =
        post_intent(&agent, "Two towers.", json!({"regions": [region(10, 10), region(40, 10)]})).await;
    let withdrawn = post_intent(&agent, "A wall.", json!({})).await;
    wait_for_states(&page, json!(["open until", "open until"])).await;
    assert_eq!(
        page.evaluate("text('.intent-map')").await,
        "Show on the canvas: 10, 10 to 19, 19, 40, 10 to 49, 19"
    );
    assert_eq!(page.evaluate("document.querySelectorAll('.region-picture').length").await, 2);
    assert_accessible(&page, "live").await;

    // The changes come by events: nothing is loaded again.
    page.block_urls(&["*/api/chat*", "*/api/canvas*"]).await;
    page.evaluate("one('.intent-map').focus()").await;
    change(&agent, &intent, json!({"regions": [region(10, 10), region(20, 60), region(60, 20)]})).await;
    page.wait_until("document.querySelectorAll('.region-picture').length === 3").await;
    assert_eq!(page.evaluate("document.activeElement.matches('.intent-map')").await, true);
    change(&agent, &intent, json!({"state": "done"})).await;
    change(&agent, &withdrawn, json!({"state": "withdrawn"})).await;
    wait_for_states(&page, json!(["done", "withdrawn"])).await;
    assert_eq!(agent.post_message("That was all.").await.status, 201);
    page.wait_until("text('.msg:last-child .msg-body') === 'That was all.' && live()").await;
    assert_accessible(&page, "ended").await;
}

#[tokio::test]
async fn an_intent_outlines_all_its_regions() {
    let server = Server::start_with(&UNLIMITED).await;
    let agent = server.register_agent("Brushtail").await;
    let intent =
        post_intent(&agent, "Two towers.", json!({"regions": [region(10, 10), region(14, 14)]})).await;
    let page = Page::open(&server.url("/"), Screen::Desktop).await;
    page.wait_until("one('.intent-map')").await;
    page.evaluate("one('.intent-map').focus()").await;
    page.wait_until_with(OUTLINES_SCRIPT, json!([[12, 12], [16, 16], [21, 21]])).await;
    change(&agent, &intent, json!({"regions": [region(60, 60), region(10, 80)]})).await;
    page.wait_until_with(OUTLINES_SCRIPT, json!([[64, 64], [15, 85]])).await;
    page.evaluate("document.activeElement.click()").await;
    page.wait_until("location.hash.startsWith('#x=40&y=75&')").await;
}

#[tokio::test]
async fn an_intent_ends_when_its_time_has_passed() {
    let server = Server::start_with(&UNLIMITED).await;
    let agent = server.register_agent("Brushtail").await;
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    let script = "window.ahead = 0; const now = Date.now; Date.now = () => now() + window.ahead;";
    page.chrome.devtools("Page.addScriptToEvaluateOnNewDocument", json!({"source": script})).await;
    page.visit(&server.url("/")).await;
    post_intent(&agent, "A tower.", json!({"expires_in": 3_600})).await;
    wait_for_states(&page, json!(["open until"])).await;
    page.evaluate("ahead = 59_000").await;
    post_intent(&agent, "A dot.", json!({"expires_in": 60})).await;
    wait_for_states(&page, json!(["open until", "ended"])).await;
}

#[tokio::test]
async fn the_past_shows_only_how_intents_have_ended() {
    let server = Server::start_with(&UNLIMITED).await;
    let agent = server.register_agent("Brushtail").await;
    let intent = post_intent(&agent, "A tower.", json!({"region": region(10, 10)})).await;
    post_intent(&agent, "A wall.", json!({"region": region(30, 10)})).await;
    let seq = server.head().await;
    assert_eq!(agent.paint(3, 3, 5).await.status, 201);
    let page = Page::open(&server.url("/"), Screen::Desktop).await;
    page.evaluate_with("location.hash = `at=${given}`", json!(seq)).await;
    page.wait_until("text('#status').trim() === 'Past' && lines() === 'A tower.,A wall.'").await;
    wait_for_states(&page, json!([])).await;
    change(&agent, &intent, json!({"state": "done"})).await;
    wait_for_states(&page, json!(["done"])).await;
    page.evaluate("location.hash = ''").await;
    page.wait_until("live() && text('#status').trim() === 'Live'").await;
    wait_for_states(&page, json!(["done", "open until"])).await;
}

#[tokio::test]
async fn the_card_of_a_pixel_has_live_intents_first() {
    let server = Server::start_with(&UNLIMITED).await;
    let agent = server.register_agent("Brushtail").await;
    let tower = post_intent(&agent, "A tower.", json!({"region": region(10, 10)})).await;
    let wall = post_intent(&agent, "A wall.", json!({"regions": [region(90, 90), region(10, 10)]})).await;
    let page = Page::open(&server.url("/#pixel=12.12"), Screen::Desktop).await;
    let wait_for_rows = async |rows: Value| page.wait_until_with(ROWS_SCRIPT, rows).await;
    wait_for_rows(json!(["A wall.open", "A tower.open"])).await;
    change(&agent, &wall, json!({"state": "withdrawn"})).await;
    wait_for_rows(json!(["A tower.open", "A wall.withdrawn"])).await;
    change(&agent, &tower, json!({"region": region(50, 50)})).await;
    wait_for_rows(json!(["A wall.withdrawn"])).await;
}
