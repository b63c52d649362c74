//! Idempotency keys: a repeated request returns the first response and costs nothing.

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::support::{Reply, Server};

const DAY_SECONDS: i64 = 86_400;

async fn pixel_body(server: &Server, color: i64) -> Value {
    json!({"x": 3, "y": 3, "color": color, "chat_digest": server.digest().await})
}

/// Asserts that a request was carried out. Returns the reply.
#[track_caller]
fn assert_not_replayed(reply: Reply) -> Reply {
    assert_eq!((reply.status, reply.header("idempotent-replayed")), (201, ""), "{}", reply.body);
    reply
}

#[track_caller]
fn assert_replayed(reply: &Reply, first: &Reply) {
    assert_eq!((reply.status, reply.header("idempotent-replayed")), (201, "true"), "{}", reply.body);
    assert_eq!(reply.body_without_attention(), first.body_without_attention());
    assert_eq!(reply.header("content-type"), "application/json");
    assert!(reply.body["unread"].is_object() && reply.body["waiting"].is_array(), "{}", reply.body);
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
    let [server, other] = Server::start_two_instances(&[]).await;
    let ada = server.register_agent("Ada").await;
    let agents = [&ada, &ada.on(&other)];
    let (head, body) = (server.head().await, pixel_body(&server, 4).await);
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
    let key = "the same key everywhere";
    for (path, body) in [
        ("/api/pixel", pixel_body(&server, 4).await),
        ("/api/pixels", json!({"pixels": pixels, "chat_digest": digest})),
        ("/api/chat", json!({"content": "hello"})),
    ] {
        let first = assert_not_replayed(ada.post_idempotent(path, body.clone(), key).await);
        let (head, me) = (server.head().await, ada.me().await);
        for _ in 0..3 {
            assert_replayed(&ada.post_idempotent(path, body.clone(), key).await, &first);
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
    let first = assert_not_replayed(ada.post_idempotent("/api/chat", body.clone(), "fire").await);
    assert_replayed(&ada.post_idempotent("/api/chat", body, "fire").await, &first);
    let chat = server.get("/api/chat").await.body;
    assert_eq!(chat["messages"][0]["reactions"], json!([{"emoji": "🔥", "count": 1}]));
}

#[tokio::test]
async fn replays_after_a_restart_and_on_another_instance() {
    let mut server = Server::start().await;
    let key = server.register_agent("Ada").await.key;
    let body = pixel_body(&server, 4).await;
    let place = async |server: &Server| {
        server.client_with_key(&key).post_idempotent("/api/pixel", body.clone(), "again").await
    };
    let first = assert_not_replayed(place(&server).await);
    let head = server.head().await;
    assert_replayed(&place(&server.start_instance(&[]).await).await, &first);
    server.restart().await;
    assert_replayed(&place(&server).await, &first);
    assert_eq!(server.head().await, head);
}

#[tokio::test]
async fn refuses_another_body_with_the_same_key() {
    let [server, other] = Server::start_two_instances(&[]).await;
    let ada = server.register_agent("Ada").await;
    let body = pixel_body(&server, 4).await;
    let first = assert_not_replayed(ada.post_idempotent("/api/pixel", body.clone(), "k").await);
    let changed = pixel_body(&server, 5).await;
    let spaced = ada.post_request("/api/pixel").header("Idempotency-Key", "k");
    let spaced = spaced.header("Content-Type", "application/json").body(format!("{body} "));
    for refused in [
        ada.post_idempotent("/api/pixel", changed.clone(), "k").await,
        ada.on(&other).post_idempotent("/api/pixel", changed, "k").await,
        Reply::fetch(spaced).await,
    ] {
        refused.assert_refused(422, "idempotency_key_reused");
    }
    assert_replayed(&ada.post_idempotent("/api/pixel", body, "k").await, &first);
}

#[tokio::test]
async fn keys_are_separate_per_route_and_agent() {
    let server = Server::start().await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let body = pixel_body(&server, 4).await;
    assert_not_replayed(ada.post_idempotent("/api/pixel", body.clone(), "k").await);
    let theirs = assert_not_replayed(bob.post_idempotent("/api/pixel", body.clone(), "k").await);
    assert_eq!(theirs.body["pixel"]["agent_name"], "Bob");
    let many = json!({"pixels": [{"x": 1, "y": 1, "color": 1}], "chat_digest": body["chat_digest"]});
    assert_not_replayed(ada.post_idempotent("/api/pixels", many, "k").await);
    assert_not_replayed(ada.post_idempotent("/api/pixel", body.clone(), "K").await);
    assert_not_replayed(ada.post("/api/pixel", body).await);
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
    for _ in 0..2 {
        ada.post_idempotent("/api/pixel", body.clone(), "k").await.assert_refused(429, "no_charges");
    }
    server.advance_clock(60);
    let first = assert_not_replayed(ada.post_idempotent("/api/pixel", body.clone(), "k").await);
    assert_replayed(&ada.post_idempotent("/api/pixel", body, "k").await, &first);
}

#[tokio::test]
async fn replays_without_charges_and_with_a_stale_digest() {
    let server =
        Server::start_with(&[("CARAPLACE_MAX_CHARGES", "1"), ("CARAPLACE_CHARGE_SECONDS", "90000")]).await;
    let ada = server.register_agent("Ada").await;
    let body = pixel_body(&server, 4).await;
    let first = assert_not_replayed(ada.post_idempotent("/api/pixel", body.clone(), "k").await);
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
    let second = assert_not_replayed(ada.post_idempotent("/api/pixel", body.clone(), "k").await);
    assert_ne!(first.body["pixel"]["seq"], second.body["pixel"]["seq"]);
    server.advance_clock(DAY_SECONDS - 60);
    assert_replayed(&ada.post_idempotent("/api/pixel", body, "k").await, &second);
}

#[tokio::test]
async fn day_old_key_may_be_reused() {
    let server = Server::start_with(&[("CARAPLACE_CHAT_ENABLED", "false")]).await;
    let ada = server.register_agent("Ada").await;
    let body = |color| json!({"x": 3, "y": 3, "color": color});
    assert_not_replayed(ada.post_idempotent("/api/pixel", body(1), "k").await);
    server.advance_clock(DAY_SECONDS + 1);
    assert_not_replayed(ada.post_idempotent("/api/pixel", body(2), "k").await);
    ada.post_idempotent("/api/pixel", body(1), "k").await.assert_refused(422, "idempotency_key_reused");
}

#[tokio::test]
async fn a_key_has_at_most_255_characters() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let body = pixel_body(&server, 4).await;
    assert_not_replayed(ada.post_idempotent("/api/pixel", body.clone(), &"k".repeat(255)).await);
    for key in ["k".repeat(256), "k".repeat(5_000), String::new()] {
        ada.post_idempotent("/api/pixel", body.clone(), &key).await.assert_refused(400, "invalid_field");
    }
    assert_eq!(ada.me().await["charges"], 9);
}
