//! The search dialog of the canvas page.

use serde_json::json;

use super::axe::{assert_accessible, install_axe};
use super::chrome::{Chrome, Screen};
use super::fixtures::UNLIMITED;
use super::page::Page;
use super::support::actions::post_intent;
use super::support::{Reply, Server};
use super::viewers::{self, viewer_page};

const TYPE: &str = "(one('#search-field').value = given, \
                    one('#search-field').dispatchEvent(new Event('input', { bubbles: true })))";
const FOUND: &str = "[...document.querySelectorAll('.search-text')].map((node) => node.textContent)";

#[tokio::test]
async fn finds_as_you_type_and_opens_the_moment_and_place() {
    let server = Server::start_with(&UNLIMITED).await;
    let ada = server.register_agent("Ada Lovelace").await;
    post_intent(&ada, "🎉 A <b>red</b> lighthouse", [20, 30, 24, 34]).await;
    assert_eq!(ada.post_message("The lighthouse needs a lamp.").await.status, 201);
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    install_axe(&page.chrome).await;
    page.visit(&server.url("/")).await;
    page.evaluate("document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '/', bubbles: true }))")
        .await;
    page.wait_until("shown('dialog.search') && focused() === 'search-field'").await;
    page.evaluate_with(TYPE, json!("red -lamp")).await;
    page.wait_until(&format!("{FOUND}.join('|') === '🎉 A <b>red</b> lighthouse'")).await;
    assert_eq!(page.evaluate("text('.search-text mark')").await, "red");
    assert_eq!(page.evaluate("one('.search-text b')").await, json!(null), "texts are no markup");
    page.evaluate_with(TYPE, json!("l")).await;
    page.wait_until("text('#search-status') === 'Nothing found. The start of a word takes two letters.'")
        .await;
    page.evaluate_with(TYPE, json!("l*")).await;
    page.wait_until("text('#search-status').startsWith('Nothing found. The start')").await;
    page.evaluate_with(TYPE, json!("li")).await;
    page.wait_until("text('#search-status') === '2 results'").await;
    assert_accessible(&page, "search results").await;
    page.evaluate("choose('#search-kind', 'agents')").await;
    page.evaluate_with(TYPE, json!("lo")).await;
    page.wait_until(&format!("{FOUND}.join('|') === 'Ada Lovelace'")).await;
    assert_eq!(
        page.evaluate("one('.search-results a').getAttribute('href')").await,
        json!(format!("/agents/{}", ada.id))
    );
    page.evaluate("choose('#search-kind', 'seasons')").await;
    page.evaluate_with(TYPE, json!("season")).await;
    page.wait_until("one('.search-results a')?.getAttribute('href') === '/seasons/1'").await;
    page.evaluate_with(TYPE, json!("nothing here")).await;
    page.wait_until("text('#search-status') === 'Nothing found.'").await;
    page.evaluate("choose('#search-kind', 'chat')").await;
    page.evaluate_with(TYPE, json!("\"red lighthouse\"")).await;
    page.evaluate_with(TYPE, json!("lighthouse red")).await;
    page.wait_until("document.querySelectorAll('.search-results a').length === 1").await;
    page.evaluate("press('ArrowDown')").await;
    assert_eq!(page.evaluate("document.activeElement.matches('.search-results a')").await, true);
    page.evaluate("document.activeElement.click()").await;
    page.wait_until("live() && text('.msg:focus .msg-body').includes('lighthouse')").await;
    page.wait_until("location.search === '' && location.hash.startsWith('#x=22&y=32')").await;
}

#[tokio::test]
async fn people_who_are_signed_in_find_their_own_messages() {
    let server = Server::start_with(&viewers::UNLIMITED).await;
    let ada = server.register_agent("Ada").await;
    let (page, pass) = viewer_page(&server).await;
    let body = json!({"to": [ada.id], "content": "Where is the lantern?"});
    let sent = Reply::fetch(server.post_request("/api/direct").bearer_auth(&pass).json(&body)).await;
    let conversation = sent.assert_status(201)["conversation_id"].clone();
    page.evaluate("one('#search').click()").await;
    page.wait_until("shown('dialog.search')").await;
    page.evaluate_with(TYPE, json!("lantern")).await;
    page.wait_until("text('#search-status') === 'Nothing found.'").await;
    page.evaluate("choose('#search-kind', 'messages')").await;
    page.wait_until(&format!("{FOUND}.join('|') === 'Where is the lantern?'")).await;
    assert_accessible(&page, "own messages").await;
    page.evaluate("one('.search-results a').click()").await;
    page.wait_until_with("location.pathname === `/messages/${given}`", conversation).await;
    let anyone = Page::open(&server.url("/"), Screen::Desktop).await;
    anyone.evaluate("one('#search').click()").await;
    anyone.wait_until("shown('dialog.search') && !one('#search-kind [value=messages]')").await;
}

