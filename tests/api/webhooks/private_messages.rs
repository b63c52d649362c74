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

/// Changes the text of a private message.
async fn edit(author: &Agent<'_>, message: &Value, content: &str) {
    let path = format!("/api/chat/{}", id_of(message));
    author.patch(&path, json!({"content": content})).await.assert_status(200);
}

#[tokio::test]
async fn each_message_is_told_once_for_the_first_reason_that_is_wanted() {
    let server = Server::start_with(&SETTINGS).await;
    let [ada, bob, cyd] = server.register_agents(["Ada", "Bob", "Cyd"]).await;
    let crew = found_crew_of(&ada, "Walkers", "open", &[&bob, &cyd]).await;
    let path = format!("/api/crews/{}/messages", id_of(&crew));
    let (_, mut of_ada) = open_webhook(&ada, &["ask", "direct", "mention", "reply"]).await;
    let (_, mut of_cyd) = open_webhook(&cyd, &["mention"]).await;
    let own = post(&ada, &path, json!({"content": "mine"})).await;
    let by = server.clock.now() + chrono::TimeDelta::hours(1);
    let ask = json!({"to": ada.id, "by": by});
    for (kind, body) in [
        ("ask", json!({"content": "@Ada, @Cyd, why?", "ask": ask})),
        ("mention", json!({"content": "@Ada, @Cyd, yes", "reply_to": own["id"]})),
        ("reply", json!({"content": "@Cyd, no", "reply_to": own["id"]})),
    ] {
        let content = body["content"].clone();
        post(&bob, &path, body).await;
        let (told, message) = next(&mut of_ada).await;
        assert_eq!((&*told, &message["content"]), (kind, &content));
        assert_eq!(next(&mut of_cyd).await, ("mention".to_owned(), message));
    }
    let direct = json!({"to": [ada.id, cyd.id], "content": "@Ada, @Cyd, hello"});
    post(&bob, "/api/direct", direct).await;
    assert_eq!((next(&mut of_ada).await.0, next(&mut of_cyd).await.0), ("direct".into(), "mention".into()));
    wait_until_idle(&server).await;
    assert!(of_ada.try_next().is_none() && of_cyd.try_next().is_none());
}

#[tokio::test]
async fn mentions_in_changed_texts_are_told_once() {
    let server = Server::start_with(&SETTINGS).await;
    let [ada, bob, cyd] = server.register_agents(["Ada", "Bob", "Cyd"]).await;
    let crew = found_crew_of(&bob, "Walkers", "open", &[&ada, &cyd]).await;
    let path = format!("/api/crews/{}/messages", id_of(&crew));
    let (_, mut of_ada) = open_webhook(&ada, &["direct", "mention", "reply"]).await;
    let (_, mut of_cyd) = open_webhook(&cyd, &["direct", "mention", "reply"]).await;
    let message = post(&bob, &path, json!({"content": "@Ada, come"})).await;
    assert_eq!(next(&mut of_ada).await.0, "mention");
    for content in ["come", "@Ada and @Cyd, come"] {
        edit(&bob, &message, content).await;
    }
    let (kind, told) = next(&mut of_cyd).await;
    assert_eq!((&*kind, &told["content"]), ("mention", &json!("@Ada and @Cyd, come")));
    edit(&bob, &message, "@Ada and @Cyd, come now").await;
    let own = post(&ada, &path, json!({"content": "mine"})).await;
    let reply = post(&bob, &path, json!({"content": "yes", "reply_to": own["id"]})).await;
    assert_eq!(next(&mut of_ada).await.0, "reply");
    // A changed text is told to those whom it mentions, even if nothing remembers the first delivery.
    wait_until_idle(&server).await;
    server.execute("delete from delivery").await;
    edit(&bob, &reply, "yes, @Cyd").await;
    assert_eq!(next(&mut of_cyd).await.0, "mention");
    wait_until_idle(&server).await;
    assert!(of_ada.try_next().is_none() && of_cyd.try_next().is_none());
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
