//! A message that is taken down is seen nowhere, on no instance, and comes back as it was.

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::{FREE, at, hide, id, ids, restore, said};
use crate::support::{Agent, Reply, Server};

/// What is told to anyone who looks anywhere.
async fn everything(server: &Server, agent: &Agent<'_>, reader: &Agent<'_>) -> String {
    let mut told = String::new();
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
        told.push_str(&reply.body.to_string());
    }
    for path in ["/api/inbox", "/api/home?max_tokens=16384", "/api/chat/new"] {
        told.push_str(&at(server, reader).get(path).await.body.to_string());
    }
    told
}

#[tokio::test]
async fn hidden_message_appears_nowhere_until_restored() {
    let mut server = Server::with(&FREE).await;
    let other = server.second(&FREE).await;
    let (ada, bob) = (server.agent("Ada").await, server.agent("Bob").await);
    let (ada, bob) = ((ada.id.clone(), ada.key.clone()), (bob.id.clone(), bob.key.clone()));
    let message = {
        let agent =
            |(id, key): &(String, String)| Agent { server: &server, id: id.clone(), key: key.clone() };
        let (ada, bob) = (agent(&ada), agent(&bob));
        assert_eq!(ada.paint(0, 0, 3).await.status, 201);
        said(&bob, "good morning").await;
        let message = said(&ada, "a wicked word, Bob").await;
        said(&bob, "good evening").await;
        assert!(everything(&server, &ada, &bob).await.contains("wicked"));
        let before = server.digest().await;
        let office = server.operator().await;
        let hidden = hide(&office, id(&message)).await;
        let head = server.head().await;
        assert_eq!((&hidden["hidden"], &hidden["seq"]), (&json!(true), &json!(head)));
        assert_ne!(server.digest().await, before, "the digest covers what is shown");
        message
    };
    // The other instance hears of it by the log alone.
    let head = server.head().await;
    other.events(Some(head - 1)).await.next_numbered().await;
    for restarted in [false, true] {
        if restarted {
            server.restart().await;
        }
        for server in [&server, &other] {
            let ada = Agent { server, id: ada.0.clone(), key: ada.1.clone() };
            let bob = Agent { server, id: bob.0.clone(), key: bob.1.clone() };
            let told = everything(server, &ada, &bob).await;
            assert!(!told.contains("wicked"), "restarted: {restarted}, {told}");
            assert_eq!(ids(server, "limit=100").await.len(), 2);
        }
        assert_eq!(server.digest().await, other.digest().await);
    }
    let office = other.operator().await;
    restore(&office, id(&message)).await;
    server.events(Some(head)).await.next_numbered().await;
    for server in [&server, &other] {
        let page = server.get("/api/chat").await.body;
        assert_eq!(page["messages"][1]["content"], "a wicked word, Bob");
        assert_eq!(page["messages"].as_array().unwrap().len(), 3);
    }
    assert_eq!(server.digest().await, other.digest().await);
}

#[tokio::test]
async fn resumed_streams_redact_hidden_messages() {
    let server = Server::with(&FREE).await;
    let ada = server.agent("Ada").await;
    let office = server.operator().await;
    let mut live = server.events(None).await;
    let message = said(&ada, "a wicked word").await;
    let seq = message["seq"].as_i64().unwrap();
    hide(&office, id(&message)).await;
    assert_eq!(live.next_numbered().await.data["content"], "a wicked word");
    let told = live.next_numbered().await;
    assert_eq!((told.name.as_str(), told.id), ("hidden", Some(seq + 1)));
    assert_eq!(told.data, json!({"seq": seq + 1, "message_id": message["id"]}));
    let other = server.second(&FREE).await;
    for server in [&server, &other] {
        let mut resumed = server.events(Some(seq - 1)).await;
        let again = resumed.next_numbered().await;
        assert_eq!((again.id, &again.data["redacted"]), (Some(seq), &json!(true)));
        assert!(again.data.get("content").is_none(), "{}", again.data);
        assert_eq!(resumed.next_numbered().await.name, "hidden");
    }
    restore(&office, id(&message)).await;
    let back = live.next_numbered().await;
    assert_eq!((back.name.as_str(), back.id), ("restored", Some(seq + 2)));
    let mut resumed = server.events(Some(seq - 1)).await;
    assert_eq!(resumed.next_numbered().await.data["content"], "a wicked word");
}

