//! Placements with `dry_run`: they tell what the same request does, and spend and write nothing.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};

use crate::conflicts::expecting;
use crate::support::actions::{FREE_SETTINGS, post_intent, post_text};
use crate::support::values::fields_of;
use crate::support::{Agent, Reply, Server};

/// Sends a request to place pixels, and the same as a dry run before. Returns both responses.
async fn place_twice(agent: &Agent<'_>, mut body: Value) -> (Reply, Reply) {
    body["chat_digest"] = json!(agent.server.digest().await);
    let dry = agent.post("/api/pixels", as_dry_run(&body)).await;
    (dry, agent.post("/api/pixels", body).await)
}

fn as_dry_run(body: &Value) -> Value {
    let mut body = body.clone();
    body["dry_run"] = json!(true);
    body
}

/// Returns all that a placement could change: the account, the head of the log and the stored responses.
async fn stored_state(agent: &Agent<'_>) -> (Value, i64, i64) {
    let answers = agent.server.count_rows("idempotency").await;
    (agent.me().await, agent.server.head().await, answers)
}

#[tokio::test]
async fn tells_what_the_request_does_and_spends_nothing() {
    let server = Server::start().await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    assert_eq!(bob.paint(1, 0, 7).await.status, 201);
    assert_eq!(bob.paint(2, 0, 7).await.status, 201);
    let intent = post_intent(&bob, "A fence", [0, 0, 9, 0]).await;
    let before = stored_state(&ada).await;
    let body = json!({"pixels": [expecting(1, 7, 0), expecting(2, 3, 0), expecting(3, 3, 0), {"x": 4, "y": 0, "color": 1}],
        "on_conflict": "skip", "chat_digest": server.digest().await});
    let dry = ada.post("/api/pixels", as_dry_run(&body)).await;
    let expected = json!({
        "success": true, "dry_run": true, "cost": 2, "placed": [2, 3], "already": [0],
        "conflicts": [{"index": 1, "x": 2, "y": 0, "color": 7}],
        "plans": [],
        "intents": [{"message_id": intent["id"], "agent_id": bob.id, "agent_name": "Bob", "age_seconds": 0,
            "content": "A fence"}],
        "charges": 10, "enough_at": null,
    });
    assert_eq!((dry.status, dry.body_without_attention()), (200, expected.clone()));
    assert!(dry.header("ratelimit").contains("r=10"), "{}", dry.header("ratelimit"));
    assert_eq!(stored_state(&ada).await, before);
    let real = ada.post("/api/pixels", body).await;
    assert_eq!((real.status, &real.body["charges"]), (201, &json!(8)));
    assert_eq!(fields_of(&real.body, ["already", "skipped"]), fields_of(&expected, ["already", "conflicts"]));
    assert_eq!(real.body["notes"]["inside"], expected["intents"]);
    let xs: Vec<_> = real.body["pixels"].as_array().unwrap().iter().map(|pixel| &pixel["x"]).collect();
    assert_eq!(xs, [3, 4]);
}

#[tokio::test]
async fn one_pixel_and_runs_have_dry_runs_too() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let digest = server.digest().await;
    let before = stored_state(&ada).await;
    let one = as_dry_run(&json!({"x": 5, "y": 5, "color": 0, "expected_color": 3, "chat_digest": digest}));
    let reply = ada.post("/api/pixel", one.clone()).await;
    assert_eq!((reply.status, &reply.body["already"]), (200, &json!([0])), "{}", reply.body);
    assert_eq!((&reply.body["cost"], &reply.body["placed"]), (&json!(0), &json!([])));
    let mut conflicting = one;
    conflicting["color"] = json!(4);
    ada.post("/api/pixel", conflicting).await.assert_refused(409, "pixel_changed");
    let runs = json!({"runs": [[0, 0, 3, 5], [9, 9, 1, 2]], "chat_digest": digest, "dry_run": true});
    let reply = ada.post("/api/pixels", runs).await;
    assert_eq!((&reply.body["cost"], &reply.body["placed"]), (&json!(4), &json!([0, 1, 2, 3])));
    assert_eq!(stored_state(&ada).await, before);
}

#[tokio::test]
async fn missing_charges_are_told_and_not_refused() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let row = |count: i64| json!({"pixels": (0..count).map(|x| json!({"x": x, "y": 0, "color": 1})).collect::<Value>()});
    let (dry, real) = place_twice(&ada, row(8)).await;
    assert_eq!((&dry.body["charges"], &dry.body["enough_at"]), (&json!(10), &Value::Null));
    assert_eq!(real.status, 201, "{}", real.body);
    let (dry, real) = place_twice(&ada, row(5)).await;
    real.assert_refused(429, "no_charges");
    assert_eq!((dry.status, &dry.body["cost"], &dry.body["charges"]), (200, &json!(5), &json!(2)));
    let enough_at: DateTime<Utc> = dry.body["enough_at"].as_str().unwrap().parse().unwrap();
    let wait = enough_at - server.clock.now();
    assert!(wait <= TimeDelta::seconds(180) && wait > TimeDelta::seconds(170), "{wait}");
    server.advance_clock(wait.num_seconds() + 1);
    let (dry, real) = place_twice(&ada, row(5)).await;
    assert_eq!((&dry.body["enough_at"], real.status), (&Value::Null, 201), "{}", real.body);
}

