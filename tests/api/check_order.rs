//! The order of checks: a request with several errors is refused for the first.

use reqwest::{Body, RequestBuilder};
use serde_json::{Value, json};

use crate::support::{Agent, Reply, Server};

const WRONG_KEY: &str = "cp_0000000000000000000000000000000000000000000000000000000000000000";

fn oversized_body() -> String {
    format!("{{\"x\": \"{}\"}}", "x".repeat(300_000))
}

/// Sets the body as written, with the media type of JSON.
fn with_json(request: RequestBuilder, body: impl Into<Body>) -> RequestBuilder {
    request.header("Content-Type", "application/json").body(body)
}

fn with_text(request: RequestBuilder, body: impl Into<Body>) -> RequestBuilder {
    request.header("Content-Type", "text/plain").body(body)
}

async fn assert_all_refused(cases: Vec<(&str, u16, &str, RequestBuilder)>) {
    for (description, status, code, request) in cases {
        let reply = Reply::fetch(request).await;
        assert_eq!((reply.status, reply.code()), (status, code), "{description}: {}", reply.body);
        reply.assert_refused(status, code);
    }
}

#[tokio::test]
async fn disabled_chat_then_overload_then_size() {
    let server = Server::start_with(&[("CARAPLACE_CHAT_ENABLED", "false")]).await;
    let ada = server.register_agent("Ada").await;
    let head_lock = server.fill_writer_queue(&ada).await;
    let wrong_key = server.get_request("/api/chat?limit=0").bearer_auth(WRONG_KEY);
    let post = |path: &str| ada.post_request(path);
    assert_all_refused(vec![
        ("off, overloaded", 404, "chat_disabled", with_json(post("/api/chat"), "{}")),
        ("off, too large", 404, "chat_disabled", with_json(post("/api/chat"), oversized_body())),
        ("off, wrong key", 404, "chat_disabled", wrong_key),
        ("overloaded, too large", 503, "overloaded", with_json(post("/api/pixel"), oversized_body())),
        ("overloaded, no JSON", 503, "overloaded", with_text(post("/api/pixels"), "x")),
        ("overloaded, no key", 503, "overloaded", with_json(server.post_request("/api/pixel"), "{}")),
    ])
    .await;
    head_lock.release().await;
}

#[tokio::test]
async fn size_then_media_type_then_key_then_json() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    for path in ["/api/pixel", "/api/pixels", "/api/chat", "/api/agents/register"] {
        let wrong = || server.post_request(path).bearer_auth(WRONG_KEY);
        assert_all_refused(vec![
            ("too large, text", 413, "too_large", with_text(server.post_request(path), oversized_body())),
            ("too large, wrong key", 413, "too_large", with_json(wrong(), oversized_body())),
            ("text, wrong key", 415, "unsupported_media_type", with_text(wrong(), "{}")),
            ("wrong key, no JSON", 401, "key_invalid", with_json(wrong(), "{")),
        ])
        .await;
    }
    let keyless = || server.post_request("/api/pixel");
    assert_all_refused(vec![
        ("text, no key", 415, "unsupported_media_type", with_text(keyless(), "{}")),
        ("no key, no JSON", 401, "key_missing", with_json(keyless(), "{")),
        ("text, no JSON", 415, "unsupported_media_type", with_text(ada.post_request("/api/chat"), "{")),
    ])
    .await;
}

#[tokio::test]
async fn key_then_rate_limit_then_idempotency_key() {
    let unlimited = Server::start().await;
    let ada = unlimited.register_agent("Ada").await;
    let body = json!({"x": 1, "y": 1, "color": 1, "chat_digest": unlimited.digest().await});
    assert_eq!(ada.post_idempotent("/api/pixel", body, "used").await.status, 201);
    let server = unlimited.start_instance(&[("CARAPLACE_REQUESTS_PER_MINUTE", "1")]).await;
    assert_eq!(server.get("/api/stats").await.status, 200);
    let there = ada.on(&server);
    assert_eq!(there.get("/api/stats").await.status, 200);
    let anyone = |path: &str| server.post_request(path);
    let with_idempotency_key =
        |key: &str| with_json(there.post_request("/api/pixel").header("Idempotency-Key", key), "{}");
    assert_all_refused(vec![
        ("no key, too often", 401, "key_missing", with_json(anyone("/api/pixel"), "{}")),
        ("wrong key, too often", 401, "key_invalid", server.get_request("/api/stats").bearer_auth(WRONG_KEY)),
        ("too often, wrong query", 429, "too_many_requests", server.get_request("/api/pixel?x=a")),
        ("too often, no JSON", 429, "too_many_requests", with_json(anyone("/api/agents/register"), "{")),
        ("too often, key used", 429, "too_many_requests", with_idempotency_key("used")),
        ("too often, key too long", 429, "too_many_requests", with_idempotency_key(&"k".repeat(256))),
    ])
    .await;
}

