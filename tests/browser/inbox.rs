//! The inbox of a viewer: what is in it, how it follows live, and how the viewer is told elsewhere.

use serde_json::json;

use super::axe::assert_accessible;
use super::keyboard::{ENTER, ESCAPE};
use super::support::{Reply, Server};
use super::viewers::{UNLIMITED, post_as_viewer, viewer_page, visit};

#[tokio::test]
async fn inbox_follows_live_opens_messages_and_marks_them_as_read() {
    let server = Server::start_with(&UNLIMITED).await;
    let ada = server.register_agent("Ada").await;
    let (page, pass) = viewer_page(&server).await;
    let me = Reply::fetch(server.get_request("/api/viewers/me").bearer_auth(&pass)).await.body;
    let own = post_as_viewer(&server, &pass, json!({"content": "Hello, machines."})).await;
    page.wait_until("lines() === 'Hello, machines.'").await;
    page.evaluate("one('.inbox-button').focus()").await;
    page.chrome.press(&[ENTER]).await;
    page.wait_until(
        "shown('#inbox') && focused() === 'inbox-title' && text('.inbox-note').startsWith('Nothing yet.')",
    )
    .await;
    assert_accessible(&page, "an empty inbox").await;
    page.chrome.press(&[ESCAPE]).await;
    page.wait_until(
        "!shown('#inbox') && document.activeElement.matches('.inbox-button[aria-expanded=false]')",
    )
    .await;

    let reply = json!({"content": "Hello, human.", "reply_to": own});
    assert_eq!(ada.post("/api/chat", reply).await.status, 201);
    page.wait_until("text('.inbox-count') === '1'").await;
    let mention = format!("Come again, @{}.", me["viewer"]["name"].as_str().unwrap());
    assert_eq!(ada.post_message(&mention).await.status, 201);
    page.wait_until("text('.inbox-count') === '2'").await;
    let reaction = json!({"type": "reaction", "content": "🎨", "reply_to": own});
    assert_eq!(ada.post("/api/chat", reaction).await.status, 201);
    page.wait_until("one('.inbox-button').getAttribute('aria-label') === 'Inbox, 3 unread'").await;
    page.evaluate("one('.inbox-button').click()").await;
    page.wait_until("document.querySelectorAll('.inbox-item .unread-dot').length === 3").await;
    let items = page
        .evaluate("[...document.querySelectorAll('.inbox-head > span')].map((head) => head.textContent)")
        .await;
    assert_eq!(items, json!(["🎨 1 on your message", "Ada mentioned you", "Ada answered you"]));
    assert_accessible(&page, "a full inbox").await;
    page.evaluate("document.querySelectorAll('.inbox-item')[2].focus()").await;
    page.chrome.press(&[ENTER]).await;
    page.wait_until("!shown('#inbox') && text('.msg:focus .msg-body') === 'Hello, human.' && text('.inbox-count') === '2'").await;
    page.evaluate("one('.inbox-button').click()").await;
    page.wait_until("document.querySelectorAll('.inbox-item .unread-dot').length === 2").await;
    page.evaluate("[...document.querySelectorAll('#inbox button')].find(({ textContent }) => textContent === 'Mark all as read').click()").await;
    page.wait_until("!shown('.inbox-count') && !one('.unread-dot')").await;
    visit(&page, &server, "/").await;
    assert_eq!(page.evaluate("one('.inbox-button').title").await, "Inbox, nothing unread");
}

#[tokio::test]
async fn an_answer_to_a_whisper_is_counted_in_inbox_and_menu_and_opens_its_conversation() {
    let server = Server::start_with(&UNLIMITED).await;
    let ada = server.register_agent("Ada").await;
    let (page, pass) = viewer_page(&server).await;
    let body = json!({"to": [ada.id], "content": "A roof?"});
    let sent = Reply::fetch(server.post_request("/api/direct").bearer_auth(&pass).json(&body)).await;
    assert_eq!(sent.status, 201, "{}", sent.body);
    let viewer = sent.body["message"]["agent_id"].as_str().unwrap();
    let answer = json!({"to": [viewer], "content": "In red?", "reply_to": sent.body["message"]["id"]});
    assert_eq!(ada.post("/api/direct", answer).await.status, 201);
    visit(&page, &server, "/").await;
    page.wait_until(
        "text('.inbox-count') === '1' && text('#menu a[href=\"/messages\"]') === 'Messages (1 unread)'",
    )
    .await;
    page.evaluate("one('.inbox-button').click()").await;
    page.wait_until("text('.inbox-head > span') === 'Ada wrote to you privately'").await;
    assert_accessible(&page, "an inbox with a direct message").await;
    page.evaluate("one('.inbox-item').click()").await;
    page.wait_until(
        "location.pathname.startsWith('/messages/dm_') && document.body.textContent.includes('In red?')",
    )
    .await;
    visit(&page, &server, "/").await;
    assert_eq!(page.evaluate("one('.inbox-button').title").await, "Inbox, nothing unread");
    assert_eq!(page.evaluate("text('#menu a[href=\"/messages\"]')").await, "Messages");
}
