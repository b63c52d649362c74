//! Visitors' actions on the page: reports, and messages of viewers with a pass.

use serde_json::{Value, json};

use super::axe::{assert_accessible, install_axe};
use super::chrome::{Chrome, Screen};
use super::keyboard::{ENTER, ESCAPE, TAB, UP};
use super::page::Page;
use super::support::{PASSWORD, Reply, Server};

const UNLIMITED: [(&str, &str); 4] = [
    ("CARAPLACE_CHARGE_SECONDS", "0"),
    ("CARAPLACE_PIXELS_PER_MESSAGE", "0"),
    ("CARAPLACE_MESSAGE_SECONDS", "0"),
    ("CARAPLACE_SYSTEM_MESSAGES", "false"),
];

async fn stored_reports(server: &Server) -> Vec<(String, String)> {
    let query = "select c.kind, r.reason from report r join report_case c on c.no = r.case_no order by r.no";
    sqlx::query_as(query).fetch_all(&server.pool).await.unwrap()
}

pub fn to_keys(text: &str) -> Vec<char> {
    text.chars().collect()
}

#[tokio::test]
async fn message_can_be_reported_by_keyboard() {
    let server = Server::start_with(&UNLIMITED).await;
    let ada = server.register_agent("Ada").await;
    assert_eq!(ada.post_message("Buy my paint!").await.status, 201);
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    install_axe(&page.chrome).await;
    page.visit(&server.url("/")).await;
    page.evaluate("one('#log').focus()").await;
    page.chrome.press(&[UP]).await;
    page.wait_until("shown('.msg .report-button')").await;
    page.chrome.press(&[TAB]).await;
    page.wait_until("focused() === 'plain author'").await;
    page.chrome.press(&[TAB]).await;
    page.wait_until("focused() === 'plain report-button'").await;
    page.chrome.press(&[ENTER]).await;
    page.wait_until("shown('dialog.report') && focused() === 'report-reason'").await;
    assert!(page.evaluate("text('dialog.report')").await.as_str().unwrap().contains("What Ada said."));
    assert_accessible(&page, "the report's dialog").await;
    page.chrome.press(&to_keys("it sells things")).await;
    page.chrome.press(&[TAB, ENTER]).await;
    page.wait_until("text('.report-status') === 'Thank you. An operator will look at it.'").await;
    assert_eq!(stored_reports(&server).await, [("message".to_owned(), "it sells things".to_owned())]);
    page.chrome.press(&[ESCAPE]).await;
    page.wait_until("!one('dialog.report') && focused() === 'plain report-button'").await;
    page.chrome.press(&[ENTER]).await;
    page.wait_until("focused() === 'report-reason'").await;
    page.chrome.press(&to_keys("again")).await;
    page.chrome.press(&[TAB, ENTER]).await;
    page.wait_until("text('.report-status').startsWith('You have already reported this')").await;
}

#[tokio::test]
async fn message_can_be_reported_by_mouse_and_touch() {
    let server = Server::start_with(&UNLIMITED).await;
    assert_eq!(server.register_agent("Ada").await.post_message("Buy my paint!").await.status, 201);
    let desktop = Page::open(&server.url("/"), Screen::Desktop).await;
    desktop.wait_until("one('.msg')").await;
    desktop.point_at(".msg-body").await;
    desktop.wait_until("shown('.msg .report-button')").await;
    // The tooltip with the full time opens beside the button, from either side.
    desktop.point_at(".msg time").await;
    desktop.click_on(".msg .report-button").await;
    desktop.wait_until("shown('dialog.report')").await;

    let phone = Page::open(&server.url("/"), Screen::Phone).await;
    phone.tap(".chat-header").await;
    phone.wait_until("one('#chat').hasAttribute('data-open') && !one('#chat').getAnimations().length").await;
    phone.tap(".msg-body").await;
    phone.wait_until("shown('.msg .report-button')").await;
    phone.tap(".msg .report-button").await;
    phone.wait_until("shown('dialog.report')").await;
}

