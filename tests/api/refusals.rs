//! Refusals: every code that there is now, in the one shape, and at no cost to anyone.

use std::collections::BTreeSet;

use caraplace::http::response::codes::TABLE;
use futures_util::future::{Either, select};
use reqwest::RequestBuilder;
use serde_json::{Value, json};

use crate::support::{Agent, Reply, Server};

/// Codes of parts that are not built yet.
const LATER: [&str; 3] = ["agent_unclaimed", "banned", "already_reported"];
/// Codes that only people and those who pay for them meet, tried in `gallery/`.
const GALLERY: [&str; 3] = ["signature_invalid", "gallery_pass_required", "forbidden"];
/// Codes that need a server of their own, each with a test below.
const APART: [&str; 6] = [
    "chat_disabled",
    "idempotency_in_flight",
    "too_many_requests",
    "internal_error",
    "database_unavailable",
    "overloaded",
];

const STRICT: [(&str, &str); 5] = [
    ("CARAPLACE_PROFANITY", "reject"),
    ("CARAPLACE_LINKS", "reject"),
    ("CARAPLACE_MESSAGE_SECONDS", "3600"),
    ("CARAPLACE_CHARGE_SECONDS", "3600"),
    ("CARAPLACE_MAX_CHARGES", "20"),
];

type Case = (u16, &'static str, RequestBuilder);

/// Ada has painted and spoken: credits, but no message for an hour. Bob has done nothing.
struct Stage<'a> {
    server: &'a Server,
    ada: Agent<'a>,
    bob: Agent<'a>,
    stale: String,
    fresh: String,
}

impl<'a> Stage<'a> {
    async fn set(server: &'a Server) -> Self {
        let (ada, bob) = (server.agent("Ada").await, server.agent("Bob").await);
        let stale = server.digest().await;
        server.wait(700);
        ada.earn_message().await;
        ada.earn_message().await;
        assert_eq!(ada.say("hello").await.status, 201);
        let fresh = server.digest().await;
        let pixel = json!({"x": 9, "y": 9, "color": 9, "chat_digest": fresh});
        assert_eq!(ada.post_once("/api/pixel", pixel, "used").await.status, 201);
        Self { server, ada, bob, stale, fresh }
    }

    /// Everything that a refusal must leave alone.
    async fn standing(&self) -> (i64, Value, Value) {
        (self.server.head().await, self.ada.me().await, self.bob.me().await)
    }

    fn send(&self, path: &str, body: &Value) -> RequestBuilder {
        self.ada.post_request(path).json(body)
    }

    fn pixel(&self, changes: &Value) -> RequestBuilder {
        let mut body = json!({"x": 1, "y": 1, "color": 1, "chat_digest": self.fresh});
        for (name, value) in changes.as_object().unwrap() {
            body[name] = value.clone();
        }
        self.send("/api/pixel", &body)
    }

    fn raw(&self, body: &str) -> RequestBuilder {
        self.ada.post_request("/api/pixel").header("Content-Type", "application/json").body(body.to_owned())
    }

    fn at_the_door(&self) -> Vec<Case> {
        let get = |path| self.server.get_request(path);
        let pixel = || json!({"x": 1, "y": 1, "color": 1, "chat_digest": self.fresh});
        let anyone = || self.server.post_request("/api/pixel").json(&pixel());
        let named =
            |name: &str| self.server.post_request("/api/agents/register").json(&json!({"name": name}));
        let huge = format!("{{\"x\": \"{}\"}}", "x".repeat(300_000));
        vec![
            (400, "malformed_json", self.raw("{\"x\": 1,")),
            (400, "unknown_field", self.pixel(&json!({"colour": 1}))),
            (
                400,
                "missing_field",
                self.send("/api/pixel", &json!({"x": 1, "y": 1, "chat_digest": self.fresh})),
            ),
            (400, "invalid_field", self.pixel(&json!({"x": "1"}))),
            (400, "bad_cursor", get("/api/chat?before=msg_nobody")),
            (401, "key_missing", anyone()),
            (401, "key_invalid", anyone().bearer_auth(format!("cp_{}", "0".repeat(64)))),
            (404, "not_found", get("/api/nothing/here")),
            (405, "method_not_allowed", self.send("/api/canvas", &json!({}))),
            (406, "not_acceptable", get("/api/events").header("Accept", "application/json")),
            (409, "name_taken", named("ADA")),
            (413, "too_large", self.raw(&huge)),
            (415, "unsupported_media_type", self.ada.post_request("/api/pixel").body(pixel().to_string())),
            (422, "name_not_allowed", named("Moderator")),
        ]
    }

