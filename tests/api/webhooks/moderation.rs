//! Messages that were taken down, those of shadow-banned authors, and events of banned agents are not sent.

use serde_json::json;

use super::{
    HOUR, SETTINGS, eventually, failing, list_deliveries, open_webhook, wait_for_delivery, wait_until_idle,
};
use crate::support::actions::post_message;
use crate::support::{OperatorBrowser, Server};

async fn operate(operator: &OperatorBrowser<'_>, path: &str) {
    let reply = operator.post(path, json!({"reason": "test"})).await;
    assert_eq!(reply.status, 200, "{path}: {}", reply.body);
}

#[tokio::test]
async fn hidden_message_is_not_sent_any_more() {
    let server = Server::start_with(&SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let (webhook, mut receiver) = open_webhook(&ada, &["mention"]).await;
    receiver.answer_with(500);
    let message = post_message(&bob, json!({"content": "@Ada a secret of mine"})).await;
    receiver.next().await;
    eventually(async || failing(&server).await.then_some(())).await;
    let operator = server.sign_in_operator().await;
    operate(&operator, &format!("/api/admin/messages/{}/hide", message["id"].as_str().unwrap())).await;
    receiver.answer_with(200);
    server.advance_clock(HOUR);
    wait_until_idle(&server).await;
    assert!(receiver.try_next().is_none());
    let deliveries = list_deliveries(&ada, &webhook).await;
    assert_eq!((deliveries.len(), &deliveries[0]["state"]), (1, &json!("failed")));
    operate(&operator, &format!("/api/admin/messages/{}/restore", message["id"].as_str().unwrap())).await;
    let resend = format!("{}/deliveries/{}/resend", webhook.path, deliveries[0]["id"].as_str().unwrap());
    assert_eq!(ada.post(&resend, json!({})).await.status, 202);
    assert_eq!(receiver.next().await.json()["data"]["message"]["content"], "@Ada a secret of mine");
}

#[tokio::test]
async fn deliveries_wait_while_the_chat_is_switched_off() {
    let server = Server::start_with(&SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let (webhook, mut receiver) = open_webhook(&ada, &["mention"]).await;
    receiver.answer_with(500);
    post_message(&bob, json!({"content": "@Ada hello"})).await;
    receiver.next().await;
    eventually(async || failing(&server).await.then_some(())).await;
    receiver.answer_with(200);
    let operator = server.sign_in_operator().await;
    let set_chat = async |is_enabled: bool| {
        let body = json!({"name": "chat_enabled", "value": is_enabled, "reason": "test"});
        let changed = operator.post("/api/admin/settings", body).await;
        assert_eq!(changed.status, 200, "{}", changed.body);
    };
    set_chat(false).await;
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
    set_chat(true).await;
    server.advance_clock(HOUR);
    assert_eq!(receiver.next().await.json()["data"]["message"]["content"], "@Ada hello");
    assert_eq!(wait_for_delivery(&ada, &webhook, "delivered").await["attempts"], 2);
}

#[tokio::test]
async fn deleted_message_is_not_sent_and_its_text_is_not_kept() {
    let server = Server::start_with(&SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let (_, mut receiver) = open_webhook(&ada, &["mention"]).await;
    receiver.answer_with(500);
    let message = post_message(&bob, json!({"content": "@Ada a secret of mine"})).await;
    receiver.next().await;
    eventually(async || failing(&server).await.then_some(())).await;
    let kept = "select count(*) from delivery where delivery::text like '%secret of mine%'";
    assert_eq!(sqlx::query_scalar::<_, i64>(kept).fetch_one(&server.pool).await.unwrap(), 0);
    assert_eq!(bob.delete(&format!("/api/chat/{}", message["id"].as_str().unwrap())).await.status, 200);
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
    let own = post_message(&ada, json!({"content": "hello"})).await;
    let operator = server.sign_in_operator().await;
    operate(&operator, &format!("/api/admin/agents/{}/shadow", bob.id)).await;
    post_message(&bob, json!({"content": "@Ada hello"})).await;
    post_message(&bob, json!({"content": "a reply", "reply_to": own["id"]})).await;
    let cyd = server.register_agent("Cyd").await;
    post_message(&cyd, json!({"content": "@Ada from Cyd"})).await;
    assert_eq!(receiver.next().await.json()["data"]["message"]["content"], "@Ada from Cyd");
    wait_until_idle(&server).await;
    assert!(receiver.try_next().is_none());
}

#[tokio::test]
async fn webhook_of_a_banned_agent_sends_nothing() {
    let server = Server::start_with(&SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let (webhook, mut receiver) = open_webhook(&ada, &["mention"]).await;
    receiver.answer_with(500);
    post_message(&bob, json!({"content": "@Ada before the ban"})).await;
    receiver.next().await;
    eventually(async || failing(&server).await.then_some(())).await;
    let operator = server.sign_in_operator().await;
    operate(&operator, &format!("/api/admin/agents/{}/ban", ada.id)).await;
    receiver.answer_with(200);
    post_message(&bob, json!({"content": "@Ada during the ban"})).await;
    server.advance_clock(HOUR);
    // A test of another agent shows that the job has looked at everything due.
    let (other, mut other_receiver) = open_webhook(&bob, &["mention"]).await;
    post_message(&server.register_agent("Cyd").await, json!({"content": "@Bob hello"})).await;
    other_receiver.next().await;
    wait_for_delivery(&bob, &other, "delivered").await;
    assert!(receiver.try_next().is_none());
    operate(&operator, &format!("/api/admin/agents/{}/unban", ada.id)).await;
    assert_eq!(receiver.next().await.json()["data"]["message"]["content"], "@Ada before the ban");
    wait_until_idle(&server).await;
    assert_eq!(list_deliveries(&ada, &webhook).await.len(), 1, "what happened meanwhile is not told");
}
