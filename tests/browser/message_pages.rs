//! The pages of messages: a person with a pass writes to an agent, by keyboard alone.

use serde_json::json;

use super::axe::{assert_accessible, install_axe};
use super::chrome::{Chrome, Screen};
use super::keyboard::{ENTER, TAB};
use super::page::Page;
use super::reports_and_passes::{sign_in_with_pass, to_keys};
use super::support::Server;
use super::viewers::UNLIMITED;

/// The screen sizes: width, height, and true for touch.
const SCREENS: [(u32, u32, bool); 4] =
    [(320, 568, true), (390, 844, true), (768, 1024, true), (1440, 900, false)];

/// Asserts that the page fits every screen and is accessible.
async fn assert_well_made(page: &Page, label: &str) {
    for (width, height, is_touch) in SCREENS {
        page.chrome.emulate_screen(width, height, is_touch).await;
        page.wait_for_paint().await;
        assert_eq!(page.evaluate("misfits()").await, json!([]), "{label}, {width}");
    }
    assert_accessible(page, label).await;
}

#[tokio::test]
async fn person_writes_to_an_agent_by_keyboard() {
    let server = Server::start_with(&UNLIMITED).await;
    let ada = server.register_agent("Ada").await;
    let (page, _) = sign_in_with_pass(&server, &server.create_operator_key("desk").await).await;
    page.visit(&server.url("/messages")).await;
    assert_well_made(&page, "no conversations").await;
    page.visit(&server.url(&format!("/agents/{}", ada.id))).await;
    page.evaluate("[...document.links].find((link) => link.textContent === 'Write to this agent').focus()")
        .await;
    page.chrome.press(&[ENTER]).await;
    page.wait_until("text('h1') === 'Write to Ada'").await;
    assert_well_made(&page, "the form").await;
    page.evaluate("one('#content').focus()").await;
    page.chrome.press(&to_keys("What comes next?")).await;
    page.chrome.press(&[TAB, ENTER]).await;
    page.wait_until("location.pathname.startsWith('/messages/dm_') && text('.private-messages').includes('What comes next?')").await;
    let path = page.evaluate("location.pathname").await;
    let id = path.as_str().unwrap().trim_start_matches("/messages/").to_owned();
    let person = ada.get(&format!("/api/direct/{id}")).await.body["messages"][0]["agent_id"].clone();
    let answer = "The harbour. ".repeat(20);
    let reply = ada.post("/api/direct", json!({"to": [person], "content": answer.trim()})).await;
    assert_eq!(reply.status, 201, "{}", reply.body);
    page.visit(&server.url("/messages")).await;
    page.wait_until("text('.unread') === '1 unread'").await;
    assert_well_made(&page, "conversations").await;
    page.visit(&server.url(path.as_str().unwrap())).await;
    assert_well_made(&page, "a conversation").await;
    page.evaluate("one('#content').focus()").await;
    page.chrome.press(&to_keys("And then?")).await;
    page.chrome.press(&[TAB, ENTER]).await;
    page.wait_until("text('[role=alert]').includes('send it again in 10 minutes')").await;
    assert_eq!(page.evaluate("one('#content').value").await, "And then?");
    assert_well_made(&page, "a refusal").await;
}

/// The link to a thread: its colour is that of other links, and its underline.
const THREAD_LINK: &str = "(() => {
    const style = (selector) => getComputedStyle(one(selector));
    const isColoured = style('a.thread').color === style('.page-note a').color;
    return [isColoured, style('a.thread').textDecorationLine];
})()";

#[tokio::test]
async fn labels_of_threads_look_like_links() {
    let server = Server::start_with(&UNLIMITED).await;
    let ada = server.register_agent("Ada").await;
    let founded = ada.post("/api/crews", json!({"name": "Gardeners", "visibility": "open"})).await;
    let crew = founded.body["crew"]["id"].as_str().unwrap().to_owned();
    let message = json!({"content": "Which green?", "thread": "The hedge"});
    assert_eq!(ada.post(&format!("/api/crews/{crew}/messages"), message).await.status, 201);
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    page.visit(&server.url(&format!("/crews/{crew}"))).await;
    for theme in ["light", "dark"] {
        page.evaluate_with("document.documentElement.dataset.theme = given", json!(theme)).await;
        assert_eq!(page.evaluate(THREAD_LINK).await, json!([true, "none"]), "{theme}");
    }
    page.evaluate("one('.private-messages a').focus()").await;
    page.chrome.press(&[TAB]).await;
    assert_eq!(page.evaluate("document.activeElement.className").await, "thread");
    assert_eq!(page.evaluate(THREAD_LINK).await, json!([true, "underline"]));
}

#[tokio::test]
async fn longest_label_takes_a_few_lines_of_a_phone() {
    let server = Server::start_with(&UNLIMITED).await;
    let ada = server.register_agent("Ada").await;
    let founded = ada.post("/api/crews", json!({"name": "Gardeners", "visibility": "open"})).await;
    let crew = founded.body["crew"]["id"].as_str().unwrap().to_owned();
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    install_axe(&page.chrome).await;
    for words in ["Wintergardenwalls", "The hedge & "] {
        let label: String = words.repeat(6).chars().take(64).collect();
        let message = json!({"content": format!("About {label}"), "thread": label});
        let posted = ada.post(&format!("/api/crews/{crew}/messages"), message).await;
        assert_eq!(posted.status, 201, "{}", posted.body);
        let thread = posted.body["message"]["thread_id"].as_str().unwrap();
        page.visit(&server.url(&format!("/crews/{crew}/threads/{thread}"))).await;
        assert_well_made(&page, &label).await;
        page.chrome.emulate_screen(390, 844, true).await;
        page.wait_for_paint().await;
        let lines = "one('h1').offsetHeight / parseFloat(getComputedStyle(one('h1')).lineHeight)";
        let lines = page.evaluate(lines).await.as_f64().unwrap();
        assert!(lines < 4.5, "{label}: {lines} lines");
    }
    page.visit(&server.url(&format!("/crews/{crew}"))).await;
    assert_well_made(&page, "a crew with long labels").await;
}

#[tokio::test]
async fn crew_by_invitation_is_readable_for_a_signed_in_operator() {
    let server = Server::start_with(&UNLIMITED).await;
    let ada = server.register_agent("Ada").await;
    let crew = json!({"name": "Moonlight", "visibility": "invite"});
    let founded = ada.post("/api/crews", crew).await.body["crew"]["id"].as_str().unwrap().to_owned();
    let page = Page { chrome: Chrome::start(Screen::Desktop).await };
    page.visit(&server.url(&format!("/crews/{founded}"))).await;
    page.wait_until("text('h1') === 'There is no such crew'").await;
    page.visit(&server.url("/admin/sign-in")).await;
    page.evaluate("one('#password').focus()").await;
    page.chrome.press(&super::support::PASSWORD.chars().chain([ENTER]).collect::<Vec<_>>()).await;
    page.wait_until("location.pathname === '/admin'").await;
    page.visit(&server.url(&format!("/crews/{founded}"))).await;
    page.wait_until("text('h1') === 'Moonlight' && text('.plan-state') === 'Crew by invitation'").await;
}
