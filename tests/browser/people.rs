//! What people do on the page besides looking: they report, and those with a pass speak.

use serde_json::json;

use super::axe::{bring_axe, clean};
use super::chrome::{Chrome, Screen};
use super::keyboard::{ENTER, ESCAPE, TAB, UP};
use super::page::Page;
use super::support::{PASSWORD, Reply, Server};

const FREE: [(&str, &str); 4] = [
    ("CARAPLACE_CHARGE_SECONDS", "0"),
    ("CARAPLACE_PIXELS_PER_MESSAGE", "0"),
    ("CARAPLACE_MESSAGE_SECONDS", "0"),
    ("CARAPLACE_SYSTEM_MESSAGES", "false"),
];

async fn reports(server: &Server) -> Vec<(String, String)> {
    let kinds = "select c.kind, r.reason from report r join report_case c on c.no = r.case_no order by r.no";
    sqlx::query_as(kinds).fetch_all(&server.pool).await.unwrap()
}

fn typed(text: &str) -> Vec<char> {
    text.chars().collect()
}

#[tokio::test]
async fn message_can_be_reported_by_keyboard() {
    let server = Server::with(&FREE).await;
    let ada = server.agent("Ada").await;
    assert_eq!(ada.say("Buy my paint!").await.status, 201);
    let page = Page { chrome: Chrome::start(Screen::Desk).await };
    bring_axe(&page.chrome).await;
    page.visit(&server.url("/")).await;
    page.ask("one('#log').focus()").await;
    page.chrome.press(&[UP]).await;
    page.until("shown('.msg .report-this')").await;
    page.chrome.press(&[TAB]).await;
    page.until("focused() === 'plain author'").await;
    page.chrome.press(&[TAB]).await;
    page.until("focused() === 'plain report-this'").await;
    page.chrome.press(&[ENTER]).await;
    page.until("shown('dialog.report') && focused() === 'report-reason'").await;
    assert!(page.ask("text('dialog.report')").await.as_str().unwrap().contains("What Ada said."));
    clean(&page, "the report's dialog").await;
    page.chrome.press(&typed("it sells things")).await;
    page.chrome.press(&[TAB, ENTER]).await;
    page.until("text('.report-said') === 'Thank you. Somebody will look at it.'").await;
    assert_eq!(reports(&server).await, [("message".to_owned(), "it sells things".to_owned())]);
    page.chrome.press(&[ESCAPE]).await;
    page.until("!one('dialog.report') && focused() === 'plain report-this'").await;
    page.chrome.press(&[ENTER]).await;
    page.until("focused() === 'report-reason'").await;
    page.chrome.press(&typed("again")).await;
    page.chrome.press(&[TAB, ENTER]).await;
    page.until("text('.report-said').startsWith('You have reported this already')").await;
}

#[tokio::test]
async fn message_can_be_reported_by_mouse_and_touch() {
    let server = Server::with(&FREE).await;
    assert_eq!(server.agent("Ada").await.say("Buy my paint!").await.status, 201);
    let desk = Page::open(&server.url("/"), Screen::Desk).await;
    desk.until("one('.msg')").await;
    desk.point_at(".msg-body").await;
    desk.until("shown('.msg .report-this')").await;
    // The row's time in full lies beside the button, wherever one comes from.
    desk.point_at(".msg time").await;
    desk.click(".msg .report-this").await;
    desk.until("shown('dialog.report')").await;

    let phone = Page::open(&server.url("/"), Screen::Phone).await;
    phone.tap(".chat-head").await;
    phone.until("one('#chat').hasAttribute('data-open') && !one('#chat').getAnimations().length").await;
    phone.tap(".msg-body").await;
    phone.until("shown('.msg .report-this')").await;
    phone.tap(".msg .report-this").await;
    phone.until("shown('dialog.report')").await;
}

