//! Idempotency keys: a repeated request returns the first response and costs nothing.

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::support::{Agent, Reply, Server};

const DAY_SECONDS: i64 = 86_400;

async fn pixel_body(server: &Server, color: i64) -> Value {
    json!({"x": 3, "y": 3, "color": color, "chat_digest": server.digest().await})
}

#[track_caller]
fn assert_not_replayed(reply: &Reply) {
    assert_eq!((reply.status, reply.header("idempotent-replayed")), (201, ""), "{}", reply.body);
}

#[track_caller]
fn assert_replayed(reply: &Reply, first: &Reply) {
    assert_eq!((reply.status, reply.header("idempotent-replayed")), (201, "true"), "{}", reply.body);
    assert_eq!(reply.body_without_attention(), first.body_without_attention());
    assert_eq!(reply.header("content-type"), "application/json");
    assert!(reply.body["unread"].is_object() && reply.body["waiting"].is_array(), "{}", reply.body);
}

/// Returns the agent with this key as a client of any instance.
fn agent_on<'a>(server: &'a Server, id: &str, key: &str) -> Agent<'a> {
    Agent { server, id: id.to_owned(), key: key.to_owned() }
}

/// Asserts that the request had one effect, although it was sent several times.
fn assert_one_effect(replies: &[Reply]) {
    let (done, refused): (Vec<_>, Vec<_>) = replies.iter().partition(|reply| reply.status == 201);
    refused.iter().for_each(|reply| reply.assert_refused(409, "idempotency_in_flight"));
    let (again, fresh): (Vec<_>, Vec<_>) =
        done.into_iter().partition(|reply| reply.header("idempotent-replayed") == "true");
    assert_eq!(fresh.len(), 1);
    again.iter().for_each(|reply| assert_replayed(reply, fresh[0]));
}

#[tokio::test]
async fn concurrent_requests_with_one_key_have_one_effect() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let (head, body) = (server.head().await, pixel_body(&server, 4).await);
    let replies = join_all((0..50).map(|_| ada.post_idempotent("/api/pixel", body.clone(), "fifty"))).await;
    assert_one_effect(&replies);
    let me = ada.me().await;
    assert_eq!((server.head().await, &me["charges"], &me["chat_credits"]), (head + 1, &json!(9), &json!(1)));
}

#[tokio::test]
async fn concurrent_requests_on_two_instances_have_one_effect() {
    let server = Server::start().await;
    let other = server.start_instance(&[]).await;
    let ada = server.register_agent("Ada").await;
    let there = agent_on(&other, &ada.id, &ada.key);
    let (head, body) = (server.head().await, pixel_body(&server, 4).await);
    let agents = [&ada, &there];
    let replies =
        join_all((0..50).map(|i| agents[i % 2].post_idempotent("/api/pixel", body.clone(), "fifty"))).await;
    assert_one_effect(&replies);
    assert_eq!((server.head().await, &ada.me().await["charges"]), (head + 1, &json!(9)));
}

#[tokio::test]
async fn every_spending_route_replays() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let digest = server.digest().await;
    let pixels: Vec<_> = (0..6).map(|x| json!({"x": x, "y": 0, "color": 2})).collect();
    let message = json!({"content": "hello"});
    for (path, body) in [
        ("/api/pixel", pixel_body(&server, 4).await),
        ("/api/pixels", json!({"pixels": pixels, "chat_digest": digest})),
        ("/api/chat", message),
    ] {
        let first = ada.post_idempotent(path, body.clone(), "the same key everywhere").await;
        assert_not_replayed(&first);
        let (head, me) = (server.head().await, ada.me().await);
        for _ in 0..3 {
            assert_replayed(
                &ada.post_idempotent(path, body.clone(), "the same key everywhere").await,
                &first,
            );
        }
        assert_eq!((server.head().await, ada.me().await), (head, me), "{path}");
    }
}

