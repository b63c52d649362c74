//! Messages that were taken down, those of shadow-banned authors, and events of banned agents are not sent.

use serde_json::{Value, json};

use super::{
    HOUR, SETTINGS, eventually, list_deliveries, open_webhook, wait_for_delivery, wait_until_failing,
    wait_until_idle,
};
use crate::support::actions::{post_message, post_text};
use crate::support::values::id_of;
use crate::support::{Agent, Receiver, Server};

/// Posts a message that mentions Ada, and waits until its delivery has failed. Returns the message.
async fn fail_to_deliver(author: &Agent<'_>, content: &str, receiver: &mut Receiver) -> Value {
    receiver.answer_with(500);
    let message = post_text(author, content).await;
    receiver.next().await;
    wait_until_failing(author.server).await;
    message
}

#[tokio::test]
async fn hidden_message_is_not_sent_any_more() {
    let server = Server::start_with(&SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let (webhook, mut receiver) = open_webhook(&ada, &["mention"]).await;
    let message = fail_to_deliver(&bob, "@Ada a secret of mine", &mut receiver).await;
    let operator = server.sign_in_operator().await;
    operator.hide_message(&message).await;
    receiver.answer_with(200);
    server.advance_clock(HOUR);
    wait_until_idle(&server).await;
    assert!(receiver.try_next().is_none());
    let deliveries = list_deliveries(&ada, &webhook).await;
    assert_eq!((deliveries.len(), &deliveries[0]["state"]), (1, &json!("failed")));
    operator.restore_message(&message).await;
    let resend = format!("{}/deliveries/{}/resend", webhook.path, deliveries[0]["id"].as_str().unwrap());
    assert_eq!(ada.post(&resend, json!({})).await.status, 202);
    assert_eq!(receiver.next().await.json()["data"]["message"]["content"], "@Ada a secret of mine");
}

#[tokio::test]
async fn deliveries_wait_while_the_chat_is_switched_off() {
    let server = Server::start_with(&SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let (webhook, mut receiver) = open_webhook(&ada, &["mention"]).await;
    fail_to_deliver(&bob, "@Ada hello", &mut receiver).await;
    receiver.answer_with(200);
    let operator = server.sign_in_operator().await;
    operator.change_setting("chat_enabled", json!(false)).await;
    let tried_at = server.clock.now() + chrono::TimeDelta::seconds(HOUR);
    server.advance_clock(HOUR);
    let released =
        "select exists (select from delivery where attempts = 1 and next_at > $1 + interval '2 minutes')";
    eventually(async || {
        let query = sqlx::query_scalar(released).bind(tried_at);
        let is_released: bool = query.fetch_one(&server.pool).await.unwrap();
        is_released.then_some(())
    })
    .await;
    assert!(receiver.try_next().is_none(), "no message is sent while the chat is switched off");
    let deliveries = list_deliveries(&ada, &webhook).await;
    assert_eq!((deliveries.len(), &deliveries[0]["state"]), (1, &json!("pending")));
    operator.change_setting("chat_enabled", json!(true)).await;
    server.advance_clock(HOUR);
    assert_eq!(receiver.next().await.json()["data"]["message"]["content"], "@Ada hello");
    assert_eq!(wait_for_delivery(&ada, &webhook, "delivered").await["attempts"], 2);
}

#[tokio::test]
async fn deleted_message_is_not_sent_and_its_text_is_not_kept() {
    let server = Server::start_with(&SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let (_, mut receiver) = open_webhook(&ada, &["mention"]).await;
    let message = fail_to_deliver(&bob, "@Ada a secret of mine", &mut receiver).await;
    let kept = "select count(*) from delivery where delivery::text like '%secret of mine%'";
    assert_eq!(server.fetch_number(kept).await, 0);
    assert_eq!(bob.delete(&format!("/api/chat/{}", id_of(&message))).await.status, 200);
    receiver.answer_with(200);
    server.advance_clock(HOUR);
    wait_until_idle(&server).await;
    assert!(receiver.try_next().is_none());
}

#[tokio::test]
async fn messages_of_the_shadow_banned_are_not_told() {
    let server = Server::start_with(&SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let (_, mut receiver) = open_webhook(&ada, &["mention", "reply"]).await;
    let own = post_text(&ada, "hello").await;
    server.sign_in_operator().await.apply_sanction(&bob, "shadow").await;
    post_text(&bob, "@Ada hello").await;
    post_message(&bob, json!({"content": "a reply", "reply_to": own["id"]})).await;
    post_text(&server.register_agent("Cyd").await, "@Ada from Cyd").await;
    assert_eq!(receiver.next().await.json()["data"]["message"]["content"], "@Ada from Cyd");
    wait_until_idle(&server).await;
    assert!(receiver.try_next().is_none());
}

#[tokio::test]
async fn webhook_of_a_banned_agent_sends_nothing() {
    let server = Server::start_with(&SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let (webhook, mut receiver) = open_webhook(&ada, &["mention"]).await;
    fail_to_deliver(&bob, "@Ada before the ban", &mut receiver).await;
    let operator = server.sign_in_operator().await;
    operator.apply_sanction(&ada, "ban").await;
    receiver.answer_with(200);
    post_text(&bob, "@Ada during the ban").await;
    server.advance_clock(HOUR);
    // A test of another agent shows that the job has looked at everything due.
    let (other, mut other_receiver) = open_webhook(&bob, &["mention"]).await;
    post_text(&server.register_agent("Cyd").await, "@Bob hello").await;
    other_receiver.next().await;
    wait_for_delivery(&bob, &other, "delivered").await;
    assert!(receiver.try_next().is_none());
    operator.apply_sanction(&ada, "unban").await;
    assert_eq!(receiver.next().await.json()["data"]["message"]["content"], "@Ada before the ban");
    wait_until_idle(&server).await;
    assert_eq!(list_deliveries(&ada, &webhook).await.len(), 1, "what happened meanwhile is not told");
}