    fn at_the_canvas(&self) -> Vec<Case> {
        let missing = json!({"x": 1, "y": 1, "color": 1});
        let ten: Vec<_> = (0..10).map(|x| json!({"x": x, "y": 2, "color": 1})).collect();
        let used = self.pixel(&json!({"color": 2})).header("Idempotency-Key", "used");
        vec![
            (400, "out_of_bounds", self.pixel(&json!({"x": 128}))),
            (400, "invalid_color", self.pixel(&json!({"color": 16}))),
            (400, "digest_missing", self.send("/api/pixel", &missing)),
            (400, "digest_invalid", self.pixel(&json!({"chat_digest": "000000000000"}))),
            (400, "digest_stale", self.pixel(&json!({"chat_digest": self.stale}))),
            (409, "pixel_changed", self.pixel(&json!({"expected_color": 7}))),
            (422, "idempotency_key_reused", used),
            (429, "no_charges", self.send("/api/pixels", &json!({"pixels": ten, "chat_digest": self.fresh}))),
        ]
    }

    fn in_the_chat(&self) -> Vec<Case> {
        let say = |content: &str| self.send("/api/chat", &json!({"content": content}));
        let reply = json!({"content": "yes", "reply_to": "msg_nobody"});
        vec![
            (422, "content_empty", say(" \u{200b}\n ")),
            (422, "content_too_long", say(&"a".repeat(281))),
            (422, "content_profane", say("fuck this pixel")),
            (422, "content_link", say("look at https://example.com/a")),
            (422, "duplicate_message", say("  HELLO ")),
            (422, "reply_target_missing", self.send("/api/chat", &reply)),
            (429, "no_chat_credits", self.bob.post_request("/api/chat").json(&json!({"content": "hi"}))),
            (429, "too_many_messages", say("something new")),
        ]
    }

    fn cases(&self) -> Vec<Case> {
        [self.at_the_door(), self.at_the_canvas(), self.in_the_chat()].into_iter().flatten().collect()
    }
}

#[tokio::test]
async fn refusals_are_problems_and_cost_nothing() {
    let server = Server::with(&STRICT).await;
    let stage = Stage::set(&server).await;
    let before = stage.standing().await;
    assert_eq!((&before.1["charges"], &before.1["chat_credits"]), (&json!(9), &json!(6)));
    for (status, code, request) in stage.cases() {
        let reply = Reply::of(request).await;
        reply.assert_refused(status, code);
        assert_eq!(reply.header("www-authenticate"), if status == 401 { "Bearer" } else { "" }, "{code}");
        assert_eq!(reply.headers.contains_key("allow"), status == 405, "{code}");
        assert_eq!(stage.standing().await, before, "{code}");
    }
}

#[tokio::test]
async fn every_code_is_tested_here_or_listed() {
    let server = Server::with(&STRICT).await;
    let stage = Stage::set(&server).await;
    let raised = stage.cases().into_iter().map(|(status, code, _)| (code, Some(status)));
    let others = APART.iter().chain(&LATER).chain(&GALLERY).map(|code| (*code, None));
    let raised: BTreeSet<_> = raised.chain(others).collect();
    let table: BTreeSet<_> = TABLE.iter().map(|line| line.code).collect();
    assert_eq!(raised.iter().map(|(code, _)| *code).collect::<BTreeSet<_>>(), table);
    let page = String::from_utf8(server.get("/errors").await.bytes).unwrap();
    table
        .iter()
        .for_each(|code| assert!(page.contains(&format!("id=\"{code}\"")), "{code} is not on the page"));
}

