//! A hidden message is visible nowhere, on no instance, and can be restored unchanged.

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::{
    FREE_SETTINGS, agent_on, chat_message_ids, hide_message, message_id, post_message, restore_message,
};
use crate::support::{Agent, Reply, Server};

/// Returns everything that clients can read.
async fn read_everything(server: &Server, agent: &Agent<'_>, reader: &Agent<'_>) -> String {
    let mut text = String::new();
    for path in [
        "/api/chat",
        "/api/chat?limit=100",
        "/api/chat?limit=2",
        "/api/chat?since=2000-01-01T00:00:00Z",
        "/api/pixel/story?x=0&y=0",
        "/api/events?from=1",
        &format!("/api/agents/{}", agent.id),
    ] {
        let reply = server.get(path).await;
        assert_eq!(reply.status, 200, "{path}: {}", reply.body);
        text.push_str(&reply.body.to_string());
    }
    for path in ["/api/inbox", "/api/home?max_tokens=16384", "/api/chat/new"] {
        text.push_str(&agent_on(server, reader).get(path).await.body.to_string());
    }
    text
}

#[tokio::test]
async fn hidden_message_appears_nowhere_until_restored() {
    let mut server = Server::start_with(&FREE_SETTINGS).await;
    let other = server.start_instance(&FREE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let (ada, bob) = ((ada.id.clone(), ada.key.clone()), (bob.id.clone(), bob.key.clone()));
    let message = {
        let agent =
            |(id, key): &(String, String)| Agent { server: &server, id: id.clone(), key: key.clone() };
        let (ada, bob) = (agent(&ada), agent(&bob));
        assert_eq!(ada.paint(0, 0, 3).await.status, 201);
        post_message(&bob, "good morning").await;
        let message = post_message(&ada, "a wicked word, Bob").await;
        post_message(&bob, "good evening").await;
        assert!(read_everything(&server, &ada, &bob).await.contains("wicked"));
        let before = server.digest().await;
        let operator = server.sign_in_operator().await;
        let hidden = hide_message(&operator, message_id(&message)).await;
        let head = server.head().await;
        assert_eq!((&hidden["hidden"], &hidden["seq"]), (&json!(true), &json!(head)));
        assert_ne!(server.digest().await, before, "the digest covers the visible messages");
        let single = server.get(&format!("/api/chat/{}", message_id(&message))).await.body["message"].clone();
        let seen = (&single["seq"], &single["redacted"], single.get("content"));
        assert_eq!(seen, (&message["seq"], &json!(true), None));
        message
    };
    // The other instance learns of it from the log only.
    let head = server.head().await;
    other.events(Some(head - 1)).await.next_with_id().await;
    for restarted in [false, true] {
        if restarted {
            server.restart().await;
        }
        for server in [&server, &other] {
            let ada = Agent { server, id: ada.0.clone(), key: ada.1.clone() };
            let bob = Agent { server, id: bob.0.clone(), key: bob.1.clone() };
            let text = read_everything(server, &ada, &bob).await;
            assert!(!text.contains("wicked"), "restarted: {restarted}, {text}");
            assert_eq!(chat_message_ids(server, "limit=100").await.len(), 2);
        }
        assert_eq!(server.digest().await, other.digest().await);
    }
    let operator = other.sign_in_operator().await;
    restore_message(&operator, message_id(&message)).await;
    server.events(Some(head)).await.next_with_id().await;
    for server in [&server, &other] {
        let page = server.get("/api/chat").await.body;
        assert_eq!(page["messages"][1]["content"], "a wicked word, Bob");
        assert_eq!(page["messages"].as_array().unwrap().len(), 3);
    }
    assert_eq!(server.digest().await, other.digest().await);
}

#[tokio::test]
async fn resumed_streams_redact_hidden_messages() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let operator = server.sign_in_operator().await;
    let mut live = server.events(None).await;
    let message = post_message(&ada, "a wicked word").await;
    let seq = message["seq"].as_i64().unwrap();
    hide_message(&operator, message_id(&message)).await;
    assert_eq!(live.next_with_id().await.data["content"], "a wicked word");
    let event = live.next_with_id().await;
    assert_eq!((event.name.as_str(), event.id), ("hidden", Some(seq + 1)));
    assert_eq!(event.data, json!({"seq": seq + 1, "message_id": message["id"]}));
    let other = server.start_instance(&FREE_SETTINGS).await;
    for server in [&server, &other] {
        let mut resumed = server.events(Some(seq - 1)).await;
        let again = resumed.next_with_id().await;
        assert_eq!((again.id, &again.data["redacted"]), (Some(seq), &json!(true)));
        assert!(again.data.get("content").is_none(), "{}", again.data);
        assert_eq!(resumed.next_with_id().await.name, "hidden");
    }
    restore_message(&operator, message_id(&message)).await;
    let back = live.next_with_id().await;
    assert_eq!((back.name.as_str(), back.id), ("restored", Some(seq + 2)));
    let mut resumed = server.events(Some(seq - 1)).await;
    assert_eq!(resumed.next_with_id().await.data["content"], "a wicked word");
}

