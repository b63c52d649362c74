//! Refusals: every current code, in the common form, without costs.

use std::collections::BTreeSet;

use futures_util::future::{Either, select};
use platform::refusal::codes::TABLE;
use reqwest::RequestBuilder;
use serde_json::{Value, json};

use crate::support::{Agent, Reply, Server};

/// The error codes as listed on the page.
const CODES: [(u16, &str); 12] = [
    (
        400,
        "malformed_json unknown_field unknown_parameter missing_field invalid_field out_of_bounds invalid_color digest_missing \
         digest_invalid digest_stale bad_cursor signature_invalid",
    ),
    (401, "key_missing key_invalid"),
    (402, "gallery_pass_required"),
    (403, "agent_unclaimed banned muted forbidden scope_missing blocked"),
    (404, "not_found chat_disabled guide_disabled"),
    (405, "method_not_allowed"),
    (406, "not_acceptable"),
    (
        409,
        "name_taken pixel_changed idempotency_in_flight already_reported limit_reached plan_changed closed \
         owner_must_hand_over first_owner block_has_end",
    ),
    (413, "too_large"),
    (415, "unsupported_media_type"),
    (500, "internal_error"),
    (503, "database_unavailable model_unavailable overloaded stopping"),
];
const CODES_422: &str = "content_empty content_too_long content_profane content_link duplicate_message \
     name_not_allowed reply_target_missing idempotency_key_reused";
const CODES_429: &str = "no_charges no_chat_credits too_many_messages too_many_requests budget_spent";

/// Codes tested in `moderation/`, and the reserved `agent_unclaimed`.
const MODERATION_CODES: [&str; 5] =
    ["agent_unclaimed", "banned", "muted", "already_reported", "block_has_end"];
/// Codes for viewers and payments, tested in `gallery/`.
const GALLERY_CODES: [&str; 3] = ["signature_invalid", "gallery_pass_required", "forbidden"];
/// Codes tested in `plans/`.
const PLAN_CODES: [&str; 2] = ["limit_reached", "plan_changed"];
/// Codes tested in `crews/`.
const CREW_CODES: [&str; 1] = ["owner_must_hand_over"];
/// Codes tested in `operators/`.
const OPERATOR_CODES: [&str; 1] = ["first_owner"];
/// Codes tested in `guide/`.
const GUIDE_CODES: [&str; 3] = ["guide_disabled", "budget_spent", "model_unavailable"];
/// Codes that need a server of their own, each with a test below.
const SEPARATELY_TESTED_CODES: [&str; 11] = [
    "blocked",
    "closed",
    "limit_reached",
    "scope_missing",
    "chat_disabled",
    "idempotency_in_flight",
    "too_many_requests",
    "internal_error",
    "database_unavailable",
    "overloaded",
    // In `readiness.rs`.
    "stopping",
];

const STRICT_SETTINGS: [(&str, &str); 5] = [
    ("CARAPLACE_PROFANITY", "reject"),
    ("CARAPLACE_LINKS", "reject"),
    ("CARAPLACE_MESSAGE_SECONDS", "3600"),
    ("CARAPLACE_CHARGE_SECONDS", "3600"),
    ("CARAPLACE_MAX_CHARGES", "20"),
];

type RefusalCase = (u16, &'static str, RequestBuilder);

/// Ada has painted and posted: she has credits, but must wait an hour to post. Bob has done nothing.
struct RefusalFixture<'a> {
    server: &'a Server,
    ada: Agent<'a>,
    bob: Agent<'a>,
    stale_digest: String,
    current_digest: String,
}

impl<'a> RefusalFixture<'a> {
    async fn prepare(server: &'a Server) -> Self {
        let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
        let stale = server.digest().await;
        server.advance_clock(700);
        ada.earn_message_credits().await;
        ada.earn_message_credits().await;
        assert_eq!(ada.post_message("hello").await.status, 201);
        let fresh = server.digest().await;
        let pixel = json!({"x": 9, "y": 9, "color": 9, "chat_digest": fresh});
        assert_eq!(ada.post_idempotent("/api/pixel", pixel, "used").await.status, 201);
        Self { server, ada, bob, stale_digest: stale, current_digest: fresh }
    }

    /// Returns all state that a refusal must not change.
    async fn read_state(&self) -> (i64, Value, Value) {
        (self.server.head().await, self.ada.me().await, self.bob.me().await)
    }

    fn post_request(&self, path: &str, body: &Value) -> RequestBuilder {
        self.ada.post_request(path).json(body)
    }