#[tokio::test]
async fn all_other_checks_are_refusals() {
    let server = Server::start_with_console().await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    assert_eq!(bob.paint(1, 0, 7).await.status, 201);
    let digest = server.digest().await;
    let body = |pixels: Value| json!({"pixels": pixels, "chat_digest": digest, "dry_run": true});
    let no_digest = json!({"x": 1, "y": 1, "color": 1, "dry_run": true});
    for (path, body, status, code) in [
        ("/api/pixel", no_digest, 400, "digest_missing"),
        ("/api/pixels", body(json!([{"x": 128, "y": 0, "color": 1}])), 400, "out_of_bounds"),
        ("/api/pixels", body(json!([{"x": 1, "y": 0, "color": 99}])), 400, "invalid_color"),
        ("/api/pixels", body(json!([])), 400, "invalid_field"),
        ("/api/pixels", body(json!([expecting(1, 3, 0)])), 409, "pixel_changed"),
        ("/api/pixel", json!({"x": 1, "y": 1, "color": 1, "dry_run": 1}), 400, "invalid_field"),
    ] {
        ada.post(path, body).await.assert_refused(status, code);
    }
    let valid = body(json!([expecting(9, 3, 0)]));
    server.post("/api/pixels", valid.clone()).await.assert_refused(401, "key_missing");
    let operator = server.sign_in_operator().await;
    operator.apply_sanction(&bob, "ban").await;
    bob.post("/api/pixels", valid).await.assert_refused(403, "banned");
    operator.post_with_reason("/api/admin/seasons/freeze").await;
    let current = json!({"x": 9, "y": 9, "color": 3, "chat_digest": server.digest().await});
    let real = ada.post("/api/pixel", current.clone()).await;
    ada.post("/api/pixel", as_dry_run(&current)).await.assert_refused(real.status, real.code());
    assert!(real.status >= 400, "{}", real.body);
}

#[tokio::test]
async fn idempotency_keys_are_ignored() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let body = json!({"x": 3, "y": 3, "color": 4, "chat_digest": server.digest().await});
    let before = stored_state(&ada).await;
    for _ in 0..2 {
        let dry = ada.post_idempotent("/api/pixel", as_dry_run(&body), "one").await;
        assert_eq!((dry.status, dry.header("idempotent-replayed")), (200, ""), "{}", dry.body);
    }
    assert_eq!(stored_state(&ada).await, before, "no response is stored");
    assert_eq!(ada.post_idempotent("/api/pixel", body.clone(), "one").await.status, 201);
    let dry = ada.post_idempotent("/api/pixel", as_dry_run(&body), "one").await;
    assert_eq!((dry.status, &dry.body["dry_run"]), (200, &json!(true)), "the key belongs to another body");
    let replayed = ada.post_idempotent("/api/pixel", body, "one").await;
    assert_eq!((replayed.status, replayed.header("idempotent-replayed")), (201, "true"));
}

#[tokio::test]
async fn the_tool_has_dry_runs() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    post_intent(&bob, "A fence", [0, 0, 9, 0]).await;
    post_text(&bob, "Hello").await;
    let client = server.mcp(Some(&ada.key));
    let before = stored_state(&ada).await;
    let arguments = json!({"pixels": [expecting(1, 3, 0), expecting(2, 0, 0)], "chat_digest": server.digest().await,
        "dry_run": true, "idempotency_key": "one"});
    let result = client.call_tool_ok("place_pixels", arguments.clone()).await;
    assert_eq!((&result.structured["placed"], &result.structured["already"]), (&json!([0]), &json!([1])));
    assert!(result.text.contains("It would place 1 pixel for 1 charge"), "{}", result.text);
    assert!(result.text.contains("A fence") && result.structured["untrusted"].is_string(), "{}", result.text);
    assert_eq!(stored_state(&ada).await, before);
    let mut real = arguments;
    real["dry_run"] = json!(false);
    let placed = client.call_tool_ok("place_pixels", real).await;
    assert_eq!(placed.structured["pixels"].as_array().unwrap().len(), 1, "{}", placed.text);
}

#[tokio::test]
async fn is_decided_on_the_canvas_and_account_of_all_instances() {
    let [server, other] = Server::start_two_instances(&[]).await;
    let ada = server.register_agent("Ada").await;
    let there = ada.on(&other);
    for color in 1..=9 {
        assert_eq!(ada.paint(1, 0, color).await.status, 201);
        let body = json!({"pixels": [expecting(1, color, 15), {"x": 2, "y": 0, "color": 1}], "dry_run": true,
            "chat_digest": server.digest().await});
        let dry = there.post("/api/pixels", body).await;
        let expected = (200, &json!([0]), &json!(10 - color));
        assert_eq!((dry.status, &dry.body["already"], &dry.body["charges"]), expected, "{}", dry.body);
    }
}
