//! Viewers with a Gallery Pass answer and react on the page.

use rules::charges::REACTIONS_PER_MINUTE;
use serde_json::{Value, json};

use super::axe::assert_accessible;
use super::keyboard::{ENTER, ESCAPE, TAB, UP};
use super::page::Page;
use super::reports_and_passes::{sign_in_with_pass, to_keys};
use super::support::{PASSWORD, Reply, Server};

/// Settings without limits, on a server that sends no messages of its own.
pub const UNLIMITED: [(&str, &str); 6] = [
    ("CARAPLACE_CHARGE_SECONDS", "0"),
    ("CARAPLACE_PIXELS_PER_MESSAGE", "0"),
    ("CARAPLACE_MESSAGE_SECONDS", "0"),
    ("CARAPLACE_VIEWER_MESSAGE_SECONDS", "0"),
    ("CARAPLACE_SYSTEM_MESSAGES", "false"),
    ("CARAPLACE_ADMIN_PASSWORD", PASSWORD),
];

/// Opens the canvas page of a viewer with a pass, whose tools are loaded. Also returns the pass.
pub async fn viewer_page(server: &Server) -> (Page, String) {
    let key = server.create_operator_key("desk").await;
    let (page, pass) = sign_in_with_pass(server, &key).await;
    visit(&page, server, "/").await;
    (page, pass)
}

/// Opens a page of the viewer, and waits until its tools are loaded.
pub async fn visit(page: &Page, server: &Server, path: &str) {
    page.visit(&server.url(path)).await;
    page.wait_until("live() && shown('.inbox-button')").await;
}

/// Posts a message as the viewer. Returns its id.
pub async fn post_as_viewer(server: &Server, pass: &str, body: Value) -> String {
    let request = server.post_request("/api/chat").bearer_auth(pass).json(&body);
    let reply = Reply::fetch(request).await;
    assert_eq!(reply.status, 201, "{}", reply.body);
    reply.body["message"]["id"].as_str().unwrap().to_owned()
}

/// Focuses the last message and opens what this button of it opens, by keyboard.
pub async fn press_action(page: &Page, action: &str) {
    page.evaluate("one('.msg:last-child').focus()").await;
    let button = json!(format!(".msg:last-child [data-action={action}]"));
    page.wait_until_with("shown(given)", button.clone()).await;
    for _ in 0..8 {
        page.chrome.press(&[TAB]).await;
        if page.evaluate_with("document.activeElement.matches(given)", button.clone()).await == true {
            return page.chrome.press(&[ENTER]).await;
        }
    }
    panic!("Tab never reaches the button {action}");
}

#[tokio::test]
async fn pass_holder_answers_a_message_by_keyboard() {
    let server = Server::start_with(&UNLIMITED).await;
    let ada = server.register_agent("Ada").await;
    assert_eq!(ada.post_message("Who likes red?").await.status, 201);
    let (page, _) = viewer_page(&server).await;
    page.evaluate("one('#log').focus()").await;
    page.chrome.press(&[UP]).await;
    page.wait_until("text('.msg:focus .msg-body') === 'Who likes red?'").await;
    press_action(&page, "reply").await;
    page.wait_until(
        "focused() === 'composer-text' && shown('.composer-reply') && text('.composer-reply') === 'Replying to Ada'",
    )
    .await;
    assert_accessible(&page, "an answer").await;
    page.chrome.press(&[ESCAPE]).await;
    page.wait_until("!shown('.composer-reply') && focused() === 'composer-text'").await;
    press_action(&page, "reply").await;
    page.wait_until("focused() === 'composer-text' && shown('.composer-reply')").await;
    page.chrome.press(&to_keys("I do.")).await;
    page.chrome.press(&[ENTER]).await;
    page.wait_until("text('.msg:last-child .msg-body') === 'I do.' && text('.msg:last-child .quote') === 'Who likes red?'").await;
    page.wait_until("!shown('.composer-reply') && one('#composer-text').value === ''").await;
    page.wait_until("one('.msg:last-child').hasAttribute('data-own')").await;
}

#[tokio::test]
async fn pass_holder_reacts_and_takes_it_back() {
    let server = Server::start_with(&UNLIMITED).await;
    let ada = server.register_agent("Ada").await;
    let message = ada.post_message("Who likes red?").await.body["message"]["id"].clone();
    let (page, _) = viewer_page(&server).await;
    page.wait_until("one('.msg')").await;
    press_action(&page, "react").await;
    page.wait_until("shown('.reaction-picker') && focused() === 'choice'").await;
    assert_accessible(&page, "the choice of a reaction").await;
    page.chrome.press(&[ESCAPE]).await;
    page.wait_until("!one('.reaction-picker') && document.activeElement.matches('.msg')").await;
    press_action(&page, "react").await;
    page.wait_until("focused() === 'choice'").await;
    page.chrome.press(&[ENTER]).await;
    let has_chip = "(([emoji, count, pressed]) => { const chip = one(`[data-emoji=\"${emoji}\"]`); return chip?.querySelector('.num').textContent === count && chip.getAttribute('aria-pressed') === pressed; })(given)";
    page.wait_until_with(has_chip, json!(["👍", "1", "true"])).await;
    // Of others, the page learns by events.
    page.block_urls(&["*/api/chat?*"]).await;
    let reaction = json!({"type": "reaction", "content": "👍", "reply_to": message});
    assert_eq!(ada.post("/api/chat", reaction).await.status, 201);
    page.wait_until_with(has_chip, json!(["👍", "2", "true"])).await;
    assert_accessible(&page, "reactions").await;
    page.evaluate("one('.chip').focus()").await;
    page.chrome.press(&[ENTER]).await;
    page.wait_until_with(has_chip, json!(["👍", "1", "false"])).await;
    page.wait_until("document.activeElement.matches('.chip')").await;
    page.block_urls(&[]).await;

    press_action(&page, "react").await;
    page.wait_until("one('.other-emoji')").await;
    page.evaluate("(one('.other-emoji').value = 'red', one('.reaction-picker').requestSubmit())").await;
    page.wait_until("text('.reaction-picker .panel-status') === 'Type exactly one emoji.'").await;
    page.evaluate("(one('.other-emoji').value = '🐌', one('.reaction-picker').requestSubmit())").await;
    page.wait_until_with(has_chip, json!(["🐌", "1", "true"])).await;
    // The browser remembers what is its viewer's own.
    visit(&page, &server, "/").await;
    page.wait_until_with(has_chip, json!(["🐌", "1", "true"])).await;
    page.wait_until_with(has_chip, json!(["👍", "1", "false"])).await;
}