#[tokio::test]
async fn idempotency_key_then_json() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let body = json!({"x": 1, "y": 1, "color": 1, "chat_digest": server.digest().await});
    assert_eq!(ada.post_idempotent("/api/pixel", body, "used").await.status, 201);
    let post = |key: &str| ada.post_request("/api/pixel").header("Idempotency-Key", key);
    assert_all_refused(vec![
        ("used, no JSON", 422, "idempotency_key_reused", with_json(post("used"), "{")),
        ("used, wrong field", 422, "idempotency_key_reused", post("used").json(&json!({"y": 1}))),
    ])
    .await;
    let reply = Reply::fetch(with_json(post(&"k".repeat(256)), "{")).await;
    assert_eq!((reply.code(), &reply.body["field"]), ("invalid_field", &json!("Idempotency-Key")));
}

#[tokio::test]
async fn json_then_fields() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let cases = [
        ("/api/pixel", "{\"nothing\": 1, \"x\": "),
        ("/api/pixel", "{\"x\": \"a\"} and more"),
        ("/api/pixel", "{\"x\": 1.5, }"),
        ("/api/pixels", "{\"pixels\": 5, \"pixels\": ["),
        ("/api/chat", "{\"content\": 5}}"),
        ("/api/chat", "[1, 2"),
        ("/api/agents/register", "{\"name\": null, 'x'}"),
    ];
    for (path, body) in cases {
        let reply = ada.post_raw(path, body).await;
        assert_eq!((reply.status, reply.code()), (400, "malformed_json"), "{path} {body}: {}", reply.body);
    }
}

#[tokio::test]
async fn fields_then_digest_then_expected_color() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let stale = server.digest().await;
    server.advance_clock(700);
    let digest = server.digest().await;
    let pixel = |body: Value| ada.post_request("/api/pixel").json(&body);
    let pixels = |body: Value| ada.post_request("/api/pixels").json(&body);
    let one = |x: i64, color: i64, expected: i64, digest: &str| {
        pixel(json!({"x": x, "y": 0, "color": color, "expected_color": expected, "chat_digest": digest}))
    };
    let many = |x: i64, digest: &str| {
        let conflict = json!([{"x": x, "y": 0, "color": 1, "expected_color": 9}]);
        pixels(json!({"pixels": conflict, "chat_digest": digest}))
    };
    assert_all_refused(vec![
        ("bounds, no digest", 400, "out_of_bounds", pixel(json!({"x": 128, "y": 0, "color": 1}))),
        ("colour, no digest", 400, "invalid_color", pixel(json!({"x": 0, "y": 0, "color": 16}))),
        ("missing, no digest", 400, "missing_field", pixel(json!({"x": 0, "y": 0}))),
        ("empty, no digest", 400, "invalid_field", pixels(json!({"pixels": []}))),
        ("bounds, invalid digest", 400, "out_of_bounds", one(-1, 1, 0, "000000000000")),
        ("expected no colour, stale", 400, "invalid_color", one(0, 1, 16, &stale)),
        ("bounds, stale", 400, "out_of_bounds", many(128, &stale)),
        ("invalid digest, expected", 400, "digest_invalid", one(0, 1, 9, "000000000000")),
        ("stale, expected", 400, "digest_stale", one(0, 1, 9, &stale)),
        ("stale, expected, many", 400, "digest_stale", many(0, &stale)),
        ("expected", 409, "pixel_changed", one(0, 1, 9, &digest)),
    ])
    .await;
}