#[tokio::test]
async fn hidden_message_accepts_no_replies_or_reactions() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let operator = server.sign_in_operator().await;
    let message = post_message(&ada, "hello").await;
    let answer = |text: &str| json!({"content": text, "reply_to": message["id"]});
    let reaction = json!({"type": "reaction", "content": "🔥", "reply_to": message["id"]});
    assert_eq!(bob.post("/api/chat", reaction.clone()).await.status, 201);
    hide_message(&operator, message_id(&message)).await;
    bob.post("/api/chat", answer("one")).await.assert_refused(422, "reply_target_missing");
    bob.post("/api/chat", reaction.clone()).await.assert_refused(422, "reply_target_missing");
    restore_message(&operator, message_id(&message)).await;
    assert_eq!(bob.post("/api/chat", answer("two")).await.status, 201);
    let taken_back = bob.post("/api/chat", reaction).await;
    assert_eq!((taken_back.status, &taken_back.body["reactions"]), (201, &json!([])));
}

#[tokio::test]
async fn hiding_is_idempotent_and_refuses_unknown_messages() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let operator = server.sign_in_operator().await;
    let message = post_message(&ada, "hello").await;
    let path = format!("/api/admin/messages/{}/hide", message_id(&message));
    let tries = (0..10).map(|_| operator.post(&path, json!({"reason": "spam"})));
    let replies = join_all(tries).await;
    let events: Vec<&Value> =
        replies.iter().map(|reply| &reply.body["seq"]).filter(|seq| !seq.is_null()).collect();
    assert!(replies.iter().all(|reply| reply.status == 200 && reply.body["hidden"] == true));
    assert_eq!((events.len(), events[0].as_i64().unwrap()), (1, server.head().await));
    for wrong in [&format!("msg_{}", "0".repeat(32)), "none", &ada.id] {
        let path = format!("/api/admin/messages/{wrong}/hide");
        operator.post(&path, json!({"reason": "spam"})).await.assert_refused(404, "not_found");
    }
    for (body, code) in [
        (json!({}), "missing_field"),
        (json!({"reason": " "}), "invalid_field"),
        (json!({"reason": "x".repeat(501)}), "invalid_field"),
        (json!({"reason": "spam", "and": 1}), "unknown_field"),
    ] {
        operator.post(&path, body).await.assert_refused(400, code);
    }
    // A message whose text was deleted can also be hidden.
    let gone = post_message(&ada, "bye").await;
    sqlx::query("delete from chat_message where id = $1")
        .bind(message_id(&gone))
        .execute(&server.pool)
        .await
        .unwrap();
    let digest = server.digest().await;
    assert_eq!(hide_message(&operator, message_id(&gone)).await["hidden"], true);
    assert_ne!(server.digest().await, digest);
}

#[tokio::test]
async fn pages_stay_full_when_many_messages_are_hidden() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let operator = server.sign_in_operator().await;
    let mut messages = Vec::new();
    for number in 0..260 {
        messages.push(post_message(&ada, &format!("message {number}")).await);
    }
    let newest: Vec<&str> = messages.iter().rev().take(150).map(message_id).collect();
    for some in newest.chunks(15) {
        join_all(some.iter().map(|message| hide_message(&operator, message))).await;
    }
    let expected = |count: usize| {
        let visible = &messages[..110];
        visible[visible.len() - count..]
            .iter()
            .map(|message| message_id(message).to_owned())
            .collect::<Vec<_>>()
    };
    let other = server.start_instance(&FREE_SETTINGS).await;
    for server in [&server, &other] {
        assert_eq!(chat_message_ids(server, "").await, expected(50));
        assert_eq!(chat_message_ids(server, "limit=100").await, expected(100));
        let page = server.get("/api/chat").await.body;
        let older =
            chat_message_ids(server, &format!("before={}&limit=100", page["next_before"].as_str().unwrap()))
                .await;
        assert_eq!(older, expected(110)[..60]);
    }
    assert_eq!(server.digest().await, other.digest().await);
    restore_message(&operator, newest[0]).await;
    assert_eq!(chat_message_ids(&server, "").await.last().map(String::as_str), Some(newest[0]));
    // A message that is no longer in memory returns to its place.
    let first = message_id(&messages[0]);
    hide_message(&operator, first).await;
    assert!(
        !chat_message_ids(&server, &format!("before={}", message_id(&messages[5])))
            .await
            .contains(&first.to_owned())
    );
    restore_message(&operator, first).await;
    assert_eq!(chat_message_ids(&server, &format!("before={}", message_id(&messages[5]))).await[0], first);
    let check = Reply::fetch(server.get_request("/api/chat?limit=100")).await.body;
    assert_eq!(check["messages"].as_array().unwrap().len(), 100);
}