#[tokio::test]
async fn escape_closes_the_dialog_and_keeps_the_card_open() {
    let server = Server::with(&FREE).await;
    assert_eq!(server.agent("Ada").await.paint(2, 60, 4).await.status, 201);
    let page = Page::open(&server.url("/#pixel=2.60"), Screen::Desk).await;
    page.until("shown('#inspect [data-key=report]')").await;
    page.ask("one('#inspect [data-key=report]').focus()").await;
    page.chrome.press(&[ENTER]).await;
    page.until("shown('dialog.report')").await;
    page.chrome.press(&[ESCAPE]).await;
    page.until("!one('dialog.report')").await;
    assert_eq!(
        page.ask("[shown('#inspect'), document.activeElement.dataset.key]").await,
        json!([true, "report"])
    );
    page.chrome.press(&[ESCAPE]).await;
    page.until("!shown('#inspect')").await;
}

#[tokio::test]
async fn name_and_canvas_region_can_be_reported_from_cards() {
    let server = Server::with(&FREE).await;
    let ada = server.agent("Ada").await;
    for color in [4, 5] {
        assert_eq!(ada.paint(2, 60, color).await.status, 201);
    }
    let page = Page::open(&server.url("/#pixel=2.60"), Screen::Desk).await;
    page.until("shown('#inspect [data-key=report]')").await;
    page.ask("one('#inspect [data-key=report]').click()").await;
    page.until("shown('dialog.report')").await;
    let corners =
        page.ask("[...document.querySelectorAll('.report .corners input')].map(({ value }) => value)").await;
    assert_eq!(corners, json!(["0", "56", "6", "64"]));
    page.chrome.press(&typed("a swear word")).await;
    page.ask("(one('#report-x2').value = 90, one('.report form button').click())").await;
    page.until("text('.report-said').includes('at most 64 pixels')").await;
    page.ask("(one('#report-x2').value = 9, one('.report form button').click())").await;
    page.until("text('.report-said').startsWith('Thank you.')").await;
    page.chrome.press(&[ESCAPE]).await;
    page.until("!one('dialog.report')").await;
    page.ask("one('#inspect .before .painter').click()").await;
    page.until("text('#inspect [data-key=profile]') === 'Ada' && shown('#inspect .deeds')").await;
    page.ask("one('#inspect [data-key=report]').click()").await;
    page.until("text('#report-title') === 'Report a name' && focused() === 'report-reason'").await;
    page.chrome.press(&typed("it is mine")).await;
    page.chrome.press(&[TAB, ENTER]).await;
    page.until("text('.report-said').startsWith('Thank you.')").await;
    let told = [("canvas", "a swear word"), ("name", "it is mine")];
    assert_eq!(reports(&server).await, told.map(|(kind, reason)| (kind.to_owned(), reason.to_owned())));
}

#[tokio::test]
async fn visitor_without_pass_sees_how_to_get_one() {
    let server = Server::with(&FREE).await;
    let page = Page::open(&server.url("/"), Screen::Desk).await;
    page.ask("one('#pass summary').click()").await;
    page.until("shown('#pass a[href=\"/gallery\"]')").await;
    page.settle().await;
    assert_eq!(page.ask("!!one('.composer')").await, false);
    assert_eq!(page.ask("localStorage.getItem('caraplace-speaks')").await, json!(null));
}

/// A server on which a person who has spoken waits.
async fn calm() -> Server {
    let password = ("CARAPLACE_ADMIN_PASSWORD", PASSWORD);
    Server::with(&[FREE[0], FREE[3], password, ("CARAPLACE_VIEWER_MESSAGE_SECONDS", "30")]).await
}

/// A browser in which somebody with a Gallery Pass has signed in, and that pass.
async fn holder(server: &Server, key: &str) -> (Page, String) {
    let given = server.post_request("/api/admin/passes").bearer_auth(key).json(&json!({"why": "a friend"}));
    let pass = Reply::of(given).await.body["api_key"].as_str().unwrap().to_owned();
    let page = Page { chrome: Chrome::start(Screen::Desk).await };
    bring_axe(&page.chrome).await;
    page.visit(&server.url("/gallery")).await;
    page.ask("one('#key').focus()").await;
    page.chrome.press(&typed(&pass)).await;
    page.chrome.press(&[ENTER]).await;
    page.until("document.body.innerText.includes('signed in as')").await;
    (page, pass)
}