#[tokio::test]
async fn digest_then_expected_color_then_charges() {
    let server = Server::start_with(&[("CARAPLACE_MAX_CHARGES", "1")]).await;
    let ada = server.register_agent("Ada").await;
    assert_eq!(ada.paint(0, 0, 1).await.status, 201);
    let digest = server.digest().await;
    let one = |expected: i64, digest: &str| {
        let body = json!({"x": 0, "y": 0, "color": 2, "expected_color": expected, "chat_digest": digest});
        ada.post_request("/api/pixel").json(&body)
    };
    let with_key = one(0, &digest).header("Idempotency-Key", "k".repeat(255));
    assert_all_refused(vec![
        ("digest, charges", 400, "digest_invalid", one(1, "000000000000")),
        ("expected, charges", 409, "pixel_changed", one(0, &digest)),
        ("expected, charges, with a key", 409, "pixel_changed", with_key),
        ("charges", 429, "no_charges", one(1, &digest)),
    ])
    .await;
}

fn message_request(agent: &Agent<'_>, body: &Value) -> RequestBuilder {
    agent.post_request("/api/chat").json(body)
}

#[tokio::test]
async fn fields_then_content_rules() {
    let lax = Server::start_with(&[("CARAPLACE_LINKS", "allow"), ("CARAPLACE_PROFANITY", "off")]).await;
    let server =
        lax.start_instance(&[("CARAPLACE_LINKS", "reject"), ("CARAPLACE_PROFANITY", "reject")]).await;
    let ada = lax.register_agent("Ada").await;
    ada.earn_message_credits().await;
    let last = "fuck https://example.com/a";
    assert_eq!(ada.post_message(last).await.status, 201);
    let long = format!("{last} {}", "a".repeat(280));
    let outside = json!({"x1": 0, "y1": 0, "x2": 128, "y2": 0});
    let there = ada.on(&server);
    let intent = |content: &str, field: &str, value: Value| {
        message_request(&there, &json!({"content": content, "type": "intent", field: value}))
    };
    let text = |content: &str| message_request(&there, &json!({"content": content}));
    let no_intent = message_request(&there, &json!({"content": "", "color_palette": [1]}));
    let nobody = json!("msg_nobody");
    assert_all_refused(vec![
        ("region, empty", 400, "out_of_bounds", intent("", "region", outside)),
        ("colour, too long", 400, "invalid_color", intent(&long, "color_palette", json!([16]))),
        ("no intent, empty", 400, "invalid_field", no_intent),
        ("empty, no target", 422, "content_empty", intent("", "reply_to", nobody.clone())),
        ("too long, link", 422, "content_too_long", text(&long)),
        ("duplicate, link, profanity", 422, "duplicate_message", text(last)),
        ("link, profanity", 422, "content_link", text("fuck https://example.com/b")),
        ("profanity", 422, "content_profane", text("fuck it")),
        ("link, no target", 422, "content_link", intent("https://example.com/b", "reply_to", nobody)),
    ])
    .await;
}

#[tokio::test]
async fn content_then_reply_target_then_credits_then_interval() {
    let server = Server::start().await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    ada.earn_message_credits().await;
    let critical = |content: &str| json!({"content": content, "importance": "critical"});
    assert_eq!(Reply::fetch(message_request(&ada, &critical("hello"))).await.status, 201);
    let nobody = |content: &str| json!({"content": content, "reply_to": "msg_nobody"});
    let reaction = |emoji: &str| json!({"type": "reaction", "content": emoji, "reply_to": "msg_nobody"});
    let [empty, more] = [" ", "more"].map(|content| json!({"content": content}));
    let lost = json!({"content": "more", "reply_to": "msg_nobody", "importance": "critical"});
    assert_all_refused(vec![
        ("duplicate, no target", 422, "duplicate_message", message_request(&ada, &nobody("Hello"))),
        ("empty, no credits", 422, "content_empty", message_request(&bob, &empty)),
        ("no target, no credits", 422, "reply_target_missing", message_request(&bob, &nobody("yes"))),
        ("no emoji, no target", 400, "invalid_field", message_request(&bob, &reaction("yes"))),
        ("no target", 422, "reply_target_missing", message_request(&bob, &reaction("👋"))),
        ("too important, no credits", 429, "too_many_messages", message_request(&ada, &critical("more"))),
        ("no target, too important", 422, "reply_target_missing", message_request(&ada, &lost)),
        ("no credits, too soon", 429, "no_chat_credits", message_request(&ada, &more)),
    ])
    .await;
    ada.earn_message_credits().await;
    ada.post_message("more").await.assert_refused(429, "too_many_messages");
}
