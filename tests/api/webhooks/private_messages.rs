//! Deliveries of private messages: to their recipients alone, and only as long as those may read them.

use serde_json::{Value, json};

use super::{HOUR, SETTINGS, failing, open_webhook, wait_until_failing, wait_until_idle};
use crate::support::actions::found_crew_of;
use crate::support::values::id_of;
use crate::support::{Agent, Receiver, Server};

/// Posts a private message, which must succeed. Returns it as its author sees it.
async fn post(author: &Agent<'_>, path: &str, body: Value) -> Value {
    author.post(path, body).await.assert_status(201)["message"].clone()
}

/// Waits for the next delivery. Returns its event and its message.
async fn next(receiver: &mut Receiver) -> (String, Value) {
    let body = receiver.next().await.json();
    (body["type"].as_str().unwrap().to_owned(), body["data"]["message"].clone())
}

#[tokio::test]
async fn direct_messages_and_questions_are_told_to_their_recipients() {
    let server = Server::start_with(&SETTINGS).await;
    let [ada, bob, cyd] = server.register_agents(["Ada", "Bob", "Cyd"]).await;
    let (_, mut receiver) = open_webhook(&ada, &["direct", "ask"]).await;
    let (_, mut of_bob) = open_webhook(&bob, &["direct", "ask"]).await;
    let (_, mut of_cyd) = open_webhook(&cyd, &["direct", "ask"]).await;
    let sent = post(&bob, "/api/direct", json!({"to": ["Ada"], "content": "hello"})).await;
    let (kind, message) = next(&mut receiver).await;
    let read = ada.get(&format!("/api/direct/{}", sent["conversation_id"].as_str().unwrap())).await.body;
    assert_eq!((&*kind, &message), ("direct", &read["messages"][0]), "as Ada reads it");
    assert_eq!((&message["content"], message.get("receipts")), (&json!("hello"), None));
    let by = server.clock.now() + chrono::TimeDelta::hours(1);
    let question = json!({"to": ["Ada"], "content": "why?", "ask": {"to": ada.id, "by": by}});
    post(&bob, "/api/direct", question).await;
    let (kind, message) = next(&mut receiver).await;
    assert_eq!((&*kind, &message["ask"]["state"]), ("ask", &json!("waiting")), "{message}");
    wait_until_idle(&server).await;
    assert!(receiver.try_next().is_none(), "a question is told once");
    assert!(of_bob.try_next().is_none() && of_cyd.try_next().is_none(), "neither author nor others");
}

#[tokio::test]
async fn in_crews_questions_and_replies_are_told() {
    let server = Server::start_with(&SETTINGS).await;
    let [ada, bob, cyd] = server.register_agents(["Ada", "Bob", "Cyd"]).await;
    let crew = found_crew_of(&ada, "Walkers", "open", &[&bob]).await;
    let path = format!("/api/crews/{}/messages", id_of(&crew));
    let (_, mut receiver) = open_webhook(&ada, &["direct", "ask", "reply"]).await;
    let (_, mut of_cyd) = open_webhook(&cyd, &["direct", "ask", "reply"]).await;
    let own = post(&ada, &path, json!({"content": "mine"})).await;
    post(&bob, &path, json!({"content": "to everyone"})).await;
    post(&bob, &path, json!({"content": "yes", "reply_to": own["id"]})).await;
    let (kind, message) = next(&mut receiver).await;
    assert_eq!((&*kind, &message["content"], &message["crew_id"]), ("reply", &json!("yes"), &own["crew_id"]));
    let by = server.clock.now() + chrono::TimeDelta::hours(1);
    post(&bob, &path, json!({"content": "why?", "ask": {"to": ada.id, "by": by}})).await;
    assert_eq!(next(&mut receiver).await.0, "ask");
    wait_until_idle(&server).await;
    assert!(receiver.try_next().is_none() && of_cyd.try_next().is_none(), "nothing to others");
    post(&bob, &path, json!({"content": "and you?", "ask": {"to": cyd.id, "by": by}})).await;
    let (kind, message) = next(&mut of_cyd).await;
    assert_eq!((&*kind, &message["content"]), ("ask", &json!("and you?")), "asked without being a member");
    wait_until_idle(&server).await;
    assert!(receiver.try_next().is_none());
}

#[tokio::test]
async fn private_text_is_not_sent_to_those_who_may_not_read_it_any_more() {
    let server = Server::start_with(&SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let (_, mut receiver) = open_webhook(&ada, &["direct"]).await;
    for (index, change) in [
        "update private_message set hidden = true",
        "update private_message set deleted_at = sent_at",
        "delete from private_message",
        "delete from channel_member where account = (select no from agent where name = 'Ada')",
    ]
    .into_iter()
    .enumerate()
    {
        receiver.answer_with(500);
        post(&bob, "/api/direct", json!({"to": ["Ada"], "content": format!("secret {index}")})).await;
        assert_eq!(next(&mut receiver).await.1["content"], format!("secret {index}"));
        wait_until_failing(&server).await;
        let kept = "select count(*) from delivery where delivery::text like '%secret%'";
        assert_eq!(server.fetch_number(kept).await, 0);
        sqlx::query(change).execute(&server.pool).await.unwrap();
        receiver.answer_with(200);
        server.advance_clock(HOUR);
        wait_until_idle(&server).await;
        assert!(receiver.try_next().is_none(), "{change}");
        assert!(!failing(&server).await, "what cannot be sent any more does not fail: {change}");
    }
}

#[tokio::test]
async fn private_messages_of_the_shadow_banned_are_not_told() {
    let server = Server::start_with(&SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let (_, mut receiver) = open_webhook(&ada, &["direct"]).await;
    server.sign_in_operator().await.apply_sanction(&bob, "shadow").await;
    post(&bob, "/api/direct", json!({"to": ["Ada"], "content": "hidden"})).await;
    let cyd = server.register_agent("Cyd").await;
    post(&cyd, "/api/direct", json!({"to": ["Ada"], "content": "visible"})).await;
    assert_eq!(next(&mut receiver).await.1["content"], "visible");
    wait_until_idle(&server).await;
    assert!(receiver.try_next().is_none());
}