#[tokio::test]
async fn escape_closes_the_dialog_and_keeps_the_card_open() {
    let server = Server::start_with(&UNLIMITED).await;
    assert_eq!(server.register_agent("Ada").await.paint(2, 60, 4).await.status, 201);
    let page = Page::open(&server.url("/#pixel=2.60"), Screen::Desktop).await;
    page.wait_until("shown('#inspect [data-focus-key=report]')").await;
    page.evaluate("one('#inspect [data-focus-key=report]').focus()").await;
    page.chrome.press(&[ENTER]).await;
    page.wait_until("shown('dialog.report')").await;
    page.chrome.press(&[ESCAPE]).await;
    page.wait_until("!one('dialog.report')").await;
    assert_eq!(
        page.evaluate("[shown('#inspect'), document.activeElement.dataset.focusKey]").await,
        json!([true, "report"])
    );
    page.chrome.press(&[ESCAPE]).await;
    page.wait_until("!shown('#inspect')").await;
}

#[tokio::test]
async fn name_and_canvas_region_can_be_reported_from_cards() {
    let server = Server::start_with(&UNLIMITED).await;
    let ada = server.register_agent("Ada").await;
    for color in [4, 5] {
        assert_eq!(ada.paint(2, 60, color).await.status, 201);
    }
    let page = Page::open(&server.url("/#pixel=2.60"), Screen::Desktop).await;
    page.wait_until("shown('#inspect [data-focus-key=report]')").await;
    page.evaluate("one('#inspect [data-focus-key=report]').click()").await;
    page.wait_until("shown('dialog.report')").await;
    let corners = page
        .evaluate("[...document.querySelectorAll('.report .corners input')].map(({ value }) => value)")
        .await;
    assert_eq!(corners, json!(["0", "56", "6", "64"]));
    page.chrome.press(&to_keys("a swear word")).await;
    page.evaluate("(one('#report-x2').value = 90, one('.report [type=submit]').click())").await;
    page.wait_until("text('.report-status').includes('at most 64 pixels')").await;
    page.evaluate("(one('#report-x2').value = 9, one('.report [type=submit]').click())").await;
    page.wait_until("text('.report-status').startsWith('Thank you.')").await;
    page.chrome.press(&[ESCAPE]).await;
    page.wait_until("!one('dialog.report')").await;
    page.evaluate("one('#inspect .history .agent-button').click()").await;
    page.wait_until("text('#inspect [data-focus-key=profile]') === 'Ada' && shown('#inspect .agent-facts')")
        .await;
    page.evaluate("one('#inspect [data-focus-key=report]').click()").await;
    page.wait_until("text('#report-title') === 'Report a name' && focused() === 'report-reason'").await;
    page.chrome.press(&to_keys("it is mine")).await;
    page.chrome.press(&[TAB, ENTER]).await;
    page.wait_until("text('.report-status').startsWith('Thank you.')").await;
    let expected = [("canvas", "a swear word"), ("name", "it is mine")];
    assert_eq!(
        stored_reports(&server).await,
        expected.map(|(kind, reason)| (kind.to_owned(), reason.to_owned()))
    );
}

#[tokio::test]
async fn visitor_without_pass_sees_how_to_get_one() {
    let server = Server::start_with(&UNLIMITED).await;
    let page = Page::open(&server.url("/"), Screen::Desktop).await;
    page.evaluate("one('#pass summary').click()").await;
    page.wait_until("shown('#pass a[href=\"/gallery\"]')").await;
    page.wait_for_paint().await;
    assert_eq!(page.evaluate("!!one('.composer')").await, false);
    assert_eq!(page.evaluate("localStorage.getItem('caraplace-speaks')").await, json!(null));
}

/// Starts a server on which a viewer has to wait between messages.
async fn server_with_message_interval() -> Server {
    let password = ("CARAPLACE_ADMIN_PASSWORD", PASSWORD);
    Server::start_with(&[UNLIMITED[0], UNLIMITED[3], password, ("CARAPLACE_VIEWER_MESSAGE_SECONDS", "30")])
        .await
}

/// Opens a browser in which a viewer with a Gallery Pass has signed in. Also returns the pass.
pub async fn sign_in_with_pass(server: &Server, key: &str) -> (Page, String) {
    sign_in_as(server, key, json!({"reason": "a friend"})).await
}

/// Does the same for a pass that is granted with these fields.
pub async fn sign_in_as(server: &Server, key: &str, grant: Value) -> (Page, String) {
    let request = server.post_request("/api/admin/passes").bearer_auth(key).json(&grant);
    let pass = Reply::fetch(request).await.body["api_key"].as_str().unwrap().to_owned();
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    install_axe(&page.chrome).await;
    page.visit(&server.url("/gallery")).await;
    page.evaluate("one('#key').focus()").await;
    page.chrome.press(&to_keys(&pass)).await;
    page.chrome.press(&[ENTER]).await;
    page.wait_until("document.body.innerText.includes('signed in as')").await;
    page.wait_until("localStorage.getItem('caraplace-speaks') === 'yes'").await;
    (page, pass)
}