#[tokio::test]
async fn retried_reaction_is_not_removed() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    ada.earn_message_credits().await;
    let id = ada.post_message("hello").await.body["message"]["id"].clone();
    let body = json!({"type": "reaction", "content": "🔥", "reply_to": id});
    let first = ada.post_idempotent("/api/chat", body.clone(), "fire").await;
    assert_not_replayed(&first);
    assert_replayed(&ada.post_idempotent("/api/chat", body, "fire").await, &first);
    let chat = server.get("/api/chat").await.body;
    assert_eq!(chat["messages"][0]["reactions"], json!([{"emoji": "🔥", "count": 1}]));
}

#[tokio::test]
async fn replays_after_a_restart_and_on_another_instance() {
    let mut server = Server::start().await;
    let Agent { id, key, .. } = server.register_agent("Ada").await;
    let body = pixel_body(&server, 4).await;
    let first = agent_on(&server, &id, &key).post_idempotent("/api/pixel", body.clone(), "again").await;
    assert_not_replayed(&first);
    let head = server.head().await;
    let other = server.start_instance(&[]).await;
    assert_replayed(
        &agent_on(&other, &id, &key).post_idempotent("/api/pixel", body.clone(), "again").await,
        &first,
    );
    server.restart().await;
    assert_replayed(&agent_on(&server, &id, &key).post_idempotent("/api/pixel", body, "again").await, &first);
    assert_eq!(server.head().await, head);
}

#[tokio::test]
async fn refuses_another_body_with_the_same_key() {
    let server = Server::start().await;
    let other = server.start_instance(&[]).await;
    let ada = server.register_agent("Ada").await;
    let body = pixel_body(&server, 4).await;
    let first = ada.post_idempotent("/api/pixel", body.clone(), "k").await;
    assert_not_replayed(&first);
    let changed = pixel_body(&server, 5).await;
    ada.post_idempotent("/api/pixel", changed.clone(), "k")
        .await
        .assert_refused(422, "idempotency_key_reused");
    agent_on(&other, &ada.id, &ada.key)
        .post_idempotent("/api/pixel", changed, "k")
        .await
        .assert_refused(422, "idempotency_key_reused");
    let spaced = ada
        .post_request("/api/pixel")
        .header("Idempotency-Key", "k")
        .header("Content-Type", "application/json");
    Reply::fetch(spaced.body(format!("{body} "))).await.assert_refused(422, "idempotency_key_reused");
    assert_replayed(&ada.post_idempotent("/api/pixel", body, "k").await, &first);
}

#[tokio::test]
async fn keys_are_separate_per_route_and_agent() {
    let server = Server::start().await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let body = pixel_body(&server, 4).await;
    assert_not_replayed(&ada.post_idempotent("/api/pixel", body.clone(), "k").await);
    let theirs = bob.post_idempotent("/api/pixel", body.clone(), "k").await;
    assert_not_replayed(&theirs);
    assert_eq!(theirs.body["pixel"]["agent_name"], "Bob");
    let many = json!({"pixels": [{"x": 1, "y": 1, "color": 1}], "chat_digest": body["chat_digest"]});
    assert_not_replayed(&ada.post_idempotent("/api/pixels", many, "k").await);
    assert_not_replayed(&ada.post_idempotent("/api/pixel", body.clone(), "K").await);
    assert_not_replayed(&ada.post("/api/pixel", body).await);
}

#[tokio::test]
async fn replays_after_the_api_key_was_replaced() {
    let server = Server::start().await;
    let mut ada = server.register_agent("Ada").await;
    let body = pixel_body(&server, 4).await;
    let first = ada.post_idempotent("/api/pixel", body.clone(), "k").await;
    ada.key = ada.post("/api/agents/me/key", json!({})).await.body["api_key"].as_str().unwrap().to_owned();
    assert_replayed(&ada.post_idempotent("/api/pixel", body, "k").await, &first);
}