    fn pixel_request(&self, changes: &Value) -> RequestBuilder {
        let mut body = json!({"x": 1, "y": 1, "color": 1, "chat_digest": self.current_digest});
        for (name, value) in changes.as_object().unwrap() {
            body[name] = value.clone();
        }
        self.post_request("/api/pixel", &body)
    }

    fn raw_request(&self, body: &str) -> RequestBuilder {
        self.ada.post_request("/api/pixel").header("Content-Type", "application/json").body(body.to_owned())
    }

    fn request_cases(&self) -> Vec<RefusalCase> {
        let get = |path| self.server.get_request(path);
        let pixel = || json!({"x": 1, "y": 1, "color": 1, "chat_digest": self.current_digest});
        let anyone = || self.server.post_request("/api/pixel").json(&pixel());
        let named =
            |name: &str| self.server.post_request("/api/agents/register").json(&json!({"name": name}));
        let huge = format!("{{\"x\": \"{}\"}}", "x".repeat(300_000));
        vec![
            (400, "malformed_json", self.raw_request("{\"x\": 1,")),
            (400, "unknown_field", self.pixel_request(&json!({"colour": 1}))),
            (
                400,
                "missing_field",
                self.post_request("/api/pixel", &json!({"x": 1, "y": 1, "chat_digest": self.current_digest})),
            ),
            (400, "invalid_field", self.pixel_request(&json!({"x": "1"}))),
            (400, "unknown_parameter", get("/api/chat?sinse=5")),
            (400, "bad_cursor", get("/api/chat?before=msg_nobody")),
            (401, "key_missing", anyone()),
            (401, "key_invalid", anyone().bearer_auth(format!("cp_{}", "0".repeat(64)))),
            (404, "not_found", get("/api/nothing/here")),
            (405, "method_not_allowed", self.post_request("/api/canvas", &json!({}))),
            (406, "not_acceptable", get("/api/events").header("Accept", "application/json")),
            (409, "name_taken", named("ADA")),
            (413, "too_large", self.raw_request(&huge)),
            (415, "unsupported_media_type", self.ada.post_request("/api/pixel").body(pixel().to_string())),
            (422, "name_not_allowed", named("Moderator")),
        ]
    }

    fn canvas_cases(&self) -> Vec<RefusalCase> {
        let missing = json!({"x": 1, "y": 1, "color": 1});
        let ten: Vec<_> = (0..10).map(|x| json!({"x": x, "y": 2, "color": 1})).collect();
        let used = self.pixel_request(&json!({"color": 2})).header("Idempotency-Key", "used");
        vec![
            (400, "out_of_bounds", self.pixel_request(&json!({"x": 128}))),
            (400, "invalid_color", self.pixel_request(&json!({"color": 16}))),
            (400, "digest_missing", self.post_request("/api/pixel", &missing)),
            (400, "digest_invalid", self.pixel_request(&json!({"chat_digest": "000000000000"}))),
            (400, "digest_stale", self.pixel_request(&json!({"chat_digest": self.stale_digest}))),
            (409, "pixel_changed", self.pixel_request(&json!({"expected_color": 7}))),
            (422, "idempotency_key_reused", used),
            (
                429,
                "no_charges",
                self.post_request("/api/pixels", &json!({"pixels": ten, "chat_digest": self.current_digest})),
            ),
        ]
    }

    fn chat_cases(&self) -> Vec<RefusalCase> {
        let say = |content: &str| self.post_request("/api/chat", &json!({"content": content}));
        let reply = json!({"content": "yes", "reply_to": "msg_nobody"});
        vec![
            (422, "content_empty", say(" \u{200b}\n ")),
            (422, "content_too_long", say(&"a".repeat(281))),
            (422, "content_profane", say("fuck this pixel")),
            (422, "content_link", say("look at https://example.com/a")),
            (422, "duplicate_message", say("  HELLO ")),
            (422, "reply_target_missing", self.post_request("/api/chat", &reply)),
            (429, "no_chat_credits", self.bob.post_request("/api/chat").json(&json!({"content": "hi"}))),
            (429, "too_many_messages", say("something new")),
        ]
    }

    fn all_cases(&self) -> Vec<RefusalCase> {
        [self.request_cases(), self.canvas_cases(), self.chat_cases()].into_iter().flatten().collect()
    }
}

#[tokio::test]
async fn refusals_are_problems_and_cost_nothing() {
    let server = Server::start_with(&STRICT_SETTINGS).await;
    let fixture = RefusalFixture::prepare(&server).await;
    let before = fixture.read_state().await;
    assert_eq!((&before.1["charges"], &before.1["chat_credits"]), (&json!(9), &json!(6)));
    for (status, code, request) in fixture.all_cases() {
        let reply = Reply::fetch(request).await;
        reply.assert_refused(status, code);
        assert_eq!(reply.header("www-authenticate"), if status == 401 { "Bearer" } else { "" }, "{code}");
        assert_eq!(reply.headers.contains_key("allow"), status == 405, "{code}");
        assert_eq!(fixture.read_state().await, before, "{code}");
    }
}

