//! A hidden message is visible nowhere, on no instance, and can be restored unchanged.

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::{FREE_CONSOLE_SETTINGS, chat_message_ids, hide_message, id_of};
use crate::support::actions::post_text;
use crate::support::{Agent, Server};

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
        text.push_str(&reader.on(server).get(path).await.body.to_string());
    }
    text
}

fn agent_with<'a>(server: &'a Server, (id, key): &(String, String)) -> Agent<'a> {
    Agent { server, id: id.clone(), key: key.clone() }
}

#[tokio::test]
async fn hidden_message_appears_nowhere_until_restored() {
    let [mut server, other] = Server::start_two_instances(&FREE_CONSOLE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let [ada, bob] = [ada, bob].map(|agent| (agent.id, agent.key));
    let message = {
        let [ada, bob] = [&ada, &bob].map(|agent| agent_with(&server, agent));
        assert_eq!(ada.paint(0, 0, 3).await.status, 201);
        post_text(&bob, "good morning").await;
        let message = post_text(&ada, "a wicked word, Bob").await;
        post_text(&bob, "good evening").await;
        assert!(read_everything(&server, &ada, &bob).await.contains("wicked"));
        let before = server.digest().await;
        let hidden = hide_message(&server.sign_in_operator().await, id_of(&message)).await;
        let head = server.head().await;
        assert_eq!((&hidden["hidden"], &hidden["seq"]), (&json!(true), &json!(head)));
        assert_ne!(server.digest().await, before, "the digest covers the visible messages");
        let single = server.get(&format!("/api/chat/{}", id_of(&message))).await.body["message"].clone();
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
            let [ada, bob] = [&ada, &bob].map(|agent| agent_with(server, agent));
            let text = read_everything(server, &ada, &bob).await;
            assert!(!text.contains("wicked"), "restarted: {restarted}, {text}");
            assert_eq!(chat_message_ids(server, "limit=100").await.len(), 2);
        }
        assert_eq!(server.digest().await, other.digest().await);
    }
    other.sign_in_operator().await.restore_message(&message).await;
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
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let operator = server.sign_in_operator().await;
    let mut live = server.events(None).await;
    let message = post_text(&ada, "a wicked word").await;
    let seq = message["seq"].as_i64().unwrap();
    operator.hide_message(&message).await;
    assert_eq!(live.next_with_id().await.data["content"], "a wicked word");
    let event = live.next_with_id().await;
    assert_eq!((event.name.as_str(), event.id), ("hidden", Some(seq + 1)));
    assert_eq!(event.data, json!({"seq": seq + 1, "message_id": message["id"]}));
    let other = server.start_instance(&FREE_CONSOLE_SETTINGS).await;
    for server in [&server, &other] {
        let mut resumed = server.events(Some(seq - 1)).await;
        let again = resumed.next_with_id().await;
        assert_eq!((again.id, &again.data["redacted"]), (Some(seq), &json!(true)));
        assert!(again.data.get("content").is_none(), "{}", again.data);
        assert_eq!(resumed.next_with_id().await.name, "hidden");
    }
    operator.restore_message(&message).await;
    let back = live.next_with_id().await;
    assert_eq!((back.name.as_str(), back.id), ("restored", Some(seq + 2)));
    let mut resumed = server.events(Some(seq - 1)).await;
    assert_eq!(resumed.next_with_id().await.data["content"], "a wicked word");
}

#[tokio::test]
async fn hidden_message_accepts_no_replies_or_reactions() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let operator = server.sign_in_operator().await;
    let message = post_text(&ada, "hello").await;
    let answer = |text: &str| json!({"content": text, "reply_to": message["id"]});
    let reaction = json!({"type": "reaction", "content": "🔥", "reply_to": message["id"]});
    assert_eq!(bob.post("/api/chat", reaction.clone()).await.status, 201);
    operator.hide_message(&message).await;
    bob.post("/api/chat", answer("one")).await.assert_refused(422, "reply_target_missing");
    bob.post("/api/chat", reaction.clone()).await.assert_refused(422, "reply_target_missing");
    operator.restore_message(&message).await;
    assert_eq!(bob.post("/api/chat", answer("two")).await.status, 201);
    assert_eq!(bob.post("/api/chat", reaction).await.assert_status(201)["reactions"], json!([]));
}

#[tokio::test]
async fn hiding_is_idempotent_and_refuses_unknown_messages() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let operator = server.sign_in_operator().await;
    let message = post_text(&ada, "hello").await;
    let path = format!("/api/admin/messages/{}/hide", id_of(&message));
    let replies = join_all((0..10).map(|_| operator.post(&path, json!({"reason": "spam"})))).await;
    let seqs = replies.iter().map(|reply| &reply.body["seq"]);
    let events: Vec<&Value> = seqs.filter(|seq| !seq.is_null()).collect();
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
    let gone = post_text(&ada, "bye").await;
    server.execute(&format!("delete from chat_message where id = '{}'", id_of(&gone))).await;
    let digest = server.digest().await;
    assert_eq!(hide_message(&operator, id_of(&gone)).await["hidden"], true);
    assert_ne!(server.digest().await, digest);
}

#[tokio::test]
async fn pages_stay_full_when_many_messages_are_hidden() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let operator = server.sign_in_operator().await;
    let mut messages = Vec::new();
    for number in 0..260 {
        messages.push(post_text(&ada, &format!("message {number}")).await);
    }
    let newest: Vec<&Value> = messages.iter().rev().take(150).collect();
    for some in newest.chunks(15) {
        join_all(some.iter().map(|message| operator.hide_message(message))).await;
    }
    let visible: Vec<String> = messages[..110].iter().map(|message| id_of(message).to_owned()).collect();
    let other = server.start_instance(&FREE_CONSOLE_SETTINGS).await;
    for server in [&server, &other] {
        assert_eq!(chat_message_ids(server, "").await, visible[60..]);
        assert_eq!(chat_message_ids(server, "limit=100").await, visible[10..]);
        let page = server.get("/api/chat").await.body;
        let older = format!("before={}&limit=100", page["next_before"].as_str().unwrap());
        assert_eq!(chat_message_ids(server, &older).await, visible[..60]);
    }
    assert_eq!(server.digest().await, other.digest().await);
    operator.restore_message(newest[0]).await;
    assert_eq!(chat_message_ids(&server, "").await.last().map(String::as_str), Some(id_of(newest[0])));
    // A message that is no longer in memory returns to its place.
    let first = id_of(&messages[0]);
    operator.hide_message(&messages[0]).await;
    let oldest = format!("before={}", id_of(&messages[5]));
    assert!(!chat_message_ids(&server, &oldest).await.contains(&first.to_owned()));
    operator.restore_message(&messages[0]).await;
    assert_eq!(chat_message_ids(&server, &oldest).await[0], first);
    assert_eq!(server.get("/api/chat?limit=100").await.body["messages"].as_array().unwrap().len(), 100);
}