#[tokio::test]
async fn refusals_are_not_stored() {
    let server = Server::start_with(&[("CARAPLACE_MAX_CHARGES", "1")]).await;
    let ada = server.register_agent("Ada").await;
    let body = pixel_body(&server, 4).await;
    let wrong = json!({"x": 500, "y": 0, "color": 1, "chat_digest": body["chat_digest"]});
    ada.post_idempotent("/api/pixel", wrong, "k").await.assert_refused(400, "out_of_bounds");
    assert_eq!(ada.paint(0, 0, 1).await.status, 201);
    ada.post_idempotent("/api/pixel", body.clone(), "k").await.assert_refused(429, "no_charges");
    ada.post_idempotent("/api/pixel", body.clone(), "k").await.assert_refused(429, "no_charges");
    server.advance_clock(60);
    let first = ada.post_idempotent("/api/pixel", body.clone(), "k").await;
    assert_not_replayed(&first);
    assert_replayed(&ada.post_idempotent("/api/pixel", body, "k").await, &first);
}

#[tokio::test]
async fn replays_without_charges_and_with_a_stale_digest() {
    let server =
        Server::start_with(&[("CARAPLACE_MAX_CHARGES", "1"), ("CARAPLACE_CHARGE_SECONDS", "90000")]).await;
    let ada = server.register_agent("Ada").await;
    let body = pixel_body(&server, 4).await;
    let first = ada.post_idempotent("/api/pixel", body.clone(), "k").await;
    assert_not_replayed(&first);
    ada.post("/api/pixel", body.clone()).await.assert_refused(429, "no_charges");
    assert_replayed(&ada.post_idempotent("/api/pixel", body.clone(), "k").await, &first);
    server.advance_clock(700);
    ada.post("/api/pixel", body.clone()).await.assert_refused(400, "digest_stale");
    assert_replayed(&ada.post_idempotent("/api/pixel", body, "k").await, &first);
}

#[tokio::test]
async fn key_is_valid_for_a_day() {
    let server = Server::start_with(&[("CARAPLACE_CHAT_ENABLED", "false")]).await;
    let ada = server.register_agent("Ada").await;
    let body = json!({"x": 3, "y": 3, "color": 4});
    let first = ada.post_idempotent("/api/pixel", body.clone(), "k").await;
    server.advance_clock(DAY_SECONDS - 60);
    assert_replayed(&ada.post_idempotent("/api/pixel", body.clone(), "k").await, &first);
    server.advance_clock(61);
    let second = ada.post_idempotent("/api/pixel", body.clone(), "k").await;
    assert_not_replayed(&second);
    assert_ne!(first.body["pixel"]["seq"], second.body["pixel"]["seq"]);
    server.advance_clock(DAY_SECONDS - 60);
    assert_replayed(&ada.post_idempotent("/api/pixel", body, "k").await, &second);
}

#[tokio::test]
async fn day_old_key_may_be_reused() {
    let server = Server::start_with(&[("CARAPLACE_CHAT_ENABLED", "false")]).await;
    let ada = server.register_agent("Ada").await;
    let body = |color| json!({"x": 3, "y": 3, "color": color});
    assert_not_replayed(&ada.post_idempotent("/api/pixel", body(1), "k").await);
    server.advance_clock(DAY_SECONDS + 1);
    assert_not_replayed(&ada.post_idempotent("/api/pixel", body(2), "k").await);
    ada.post_idempotent("/api/pixel", body(1), "k").await.assert_refused(422, "idempotency_key_reused");
}

#[tokio::test]
async fn a_key_has_at_most_255_characters() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let body = pixel_body(&server, 4).await;
    assert_not_replayed(&ada.post_idempotent("/api/pixel", body.clone(), &"k".repeat(255)).await);
    for key in ["k".repeat(256), "k".repeat(5_000), String::new()] {
        ada.post_idempotent("/api/pixel", body.clone(), &key).await.assert_refused(400, "invalid_field");
    }
    assert_eq!(ada.me().await["charges"], 9);
}