#[tokio::test]
async fn viewer_who_reacts_too_often_reads_how_long_to_wait() {
    let server = Server::start_with(&UNLIMITED).await;
    let ada = server.register_agent("Ada").await;
    let message = ada.post_message("Who likes red?").await.body["message"]["id"].clone();
    let (page, pass) = viewer_page(&server).await;
    page.wait_until("one('.msg')").await;
    press_action(&page, "react").await;
    page.wait_until("focused() === 'choice'").await;
    // One reaction comes back every six seconds, so the allowance is used up right before the last one.
    let reaction = json!({"type": "reaction", "content": "👍", "reply_to": message});
    for _ in 0..REACTIONS_PER_MINUTE {
        let request = server.post_request("/api/chat").bearer_auth(&pass).json(&reaction);
        assert_eq!(Reply::fetch(request).await.status, 201);
    }
    page.chrome.press(&[ENTER]).await;
    page.wait_until("/^Too many reactions at once. Try again in [1-6] s.$/.test(text('.panel-status'))")
        .await;
}

#[tokio::test]
async fn buttons_at_a_message_can_be_touched() {
    let server = Server::start_with(&UNLIMITED).await;
    let ada = server.register_agent("Ada").await;
    assert_eq!(ada.post_message("Who likes red?").await.status, 201);
    let (page, _) = viewer_page(&server).await;
    page.chrome.emulate_screen(390, 844, true).await;
    visit(&page, &server, "/").await;
    page.tap(".chat-header").await;
    page.wait_until("one('#chat').hasAttribute('data-open') && !one('#chat').getAnimations().length").await;
    page.tap(".msg-body").await;
    page.wait_until("shown('.msg [data-action=reply]')").await;
    // The open chat covers the canvas.
    let problems = page.evaluate("misfits().filter((problem) => !problem.startsWith('covered'))").await;
    assert_eq!(problems, json!([]));
    assert_accessible(&page, "a touched message").await;
    page.tap(".msg [data-action=reply]").await;
    page.wait_until("text('.composer-reply') === 'Replying to Ada'").await;
}

#[tokio::test]
async fn visitor_without_pass_has_no_buttons_of_viewers() {
    let server = Server::start_with(&UNLIMITED).await;
    let ada = server.register_agent("Ada").await;
    assert_eq!(ada.post_message("Who likes red?").await.status, 201);
    let (page, pass) = viewer_page(&server).await;
    page.wait_until("one('.msg')").await;
    let key = server.create_operator_key("other").await;
    let viewer = Reply::fetch(server.get_request("/api/viewers/me").bearer_auth(&pass)).await;
    let path = format!("/api/admin/passes/{}/revoke", viewer.body["viewer"]["id"].as_str().unwrap());
    let request = server.post_request(&path).bearer_auth(&key).json(&json!({"reason": "no friend"}));
    assert_eq!(Reply::fetch(request).await.status, 200);
    visit(&page, &server, "/").await;
    page.evaluate("one('.msg:last-child').focus()").await;
    page.wait_until("shown('.msg .report-button')").await;
    assert_eq!(page.evaluate("document.querySelectorAll('.message-action').length").await, 0);
}

#[tokio::test]
async fn pass_holder_erases_its_account_on_the_page_of_its_pass() {
    let server = Server::start_with(&UNLIMITED).await;
    let (page, pass) = viewer_page(&server).await;
    let message = post_as_viewer(&server, &pass, json!({"content": "Forget me"})).await;
    page.visit(&server.url("/gallery")).await;
    assert_eq!(page.evaluate("one('a[download]').getAttribute('href')").await, "/api/viewers/me/export");
    let name = page.evaluate("one('#name').value").await;
    page.evaluate("one('#confirm').focus()").await;
    page.chrome.press(&to_keys(name.as_str().unwrap())).await;
    page.chrome.press(&[ENTER]).await;
    page.wait_until("text('h1') === 'Your account is erased'").await;
    assert_accessible(&page, "an erased account").await;
    let me = Reply::fetch(server.get_request("/api/viewers/me").bearer_auth(&pass)).await;
    assert_eq!(me.status, 401);
    page.visit(&server.url("/gallery")).await;
    page.wait_until("shown('#key')").await;
    let shown = Reply::fetch(server.get_request(&format!("/api/chat/{message}"))).await;
    assert_eq!(shown.body["message"]["agent_name"], "removed agent");
}
