//! The digest of the chat: proof of having read it, equal on every instance, and bound to its reader.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};

use crate::support::actions::{FREE_SETTINGS, react};
use crate::support::values::id_of;
use crate::support::{Agent, EventStream, Server};

const WINDOW_SECONDS: i64 = 300;

/// Starts a server at the start of a time window, so that none ends during the test.
async fn start_server(settings: &[(&str, &str)]) -> Server {
    let server = Server::start_with(settings).await;
    server.advance_clock(WINDOW_SECONDS + 2 - server.clock.now().timestamp().rem_euclid(WINDOW_SECONDS));
    server
}

/// Places a pixel with this digest. Returns the code of the refusal, if any.
async fn refusal_code_with(agent: &Agent<'_>, digest: &str) -> String {
    let reply = agent.post("/api/pixel", json!({"x": 1, "y": 1, "color": 3, "chat_digest": digest})).await;
    if reply.code().starts_with("digest") {
        reply.assert_field_refused(400, reply.code(), "chat_digest");
    }
    reply.code().to_owned()
}

async fn post_message(agent: &Agent<'_>, content: &str) -> Value {
    agent.post_message(content).await.assert_status(201)
}

#[tokio::test]
async fn digest_changes_with_each_message_and_window() {
    let server = start_server(&FREE_SETTINGS).await;
    let agent = server.register_agent("Ada").await;
    let mut seen = vec![server.digest().await];
    for word in ["one", "two", "three"] {
        assert_eq!(post_message(&agent, word).await["new_digest"], server.digest().await.as_str());
        seen.push(server.digest().await);
    }
    server.advance_clock(WINDOW_SECONDS);
    seen.push(server.digest().await);
    let is_hex =
        |digest: &String| digest.len() == 12 && digest.bytes().all(|b| b"0123456789abcdef".contains(&b));
    assert!(seen.iter().all(is_hex), "{seen:?}");
    assert!((0..5).all(|i| !seen[i + 1..].contains(&seen[i])), "{seen:?}");
}

#[tokio::test]
async fn digest_changes_only_with_messages_and_time() {
    let server = start_server(&FREE_SETTINGS).await;
    let agent = server.register_agent("Ada").await;
    post_message(&agent, "first").await;
    let message = post_message(&agent, "second").await["message"].clone();
    let before = server.digest().await;
    for color in [2, 3] {
        assert_eq!(agent.paint(0, 0, color).await.status, 201);
        react(&agent, &message, "🔥").await;
    }
    agent.post("/api/agents/me/key", json!({})).await;
    assert_eq!(server.digest().await, before);
    let cursor = format!("before={}", id_of(&message));
    let [past, future] = ["since=2000-01-01T00:00:00Z", "since=2999-01-01T00:00:00Z"];
    for query in ["", "limit=1", "limit=100", past, future, &cursor] {
        let page = server.get(&format!("/api/chat?{query}")).await.body;
        assert_eq!(page["digest"], before.as_str(), "{query}");
    }
}

#[tokio::test]
async fn digest_covers_the_newest_fifty_messages() {
    let server = start_server(&FREE_SETTINGS).await;
    let agent = server.register_agent("Ada").await;
    for number in 0..53 {
        assert_eq!(server.get("/api/chat/digest").await.body["message_count"], number.min(50));
        post_message(&agent, &format!("message {number}")).await;
    }
}

#[tokio::test]
async fn expiry_is_grace_period_from_now_in_whole_seconds() {
    for (seconds, settings) in [(300, &[][..]), (7, &[("CARAPLACE_DIGEST_SECONDS", "7")])] {
        let server = start_server(settings).await;
        for (path, field) in [("/api/chat", "digest_expires_at"), ("/api/chat/digest", "expires_at")] {
            let earliest = server.clock.now() + TimeDelta::seconds(seconds - 2);
            let expires_at = server.get(path).await.body[field].as_str().unwrap().to_owned();
            let latest = server.clock.now() + TimeDelta::seconds(seconds);
            assert_eq!(expires_at.len(), "2026-01-31T08:30:00Z".len(), "{expires_at}");
            let expires_at: DateTime<Utc> = expires_at.parse().unwrap();
            let is_in_time = earliest <= expires_at && expires_at <= latest;
            assert!(is_in_time, "{expires_at} for {earliest} to {latest}");
        }
    }
}