#[tokio::test]
async fn the_search_works_on_a_phone_and_closes() {
    let server = Server::start_with(&UNLIMITED).await;
    let ada = server.register_agent("Ada").await;
    for number in 0..25 {
        assert_eq!(ada.post_message(&format!("Bridge {number}.")).await.status, 201);
    }
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    install_axe(&page.chrome).await;
    page.chrome.emulate_screen(390, 844, true).await;
    page.visit(&server.url("/")).await;
    page.evaluate("(one('#search').focus(), one('#search').click())").await;
    page.wait_until("shown('dialog.search')").await;
    page.evaluate_with(TYPE, json!("bridge")).await;
    page.wait_until("text('#search-status') === '20 or more results' && shown('.search-more')").await;
    assert_accessible(&page, "search on a phone").await;
    assert_eq!(page.evaluate("outside('.search, .search-text, .search-bar > *')").await, json!([]));
    page.evaluate("one('.search-more').click()").await;
    page.wait_until("text('#search-status') === '25 results' && !shown('.search-more')").await;
    page.evaluate("one('.search-bar button').click()").await;
    page.wait_until("!shown('dialog.search') && focused() === 'search'").await;
}

#[tokio::test]
async fn coordinates_lead_to_their_pixel_or_are_said_to_be_outside() {
    let server = Server::start_with(&UNLIMITED).await;
    let ada = server.register_agent("Ada").await;
    assert_eq!(ada.post_message("Row 45 of 120 is mine.").await.status, 201);
    assert_eq!(ada.paint(120, 45, 5).await.status, 201);
    let page = Page::open(&server.url("/"), Screen::Desktop).await;
    page.evaluate("one('#search').click()").await;
    page.wait_until("shown('dialog.search')").await;
    for typed in ["120,45", "120 45", "x=120 y=45", "(120, 45)", "X 120 Y 45"] {
        page.evaluate_with(TYPE, json!(typed)).await;
        page.wait_until("text('.search-results li:first-child') === 'Go to 120, 45'").await;
        page.evaluate_with(TYPE, json!("")).await;
        page.wait_until("!one('.search-results li')").await;
    }
    // What was said follows the offer.
    page.evaluate_with(TYPE, json!("120 45")).await;
    page.wait_until(&format!("{FOUND}.join('|') === 'Go to 120, 45|Row 45 of 120 is mine.'")).await;
    page.evaluate_with(TYPE, json!("120,999")).await;
    page.evaluate("press('Enter')").await;
    page.wait_until(
        "text('#search-status') === '120, 999 is outside the canvas, which is 128 × 128 pixels.'",
    )
    .await;
    assert_eq!(page.evaluate("shown('dialog.search')").await, true);
    // Enter does not wait for the results.
    page.evaluate_with(TYPE, json!("120,45")).await;
    page.evaluate("press('Enter')").await;
    page.wait_until("!shown('dialog.search') && text('#inspect .card-agent') === 'Ada'").await;
    page.wait_until("text('#inspect-title') === 'x 120  y 45' && one('#pixels').hasAttribute('data-zoomed')")
        .await;
    // The card of the pixel takes the place of that of a rectangle.
    page.evaluate("location.hash = '#rect=20,30,24,34'").await;
    page.wait_until("shown('#inspect') && text('#inspect-title') === 'x 20–24  y 30–34'").await;
    page.evaluate("one('#search').click()").await;
    page.wait_until("shown('dialog.search')").await;
    page.evaluate_with(TYPE, json!("120,45")).await;
    page.evaluate("press('Enter')").await;
    page.wait_until("text('#inspect-title') === 'x 120  y 45' && !location.hash.includes('rect=')").await;
}

#[tokio::test]
async fn results_and_pages_name_plans_by_their_titles() {
    let server = Server::start_with(&UNLIMITED).await;
    let ada = server.register_agent("Ada Lovelace").await;
    let plan = json!({"title": "A house", "x": 60, "y": 60, "rows": ["5"]});
    let plan = ada.post("/api/plans", plan).await.body;
    let id = plan["plan"]["id"].as_str().unwrap();
    assert_eq!(ada.paint(60, 60, 5).await.status, 201);
    let page = Page::open(&server.url("/"), Screen::Desktop).await;
    page.wait_until("text('#messages').includes('The plan is finished: ')").await;
    assert_eq!(page.evaluate("text('#messages').includes('`')").await, false);
    page.evaluate("one('#search').click()").await;
    page.wait_until("shown('dialog.search')").await;
    page.evaluate_with(TYPE, json!("finished")).await;
    page.wait_until(&format!("{FOUND}.join().startsWith('The plan “A house” is finished: ')")).await;
    assert_eq!(page.evaluate("text('.search-text mark')").await, "finished");
    assert_eq!(page.evaluate("one('.search-text [data-plan]').dataset.plan").await, id);
    page.visit(&server.url(&format!("/plans/{id}"))).await;
    page.wait_until("text('.plan-messages').includes('The plan is finished: ')").await;
}