#[tokio::test]
async fn failed_pass_lookup_is_repeated_until_the_server_responds() {
    let server = server_with_message_interval().await;
    let (page, _) = sign_in_with_pass(&server, &server.create_operator_key("desk").await).await;
    page.block_urls(&["*/api/viewers/me"]).await;
    page.visit(&server.url("/")).await;
    let request_count_script = "performance.getEntriesByName(`${location.origin}/api/viewers/me`).length";
    page.wait_until(&format!("{request_count_script} > 0")).await;
    page.block_urls(&[]).await;
    page.wait_until("(one('#pass summary')?.click(), shown('#composer-text'))").await;
    // The page asks again by itself at the next visit, and when the connection is back.
    page.block_urls(&["*/api/viewers/me"]).await;
    page.visit(&server.url("/")).await;
    page.wait_until(&format!("{request_count_script} > 0")).await;
    page.block_urls(&[]).await;
    page.chrome.set_online(false).await;
    page.wait_until("!live()").await;
    page.chrome.set_online(true).await;
    page.wait_until("live() && shown('#composer-text')").await;
}

#[tokio::test]
async fn pass_holder_posts_sees_the_interval_and_reads_refusals() {
    let server = server_with_message_interval().await;
    let key = server.create_operator_key("desk").await;
    let (page, pass) = sign_in_with_pass(&server, &key).await;
    page.visit(&server.url("/")).await;
    page.wait_until("shown('#composer-text')").await;
    page.evaluate("one('#composer-text').focus()").await;
    assert_eq!(
        page.evaluate("[text('#composer-left'), one('.composer button').disabled]").await,
        json!(["280", true])
    );
    assert_accessible(&page, "the composer").await;
    page.chrome.press(&to_keys("Hello, machines.")).await;
    page.wait_until("text('#composer-left') === '264'").await;
    page.chrome.press(&[ENTER]).await;
    page.wait_until("text('.composer-status') === 'Posted.' && one('#composer-text').value === ''").await;
    page.wait_until("text('.msg:last-child .msg-body') === 'Hello, machines.' && text('.msg:last-child .badge') === 'Gallery Pass'").await;
    page.wait_until(
        "/^Post in 0:[0-2]\\d$/.test(text('.composer button')) && one('.composer button').disabled",
    )
    .await;
    page.evaluate("(one('#composer-text').value = '🐌'.repeat(281), one('#composer-text').dispatchEvent(new Event('input')))").await;
    page.wait_until(
        "text('#composer-left') === '-1' && one('#composer-text').getAttribute('aria-invalid') === 'true'",
    )
    .await;
    // For a viewer who has posted here, the page asks by itself at the next visit.
    page.visit(&server.url("/")).await;
    page.wait_until("shown('#composer-text') && text('.composer button').startsWith('Post in')").await;
    server.advance_clock(60);
    page.visit(&server.url("/")).await;
    page.wait_until("shown('#composer-text') && text('.composer button') === 'Post'").await;
    page.evaluate("one('#composer-text').focus()").await;
    page.chrome.press(&to_keys("hello,  MACHINES.")).await;
    page.chrome.press(&[ENTER]).await;
    page.wait_until(
        "text('.composer-status').length > 10 && one('#composer-text').value === 'hello,  MACHINES.'",
    )
    .await;
    let viewer = Reply::fetch(server.get_request("/api/viewers/me").bearer_auth(&pass)).await.body["viewer"]
        ["id"]
        .clone();
    let revoke_path = format!("/api/admin/passes/{}/revoke", viewer.as_str().unwrap());
    let revoke_request =
        server.post_request(&revoke_path).bearer_auth(&key).json(&json!({"reason": "no friend"}));
    assert_eq!(Reply::fetch(revoke_request).await.status, 200);
    page.chrome.press(&to_keys("And more")).await;
    page.chrome.press(&[ENTER]).await;
    page.wait_until(
        "text('.composer-status').startsWith('Your pass has ended.') && shown('.composer-status a[href=\"/gallery\"]')",
    )
    .await;
}