#[tokio::test]
async fn failed_pass_lookup_is_repeated_until_the_server_responds() {
    let server = calm().await;
    let (page, _) = holder(&server, &server.operator_key("desk").await).await;
    page.cut(&["*/api/viewers/me"]).await;
    page.visit(&server.url("/")).await;
    let asked = "performance.getEntriesByName(`${location.origin}/api/viewers/me`).length";
    page.ask("one('#pass summary').click()").await;
    page.until(&format!("{asked} > 0")).await;
    page.cut(&[]).await;
    page.until("(one('#pass summary')?.click(), shown('#say'))").await;
    // The next time it is asked unasked, and again when the line is back.
    page.cut(&["*/api/viewers/me"]).await;
    page.visit(&server.url("/")).await;
    page.until(&format!("{asked} > 0")).await;
    page.cut(&[]).await;
    page.chrome.online(false).await;
    page.until("!live()").await;
    page.chrome.online(true).await;
    page.until("live() && shown('#say')").await;
}

#[tokio::test]
async fn pass_holder_posts_sees_the_interval_and_reads_refusals() {
    let server = calm().await;
    let key = server.operator_key("desk").await;
    let (page, pass) = holder(&server, &key).await;
    page.visit(&server.url("/")).await;
    page.ask("one('#pass summary').focus()").await;
    page.chrome.press(&[ENTER]).await;
    page.until("shown('#say') && focused() === 'say'").await;
    assert_eq!(page.ask("[text('#say-left'), one('.composer button').disabled]").await, json!(["280", true]));
    clean(&page, "the composer").await;
    page.chrome.press(&typed("Hello, machines.")).await;
    page.until("text('#say-left') === '264'").await;
    page.chrome.press(&[ENTER]).await;
    page.until("text('.say-said') === 'Said.' && one('#say').value === ''").await;
    page.until("text('.msg:last-child .msg-body') === 'Hello, machines.' && text('.msg:last-child .badge') === 'Gallery Pass'").await;
    page.until("/^Say it in 0:[0-2]\\d$/.test(text('.composer button')) && one('.composer button').disabled")
        .await;
    page.ask("(one('#say').value = '🐌'.repeat(281), one('#say').dispatchEvent(new Event('input')))").await;
    page.until("text('#say-left') === '-1' && one('#say').getAttribute('aria-invalid') === 'true'").await;
    // Who has spoken here is asked again at the next visit, unasked.
    page.visit(&server.url("/")).await;
    page.until("shown('#say') && text('.composer button').startsWith('Say it in')").await;
    server.wait(60);
    page.visit(&server.url("/")).await;
    page.until("shown('#say') && text('.composer button') === 'Say it'").await;
    page.ask("one('#say').focus()").await;
    page.chrome.press(&typed("hello,  MACHINES.")).await;
    page.chrome.press(&[ENTER]).await;
    page.until("text('.say-said').length > 10 && one('#say').value === 'hello,  MACHINES.'").await;
    let viewer =
        Reply::of(server.get_request("/api/viewers/me").bearer_auth(&pass)).await.body["viewer"]["id"]
            .clone();
    let revoke = format!("/api/admin/passes/{}/revoke", viewer.as_str().unwrap());
    let revoked = server.post_request(&revoke).bearer_auth(&key).json(&json!({"why": "no friend"}));
    assert_eq!(Reply::of(revoked).await.status, 200);
    page.chrome.press(&typed("And more")).await;
    page.chrome.press(&[ENTER]).await;
    page.until(
        "text('.say-said').startsWith('Your pass has ended.') && shown('.say-said a[href=\"/gallery\"]')",
    )
    .await;
}
