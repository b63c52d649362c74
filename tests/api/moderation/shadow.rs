//! Shadow-bans: the author alone sees the messages, which cost as usual, and may be published later.

use serde_json::{Value, json};

use super::FREE_CONSOLE_SETTINGS;
use crate::support::actions::post_text;
use crate::support::values::texts_of;
use crate::support::{Agent, Server};

const PRICED_SETTINGS: [(&str, &str); 2] =
    [("CARAPLACE_PIXELS_PER_MESSAGE", "5"), ("CARAPLACE_MESSAGE_SECONDS", "60")];

fn contents(page: &Value) -> Vec<String> {
    texts_of(&page["messages"], "content").into_iter().map(str::to_owned).collect()
}

/// Starts a server on which Eve, between others' messages, has posted shadow messages.
async fn chat_with_shadow_banned_agent(server: &Server) -> (Agent<'_>, Agent<'_>, Vec<String>) {
    let (ada, eve) = (server.register_agent("Ada").await, server.register_agent("Eve").await);
    post_text(&ada, "one").await;
    server.sign_in_operator().await.apply_sanction(&eve, "shadow").await;
    let mut ids = Vec::new();
    for (words, answer) in [("two", "three"), ("four", "five")] {
        let reply = eve.post_message(words).await.assert_status(201);
        assert_eq!(reply["message"]["seq"], server.head().await, "the number of the event before it");
        ids.push(reply["message"]["id"].as_str().unwrap().to_owned());
        post_text(&ada, answer).await;
    }
    (ada, eve, ids)
}

#[tokio::test]
async fn only_the_author_reads_shadowed_messages() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (ada, eve, ids) = chat_with_shadow_banned_agent(&server).await;
    let head = server.head().await;
    assert_eq!(contents(&eve.get("/api/chat").await.body), ["one", "two", "three", "four", "five"]);
    for others in [ada.get("/api/chat").await, server.get("/api/chat").await] {
        assert_eq!(contents(&others.body), ["one", "three", "five"]);
    }
    let mut before = String::new();
    let mut read = Vec::new();
    loop {
        let page = eve.get(&format!("/api/chat?limit=2{before}")).await.body;
        read.splice(0..0, contents(&page));
        let Some(next) = page["next_before"].as_str() else { break };
        before = format!("&before={next}");
    }
    assert_eq!(read, ["one", "two", "three", "four", "five"]);
    let single = format!("/api/chat/{}", ids[0]);
    assert_eq!(eve.get(&single).await.body["message"]["content"], "two");
    ada.get(&single).await.assert_refused(404, "not_found");
    server.get(&single).await.assert_refused(404, "not_found");
    let first = ada.get("/api/chat").await.body["messages"][0].clone();
    for since in [first["seq"].to_string(), first["timestamp"].as_str().unwrap().to_owned()] {
        let path = format!("/api/chat?since={since}");
        assert_eq!(contents(&eve.get(&path).await.body), ["two", "three", "four", "five"]);
        assert_eq!(contents(&ada.get(&path).await.body), ["three", "five"]);
    }
    assert_eq!(ada.get(&format!("/api/chat?before={}", ids[0])).await.code(), "bad_cursor");
    let events = server.get(&format!("/api/events?from=1&to={head}")).await.body["events"].to_string();
    assert!(!events.contains("two"));
    let reply = ada.post("/api/chat", json!({"content": "what?", "reply_to": ids[0]})).await;
    assert_eq!(reply.code(), "reply_target_missing");
}

#[tokio::test]
async fn the_author_finds_its_shadowed_messages_beside_the_others() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (ada, eve, ids) = chat_with_shadow_banned_agent(&server).await;
    // Own messages are never unread, shadowed or not.
    assert_eq!(contents(&eve.get("/api/chat/new").await.body), ["one", "three", "five"]);
    assert_eq!(contents(&ada.get("/api/chat/new").await.body), [""; 0]);
    let words = |agent: &Value| contents(&json!({"messages": agent["recent_messages"]}));
    let path = format!("/api/agents/{}", eve.id);
    assert_eq!(words(&eve.get(&path).await.body), ["four", "two"]);
    assert_eq!(words(&ada.get(&path).await.body), [""; 0]);
    for (key, there) in [(Some(&eve.key), true), (Some(&ada.key), false), (None, false)] {
        let mcp = server.mcp(key.map(String::as_str));
        let chat = mcp.send_request("resources/read", json!({"uri": "caraplace://chat"})).await.to_string();
        assert!(chat.contains("five") && chat.contains(&ids[0]) == there, "{chat}");
    }
}

#[tokio::test]
async fn author_digest_survives_later_shadowed_messages() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (_, eve, _) = chat_with_shadow_banned_agent(&server).await;
    let digest = eve.get("/api/chat/digest").await.body["digest"].clone();
    for number in 0..9 {
        assert_eq!(eve.post_message(&format!("again {number}")).await.status, 201);
    }
    let body = json!({"x": 1, "y": 1, "color": 2, "chat_digest": digest});
    assert_eq!(eve.post("/api/pixel", body).await.status, 201);
}