#[tokio::test]
async fn disabled_chat_refuses_its_routes() {
    let server = Server::with(&[("CARAPLACE_CHAT_ENABLED", "false")]).await;
    let ada = server.agent("Ada").await;
    let before = (server.head().await, ada.me().await);
    ada.say("hello").await.assert_refused(404, "chat_disabled");
    server.get("/api/chat").await.assert_refused(404, "chat_disabled");
    server.get("/api/chat/digest").await.assert_refused(404, "chat_disabled");
    assert_eq!((server.head().await, ada.me().await), before);
}

#[tokio::test]
async fn concurrent_request_with_the_same_key_is_refused() {
    let server = Server::start().await;
    let ada = server.agent("Ada").await;
    let (head, digest) = (server.head().await, server.digest().await);
    let body = json!({"x": 1, "y": 1, "color": 1, "chat_digest": digest});
    let gate = server.close_gate().await;
    let one = Box::pin(ada.post_once("/api/pixel", body.clone(), "once"));
    let two = Box::pin(ada.post_once("/api/pixel", body, "once"));
    let (early, late) = match select(one, two).await {
        Either::Left((reply, other)) | Either::Right((reply, other)) => (reply, other),
    };
    early.assert_refused(409, "idempotency_in_flight");
    gate.open().await;
    assert_eq!(late.await.status, 201);
    assert_eq!((server.head().await, &ada.me().await["charges"]), (head + 1, &json!(9)));
}

#[tokio::test]
async fn request_over_the_rate_limit_costs_nothing() {
    let calm = Server::start().await;
    let server = calm.second(&[("CARAPLACE_REQUESTS_PER_MINUTE", "1")]).await;
    let ada = calm.agent("Ada").await;
    let before = (calm.head().await, ada.me().await);
    let body = json!({"x": 1, "y": 1, "color": 1, "chat_digest": calm.digest().await});
    assert_eq!(server.get_request("/api/stats").bearer_auth(&ada.key).send().await.unwrap().status(), 200);
    let reply = Reply::of(server.post_request("/api/pixel").bearer_auth(&ada.key).json(&body)).await;
    reply.assert_refused(429, "too_many_requests");
    assert_eq!((calm.head().await, ada.me().await), before);
}

#[tokio::test]
async fn failing_database_refuses_and_spends_nothing() {
    let server = Server::start().await;
    let ada = server.agent("Ada").await;
    let before = (server.head().await, ada.me().await);
    sqlx::raw_sql("alter table placement rename to mislaid").execute(&server.pool).await.unwrap();
    ada.paint(1, 1, 1).await.assert_refused(503, "database_unavailable");
    server.get("/api/pixels/recent").await.assert_refused(503, "database_unavailable");
    assert_eq!((server.head().await, ada.me().await), before);
    sqlx::raw_sql("alter table mislaid rename to placement").execute(&server.pool).await.unwrap();
    assert_eq!(ada.paint(1, 1, 1).await.body["pixel"]["seq"], before.0 + 1);
}

#[tokio::test]
async fn full_writer_queue_refuses_at_once() {
    let server = Server::start().await;
    let ada = server.agent("Ada").await;
    let before = (server.head().await, ada.me().await);
    let gate = server.overload(&ada).await;
    let refused = ada.post("/api/pixel", json!({"x": 1, "y": 1, "color": 1, "chat_digest": "0"})).await;
    refused.assert_refused(503, "overloaded");
    ada.say("hello").await.assert_refused(503, "overloaded");
    gate.open().await;
    assert_eq!((server.head().await, ada.me().await), before);
}
