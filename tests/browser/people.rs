//! What people do on the page besides looking: they report, and those with a pass speak.

use serde_json::json;

use super::axe::{bring_axe, clean};
use super::chrome::{Chrome, Screen};
use super::keyboard::{ENTER, ESCAPE, TAB, UP};
use super::page::Page;
use super::support::Server;

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
async fn a_message_is_reported_with_keys_alone() {
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
async fn a_name_and_a_part_of_the_canvas_are_reported_from_their_cards() {
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
async fn who_has_no_pass_is_told_calmly_how_to_get_one() {
    let server = Server::with(&FREE).await;
    let page = Page::open(&server.url("/"), Screen::Desk).await;
    page.ask("one('#pass summary').click()").await;
    page.until("shown('#pass a[href=\"/gallery\"]')").await;
    page.settle().await;
    assert_eq!(page.ask("!!one('.composer')").await, false);
    assert_eq!(page.ask("localStorage.getItem('caraplace-speaks')").await, json!(null));
}