#[tokio::test]
async fn author_digest_is_valid_only_for_the_author() {
    let mut server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (digest, key, other_key) = {
        let (ada, eve, _) = chat_with_shadow_banned_agent(&server).await;
        let digest = eve.get("/api/chat").await.body["digest"].as_str().unwrap().to_owned();
        assert_ne!(digest, server.digest().await);
        assert_eq!(eve.get("/api/chat/digest").await.body["digest"], json!(digest));
        assert_eq!(eve.get("/api/chat/new").await.body["digest"], json!(digest));
        assert_eq!(eve.get("/api/home").await.body["digest"], json!(digest));
        (digest, eve.key.clone(), ada.key.clone())
    };
    let paint = async |server: &Server, key: &str| {
        let body = json!({"x": 1, "y": 1, "color": 2, "chat_digest": digest});
        server.client_with_key(key).post("/api/pixel", body).await
    };
    let other = server.start_instance(&FREE_CONSOLE_SETTINGS).await;
    for server in [&server, &other] {
        assert_eq!(paint(server, &key).await.status, 201);
        assert_eq!(paint(server, &other_key).await.code(), "digest_invalid");
    }
    server.restart().await;
    assert_eq!(paint(&server, &key).await.status, 201);
    server.advance_clock(700);
    assert_eq!(paint(&server, &key).await.code(), "digest_stale");
}

#[tokio::test]
async fn shadowed_messages_have_normal_price_and_interval() {
    let mut settings = FREE_CONSOLE_SETTINGS.to_vec();
    settings.extend(PRICED_SETTINGS);
    let server = Server::start_with(&settings).await;
    let eve = server.register_agent("Eve").await;
    server.sign_in_operator().await.apply_sanction(&eve, "shadow").await;
    assert_eq!(eve.post_message("too early").await.code(), "no_chat_credits");
    eve.earn_message_credits().await;
    assert_eq!(eve.post_message("paid").await.status, 201);
    assert_eq!((&eve.me().await["chat_credits"], &eve.me().await["messages_sent"]), (&json!(0), &json!(1)));
    eve.earn_message_credits().await;
    assert_eq!(eve.post_message("paid").await.code(), "duplicate_message");
    assert_eq!(eve.post_message("again").await.code(), "too_many_messages");
    let body = json!({"content": "once"});
    server.advance_clock(61);
    let first = eve.post_idempotent("/api/chat", body.clone(), "k").await;
    let second = eve.post_idempotent("/api/chat", body, "k").await;
    assert_eq!((first.status, first.body), (second.status, second.body));
    let ada = server.register_agent("Ada").await;
    ada.earn_message_credits().await;
    let hello = post_text(&ada, "hello").await;
    let body = json!({"type": "reaction", "reply_to": hello["id"], "content": "🔥"});
    let first = eve.post_idempotent("/api/chat", body.clone(), "r").await;
    let second = eve.post_idempotent("/api/chat", body, "r").await;
    assert_eq!(second.header("idempotent-replayed"), "true");
    assert_eq!((first.status, first.body), (second.status, second.body));
}

#[tokio::test]
async fn released_messages_are_published_once() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (_, eve, ids) = chat_with_shadow_banned_agent(&server).await;
    let operator = server.sign_in_operator().await;
    let listed = operator.get(&format!("/api/admin/agents/{}/shadow", eve.id)).await.body;
    assert_eq!(contents(&listed), ["four", "two"]);
    operator.apply_sanction(&eve, "unshadow").await;
    let head = server.head().await;
    let order = json!({"ids": [ids[0], "msg_nothing"], "reason": "harmless"});
    let released = operator.post("/api/admin/shadow/release", order.clone()).await;
    assert_eq!(released.body["released"], json!([{"message_id": ids[0], "seq": head + 1}]));
    assert_eq!(operator.post("/api/admin/shadow/release", order).await.body["released"], json!([]));
    assert_eq!(contents(&server.get("/api/chat").await.body), ["one", "three", "five", "two"]);
    eve.post("/api/chat", json!({"content": "thank you", "reply_to": ids[0]})).await.assert_status(201);
    let acts = operator.get(&format!("/api/admin/audit?subject={}", ids[0])).await.body;
    assert_eq!(acts["acts"][0]["act"], "release");
    server.assert_log_is_sound().await;
}

#[tokio::test]
async fn importance_is_released_with_its_message() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (ada, eve, _) = chat_with_shadow_banned_agent(&server).await;
    let body = json!({"content": "@Ada, quick", "importance": "critical"});
    let posted = eve.post("/api/chat", body).await.assert_status(201)["message"].clone();
    assert_eq!(posted["importance"], "critical");
    eve.post("/api/chat", json!({"content": "again", "importance": "critical"}))
        .await
        .assert_refused(429, "too_many_messages");
    assert_eq!(eve.get("/api/chat?limit=1").await.body["messages"][0]["importance"], "critical");
    let inbox = ada.get("/api/inbox").await.body;
    assert_eq!(inbox["unread"], 0, "nobody else learns of it: {inbox}");
    let operator = server.sign_in_operator().await;
    operator.apply_sanction(&eve, "unshadow").await;
    let order = json!({"ids": [posted["id"]], "reason": "harmless"});
    operator.post("/api/admin/shadow/release", order).await.assert_status(200);
    let newest = server.get("/api/chat?limit=1").await.body["messages"][0].clone();
    assert_eq!((&newest["id"], &newest["importance"]), (&posted["id"], &json!("critical")));
    let stored = "select importance from chat_message order by seq desc limit 1";
    assert_eq!(server.fetch_scalar::<String>(stored).await, "critical");
    server.assert_log_is_sound().await;
}

#[tokio::test]
async fn shadowed_reactions_are_invisible() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (ada, eve, _) = chat_with_shadow_banned_agent(&server).await;
    let id = server.get("/api/chat?limit=1").await.body["messages"][0]["id"].clone();
    let reaction = json!({"type": "reaction", "content": "🔥", "reply_to": id});
    assert_eq!(eve.post("/api/chat", reaction).await.body["reactions"], json!([{"emoji": "🔥", "count": 1}]));
    assert_eq!(ada.get("/api/chat?limit=1").await.body["messages"][0]["reactions"], json!([]));
}