#[tokio::test]
async fn hidden_message_accepts_no_replies_or_reactions() {
    let server = Server::with(&FREE).await;
    let (ada, bob) = (server.agent("Ada").await, server.agent("Bob").await);
    let office = server.operator().await;
    let message = said(&ada, "hello").await;
    let answer = |text: &str| json!({"content": text, "reply_to": message["id"]});
    let reaction = json!({"type": "reaction", "content": "🔥", "reply_to": message["id"]});
    assert_eq!(bob.post("/api/chat", reaction.clone()).await.status, 201);
    hide(&office, id(&message)).await;
    bob.post("/api/chat", answer("one")).await.assert_refused(422, "reply_target_missing");
    bob.post("/api/chat", reaction.clone()).await.assert_refused(422, "reply_target_missing");
    restore(&office, id(&message)).await;
    assert_eq!(bob.post("/api/chat", answer("two")).await.status, 201);
    let taken_back = bob.post("/api/chat", reaction).await;
    assert_eq!((taken_back.status, &taken_back.body["reactions"]), (201, &json!([])));
}

#[tokio::test]
async fn hiding_is_idempotent_and_refuses_unknown_messages() {
    let server = Server::with(&FREE).await;
    let ada = server.agent("Ada").await;
    let office = server.operator().await;
    let message = said(&ada, "hello").await;
    let path = format!("/api/admin/messages/{}/hide", id(&message));
    let tries = (0..10).map(|_| office.post(&path, json!({"why": "spam"})));
    let replies = join_all(tries).await;
    let events: Vec<&Value> =
        replies.iter().map(|reply| &reply.body["seq"]).filter(|seq| !seq.is_null()).collect();
    assert!(replies.iter().all(|reply| reply.status == 200 && reply.body["hidden"] == true));
    assert_eq!((events.len(), events[0].as_i64().unwrap()), (1, server.head().await));
    for wrong in [&format!("msg_{}", "0".repeat(32)), "none", &ada.id] {
        let path = format!("/api/admin/messages/{wrong}/hide");
        office.post(&path, json!({"why": "spam"})).await.assert_refused(404, "not_found");
    }
    for (body, code) in [
        (json!({}), "missing_field"),
        (json!({"why": " "}), "invalid_field"),
        (json!({"why": "x".repeat(501)}), "invalid_field"),
        (json!({"why": "spam", "and": 1}), "unknown_field"),
    ] {
        office.post(&path, body).await.assert_refused(400, code);
    }
    // A message whose text was deleted can be taken down all the same.
    let gone = said(&ada, "bye").await;
    sqlx::query("delete from chat_message where id = $1")
        .bind(id(&gone))
        .execute(&server.pool)
        .await
        .unwrap();
    let digest = server.digest().await;
    assert_eq!(hide(&office, id(&gone)).await["hidden"], true);
    assert_ne!(server.digest().await, digest);
}

#[tokio::test]
async fn pages_stay_full_when_many_messages_are_hidden() {
    let server = Server::with(&FREE).await;
    let ada = server.agent("Ada").await;
    let office = server.operator().await;
    let mut messages = Vec::new();
    for number in 0..260 {
        messages.push(said(&ada, &format!("message {number}")).await);
    }
    let newest: Vec<&str> = messages.iter().rev().take(150).map(id).collect();
    for some in newest.chunks(15) {
        join_all(some.iter().map(|message| hide(&office, message))).await;
    }
    let expected = |count: usize| {
        let visible = &messages[..110];
        visible[visible.len() - count..].iter().map(|message| id(message).to_owned()).collect::<Vec<_>>()
    };
    let other = server.second(&FREE).await;
    for server in [&server, &other] {
        assert_eq!(ids(server, "").await, expected(50));
        assert_eq!(ids(server, "limit=100").await, expected(100));
        let page = server.get("/api/chat").await.body;
        let older = ids(server, &format!("before={}&limit=100", page["next_before"].as_str().unwrap())).await;
        assert_eq!(older, expected(110)[..60]);
    }
    assert_eq!(server.digest().await, other.digest().await);
    restore(&office, newest[0]).await;
    assert_eq!(ids(&server, "").await.last().map(String::as_str), Some(newest[0]));
    // What was long forgotten in memory comes back to its place.
    let first = id(&messages[0]);
    hide(&office, first).await;
    assert!(!ids(&server, &format!("before={}", id(&messages[5]))).await.contains(&first.to_owned()));
    restore(&office, first).await;
    assert_eq!(ids(&server, &format!("before={}", id(&messages[5]))).await[0], first);
    let check = Reply::of(server.get_request("/api/chat?limit=100")).await.body;
    assert_eq!(check["messages"].as_array().unwrap().len(), 100);
}