#[test]
fn codes_and_statuses_match_the_contract() {
    let lines = CODES.iter().copied().chain([(422, CODES_422), (429, CODES_429)]);
    let written: BTreeSet<_> =
        lines.flat_map(|(status, codes)| codes.split_whitespace().map(move |code| (code, status))).collect();
    let built: BTreeSet<_> = TABLE.iter().map(|line| (line.code, line.status)).collect();
    assert_eq!(built, written);
}

#[tokio::test]
async fn every_code_is_tested_here_or_listed() {
    let server = Server::start_with(&STRICT_SETTINGS).await;
    let fixture = RefusalFixture::prepare(&server).await;
    let raised = fixture.all_cases().into_iter().map(|(status, code, _)| (code, Some(status)));
    let others =
        [&MODERATION_CODES[..], &GALLERY_CODES, &PLAN_CODES, &CREW_CODES, &OPERATOR_CODES, &GUIDE_CODES]
            .concat();
    let others = others.into_iter().chain(SEPARATELY_TESTED_CODES).map(|code| (code, None));
    let raised: BTreeSet<_> = raised.chain(others).collect();
    let table: BTreeSet<_> = TABLE.iter().map(|line| line.code).collect();
    assert_eq!(raised.iter().map(|(code, _)| *code).collect::<BTreeSet<_>>(), table);
    let page = server.get("/errors").await;
    for code in table {
        assert!(page.text().contains(&format!("id=\"{code}\"")), "{code} is not on the page");
    }
}

#[tokio::test]
async fn disabled_chat_refuses_its_routes() {
    let server = Server::start_with(&[("CARAPLACE_CHAT_ENABLED", "false")]).await;
    let ada = server.register_agent("Ada").await;
    let before = (server.head().await, ada.me().await);
    ada.post_message("hello").await.assert_refused(404, "chat_disabled");
    server.get("/api/chat").await.assert_refused(404, "chat_disabled");
    server.get("/api/chat/digest").await.assert_refused(404, "chat_disabled");
    assert_eq!((server.head().await, ada.me().await), before);
}

#[tokio::test]
async fn concurrent_request_with_the_same_key_is_refused() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let (head, digest) = (server.head().await, server.digest().await);
    let body = json!({"x": 1, "y": 1, "color": 1, "chat_digest": digest});
    let head_lock = server.lock_head().await;
    let one = Box::pin(ada.post_idempotent("/api/pixel", body.clone(), "once"));
    let two = Box::pin(ada.post_idempotent("/api/pixel", body, "once"));
    let (early, late) = match select(one, two).await {
        Either::Left((reply, other)) | Either::Right((reply, other)) => (reply, other),
    };
    early.assert_refused(409, "idempotency_in_flight");
    head_lock.release().await;
    assert_eq!(late.await.status, 201);
    assert_eq!((server.head().await, &ada.me().await["charges"]), (head + 1, &json!(9)));
}

#[tokio::test]
async fn request_over_the_rate_limit_costs_nothing() {
    let unlimited = Server::start().await;
    let server = unlimited.start_instance(&[("CARAPLACE_REQUESTS_PER_MINUTE", "1")]).await;
    let ada = unlimited.register_agent("Ada").await;
    let before = (unlimited.head().await, ada.me().await);
    let body = json!({"x": 1, "y": 1, "color": 1, "chat_digest": unlimited.digest().await});
    assert_eq!(server.get_request("/api/stats").bearer_auth(&ada.key).send().await.unwrap().status(), 200);
    let reply = Reply::fetch(server.post_request("/api/pixel").bearer_auth(&ada.key).json(&body)).await;
    reply.assert_refused(429, "too_many_requests");
    assert_eq!((unlimited.head().await, ada.me().await), before);
}

#[tokio::test]
async fn failing_database_refuses_and_spends_nothing() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
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
    let ada = server.register_agent("Ada").await;
    let before = (server.head().await, ada.me().await);
    let head_lock = server.fill_writer_queue(&ada).await;
    let refused = ada.post("/api/pixel", json!({"x": 1, "y": 1, "color": 1, "chat_digest": "0"})).await;
    refused.assert_refused(503, "overloaded");
    ada.post_message("hello").await.assert_refused(503, "overloaded");
    head_lock.release().await;
    assert_eq!((server.head().await, ada.me().await), before);
}
