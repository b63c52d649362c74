//! Edited and deleted messages on the page, the chat's switch, and messages of the system.

use serde_json::json;

use super::axe::assert_accessible;
use super::chrome::Screen;
use super::keyboard::{ENTER, ESCAPE};
use super::page::Page;
use super::reports_and_passes::to_keys;
use super::support::{Reply, Server};
use super::viewers::{UNLIMITED, post_as_viewer, press_action, viewer_page};

#[tokio::test]
async fn edited_and_deleted_messages_change_in_place() {
    let server = Server::start_with(&UNLIMITED).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let message = ada.post_message("Rad is mine.").await.body["message"]["id"].as_str().unwrap().to_owned();
    assert_eq!(bob.post("/api/chat", json!({"content": "Which?", "reply_to": message})).await.status, 201);
    let page = Page::open(&server.url("/"), Screen::Desktop).await;
    page.wait_until("text('.msg:last-child .quote') === 'Rad is mine.'").await;
    page.block_urls(&["*/api/chat*"]).await;
    let path = format!("/api/chat/{message}");
    let request = server.client.patch(server.url(&path)).bearer_auth(&ada.key);
    let reply = Reply::fetch(request.json(&json!({"content": "Red is mine, @Bob."}))).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    page.wait_until("text('.msg .msg-body') === 'Red is mine, @Bob.' && text('.msg .edited') === 'edited'")
        .await;
    page.wait_until("one('.edited').title.startsWith('Edited ') && text('.msg-body .mention') === '@Bob'")
        .await;
    page.wait_until("text('.msg:last-child .quote') === 'Red is mine, @Bob.'").await;
    let reloaded = Page::open(&server.url("/"), Screen::Desktop).await;
    reloaded.wait_until("text('.msg .edited') === 'edited'").await;
    let request = server.client.delete(server.url(&path)).bearer_auth(&ada.key);
    assert_eq!(Reply::fetch(request).await.status, 200);
    page.wait_until("lines() === 'Which?' && text('.quote') === 'a message that was taken down'").await;
}

#[tokio::test]
async fn viewer_edits_its_message_and_deletes_it_after_asking() {
    let server = Server::start_with(&UNLIMITED).await;
    let ada = server.register_agent("Ada").await;
    let (page, pass) = viewer_page(&server).await;
    post_as_viewer(&server, &pass, json!({"content": "Helo."})).await;
    page.wait_until("text('.msg:last-child .msg-body') === 'Helo.'").await;
    press_action(&page, "edit").await;
    page.wait_until(
        "shown('.message-editor textarea') && document.activeElement.matches('.message-editor textarea')",
    )
    .await;
    assert_accessible(&page, "the editor").await;
    page.chrome.press(&[ESCAPE]).await;
    page.wait_until("!one('.message-editor')").await;
    press_action(&page, "edit").await;
    page.evaluate("one('.message-editor textarea').value = ''").await;
    page.chrome.press(&[ENTER]).await;
    page.wait_until("text('.message-panel .panel-status').length > 5").await;
    page.chrome.press(&to_keys("Helo!")).await;
    page.evaluate("one('.message-editor textarea').value = 'Hello, Ada.'").await;
    page.chrome.press(&[ENTER]).await;
    page.wait_until("!one('.message-editor') && text('.msg:last-child .msg-body') === 'Hello, Ada.' && shown('.msg:last-child .edited')").await;
    press_action(&page, "delete").await;
    page.wait_until("text('.message-panel').startsWith('Delete this message') && document.activeElement.textContent === 'Keep it'").await;
    assert_accessible(&page, "the question before a deletion").await;
    page.chrome.press(&[ENTER]).await;
    page.wait_until("!one('.message-panel') && lines() === 'Hello, Ada.'").await;
    press_action(&page, "delete").await;
    page.evaluate("one('.message-panel .panel-action').click()").await;
    page.wait_until("lines() === ''").await;
    assert_eq!(ada.post_message("And now?").await.status, 201);
    page.wait_until("lines() === 'And now?'").await;
    page.evaluate("one('.msg').focus()").await;
    page.wait_until("shown('[data-action=reply]')").await;
    assert_eq!(page.evaluate("shown('[data-action=edit], [data-action=delete]')").await, false, "of another");
}

#[tokio::test]
async fn open_page_follows_the_switch_of_the_chat_and_keeps_the_composer() {
    let server = Server::start_with(&UNLIMITED).await;
    assert_eq!(server.register_agent("Ada").await.post_message("Hello.").await.status, 201);
    let (page, _) = viewer_page(&server).await;
    page.evaluate("(window.neverReloaded = true, one('#composer-text').focus())").await;
    page.chrome.press(&to_keys("Half a thou")).await;
    let operator = server.sign_in_operator().await;
    let set_chat_enabled = async |is_enabled: bool| {
        let setting = json!({"name": "chat_enabled", "value": is_enabled, "reason": "a trial"});
        assert_eq!(operator.post("/api/admin/settings", setting).await.status, 200);
    };
    // No message follows the change: the page learns of it by the stream.
    set_chat_enabled(false).await;
    page.wait_until("shown('.chat-disabled') && !shown('#log') && !shown('#composer-text')").await;
    assert_eq!(
        page.evaluate("text('#chat-announcement')").await,
        "The chat is switched off. The painting goes on."
    );
    assert_accessible(&page, "the chat is off").await;
    set_chat_enabled(true).await;
    page.wait_until("shown('#log') && !shown('.chat-disabled') && lines().startsWith('Hello.')").await;
    assert_eq!(
        page.evaluate("[one('#composer-text').value, shown('#composer-text'), neverReloaded]").await,
        json!(["Half a thou", true, true])
    );
}

#[tokio::test]
async fn rollback_message_outlines_its_region() {
    let settings = [UNLIMITED[0], UNLIMITED[1], UNLIMITED[2], UNLIMITED[5]];
    let server = Server::start_with(&settings).await;
    let ada = server.register_agent("Ada").await;
    assert_eq!(ada.paint(12, 12, 5).await.status, 201);
    let page = Page::open(&server.url("/"), Screen::Desktop).await;
    let operator = server.sign_in_operator().await;
    let order = json!({"agent_id": ada.id, "from": "1", "region": {"x1": 12, "y1": 12, "x2": 12, "y2": 12}, "reason": "graffiti"});
    let reply = operator.post("/api/admin/rollbacks", order).await;
    assert_eq!(reply.status, 201, "{}", reply.body);
    page.wait_until("text('.msg[data-from=system] .intent-map').includes('12, 12 to 12, 12')").await;
    let is_below_text = "(([time, body]) => time.top >= body.bottom)(['> time', '.msg-body'].map((part) => one(`.msg[data-from=system] ${part}`).getBoundingClientRect()))";
    assert_eq!(page.evaluate(is_below_text).await, true, "the time covers the text");
    page.evaluate("one('.msg[data-from=system] .intent-map').focus()").await;
    let is_dimmed = "one('#overlay').getContext('2d').getImageData(100 * one('#overlay').width / 128, 100 * one('#overlay').height / 128, 1, 1).data[3] > 0";
    page.wait_until(is_dimmed).await;
}