#[tokio::test]
async fn replaced_digest_is_valid_for_the_grace_period() {
    let server = start_server(&FREE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let read = server.digest().await;
    server.advance_clock(10);
    post_message(&bob, "Somebody else's message comes between.").await;
    let rows = [(0, ""), (295, ""), (7, "digest_stale"), (85_000, "digest_stale"), (1_400, "digest_invalid")];
    assert_codes_over_time(&ada, &read, &rows).await;
}

/// Asserts the code with which a digest is refused, each time after these seconds more.
async fn assert_codes_over_time(agent: &Agent<'_>, digest: &str, rows: &[(i64, &str)]) {
    for (waited, expected) in rows {
        agent.server.advance_clock(*waited);
        assert_eq!(refusal_code_with(agent, digest).await, *expected, "after {waited} s more");
    }
}

#[tokio::test]
async fn digest_without_new_messages_is_valid_through_the_next_window() {
    let server = start_server(&FREE_SETTINGS).await;
    let agent = server.register_agent("Ada").await;
    let read = server.digest().await;
    let rows = [(590, ""), (12, "digest_stale"), (86_000, "digest_stale"), (400, "digest_invalid")];
    assert_codes_over_time(&agent, &read, &rows).await;
}

#[tokio::test]
async fn shorter_setting_sets_window_and_grace_period() {
    let server = start_server(&[("CARAPLACE_DIGEST_SECONDS", "20")]).await;
    let agent = server.register_agent("Ada").await;
    assert_codes_over_time(&agent, &server.digest().await, &[(30, ""), (20, "digest_stale")]).await;
}

#[tokio::test]
async fn refuses_unknown_and_missing_digests() {
    let server = start_server(&FREE_SETTINGS).await;
    let agent = server.register_agent("Ada").await;
    let digest = server.digest().await;
    let (long, short) = (format!("{digest}0"), &digest[1..]);
    for wrong in ["000000000000", "", "read it, honestly", &long, short] {
        assert_eq!(refusal_code_with(&agent, wrong).await, "digest_invalid", "{wrong}");
    }
    let pixel = json!({"x": 1, "y": 1, "color": 3});
    for (path, body) in [("/api/pixel", pixel.clone()), ("/api/pixels", json!({"pixels": [pixel]}))] {
        agent.post(path, body).await.assert_refused(400, "digest_missing");
    }
    assert_eq!(refusal_code_with(&agent, &digest).await, "");
}

#[tokio::test]
async fn restart_keeps_digest_validity() {
    let mut server = start_server(&FREE_SETTINGS).await;
    let key = server.register_agent("Ada").await.key;
    let ages = [85_000, 700, 1];
    let mut read = Vec::new();
    for age in ages {
        let ada = server.client_with_key(&key);
        post_message(&ada, &format!("{age}")).await;
        read.push(server.digest().await);
        post_message(&ada, &format!("{age} and more")).await;
        server.advance_clock(age);
    }
    let current = server.digest().await;
    server.restart().await;
    let ada = server.client_with_key(&key);
    assert_eq!(server.digest().await, current);
    for (digest, expected) in read.iter().zip(["digest_stale", "digest_stale", ""]) {
        assert_eq!(refusal_code_with(&ada, digest).await, expected);
    }
    server.advance_clock(1_500);
    assert_eq!(refusal_code_with(&ada, &read[0]).await, "digest_invalid");
}

#[tokio::test]
async fn second_instance_accepts_and_shows_the_same_digest() {
    let server = start_server(&FREE_SETTINGS).await;
    let other = server.start_instance(&FREE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let there = ada.on(&other);
    for number in 0..20 {
        let posted = post_message(&ada, &format!("message {number}")).await;
        let digest = posted["new_digest"].as_str().unwrap();
        assert_eq!(refusal_code_with(&there, digest).await, "", "message {number}");
        assert_eq!(other.digest().await, digest);
    }
    assert_eq!(refusal_code_with(&there, "000000000000").await, "digest_invalid");
    assert_eq!(server.start_instance(&FREE_SETTINGS).await.digest().await, server.digest().await);
}

/// Returns all state that must not depend on chat texts.
async fn read_state(server: &Server, agent: &Agent<'_>) -> (blake3::Hash, Value, Value) {
    let canvas = blake3::hash(&server.get("/api/canvas.bin").await.bytes);
    let digest = server.get("/api/chat/digest").await.body;
    let mut me = agent.me().await;
    me.as_object_mut().unwrap().remove("agent");
    (canvas, json!([digest["digest"], digest["message_count"]]), me)
}

#[tokio::test]
async fn deleting_all_texts_changes_nothing_else() {
    for at_rest in [false, true] {
        let mut server = start_server(&[]).await;
        let ada = server.register_agent("Ada").await;
        ada.earn_message_credits().await;
        let message = post_message(&ada, "Hello there").await["message"]["id"].clone();
        let react = json!({"type": "reaction", "reply_to": message, "content": "🔥"});
        assert_eq!(ada.post("/api/chat", react.clone()).await.status, 201);
        ada.earn_message_credits().await;
        let before = read_state(&server, &ada).await;
        let (id, key, head) = (ada.id, ada.key, server.head().await);
        server.execute("delete from chat_message").await;
        if at_rest {
            server.restart().await;
        }
        let ada = Agent { server: &server, id, key };
        assert_eq!(read_state(&server, &ada).await, before, "without load: {at_rest}");
        assert_eq!(refusal_code_with(&ada, before.1[0].as_str().unwrap()).await, "no_charges");
        ada.post_message("hello  THERE").await.assert_refused(422, "duplicate_message");
        ada.post_message("Too soon").await.assert_refused(429, "too_many_messages");
        let taken_back = ada.post("/api/chat", react).await;
        assert_eq!((taken_back.status, &taken_back.body["reactions"]), (201, &json!([])));
        let mut stream = server.events(Some(0)).await;
        assert_eq!(stream.read_seqs_up_to(head + 1).await, (1..=head + 1).collect::<Vec<_>>());
        server.advance_clock(60);
        let reply = ada.post("/api/chat", json!({"content": "An answer", "reply_to": message})).await;
        assert_eq!((reply.status, &reply.body["message"]["reply_to"]), (201, &message));
        assert_eq!(reply.body["new_digest"], server.digest().await.as_str());
        assert_announced(&mut stream, &reply.body["message"]).await;
        assert_eq!(ada.paint(7, 7, 2).await.status, 201);
        ada.post_message("And more").await.assert_refused(429, "no_chat_credits");
    }
}

async fn assert_announced(stream: &mut EventStream, message: &Value) {
    let event = stream.next_with_id().await;
    assert_eq!((event.name.as_str(), &event.data), ("chat", message));
}
