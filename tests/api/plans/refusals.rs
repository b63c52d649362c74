//! Every refusal, with its code.

use reqwest::header::CONTENT_TYPE;
use serde_json::{Value, json};

use super::{PLAN_SETTINGS, change, close, new_plan, path_of, put_request};
use crate::support::actions::open_plan;
use crate::support::{Reply, Server};

/// A plan that does not exist.
const NOWHERE: &str = "plan_00000000000000000000000000000000";

/// Returns a new plan's body with other values of some fields; null removes a field.
fn with(fields: &Value) -> Value {
    let mut body = new_plan("A roof", 2, 2);
    body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    body.as_object_mut().unwrap().retain(|_, value| !value.is_null());
    body
}

#[tokio::test]
async fn wrong_fields_of_a_new_plan_are_named() {
    let server = Server::start_with(&PLAN_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    for (fields, status, code, field) in [
        (json!({"title": null}), 400, "missing_field", "title"),
        (json!({"x": null}), 400, "missing_field", "x"),
        (json!({"rows": null}), 400, "missing_field", "rows"),
        (json!({"crew_id": "crew_1"}), 400, "invalid_field", "crew_id"),
        (json!({"title": "é".repeat(61)}), 400, "invalid_field", "title"),
        (json!({"note": "n".repeat(281)}), 400, "invalid_field", "note"),
        (json!({"x": 1.5}), 400, "invalid_field", "x"),
        (json!({"x": "1"}), 400, "invalid_field", "x"),
        (json!({"rows": []}), 400, "invalid_field", "rows"),
        (json!({"rows": [""]}), 400, "invalid_field", "rows"),
        (json!({"rows": ["55", "5"]}), 400, "invalid_field", "rows"),
        (json!({"rows": ["5g"]}), 400, "invalid_field", "rows"),
        (json!({"rows": ["...", "..."]}), 400, "invalid_field", "rows"),
        (json!({"rows": vec!["5"; 65]}), 400, "invalid_field", "rows"),
        (json!({"rows": ["5".repeat(65)]}), 400, "invalid_field", "rows"),
        (json!({"rows": "55"}), 400, "invalid_field", "rows"),
        (json!({"expires_in": 599}), 400, "invalid_field", "expires_in"),
        (json!({"expires_in": 604_801}), 400, "invalid_field", "expires_in"),
    ] {
        let reply = ada.post("/api/plans", with(&fields)).await;
        reply.assert_refused(status, code);
        assert_eq!(reply.body["field"], field, "{fields}: {}", reply.body);
    }
    for place in [json!({"x": -1}), json!({"y": -1}), json!({"x": 127}), json!({"y": i64::MAX})] {
        ada.post("/api/plans", with(&place)).await.assert_refused(400, "out_of_bounds");
    }
    for empty in ["", " ", "\u{200b}"] {
        let reply = ada.post("/api/plans", with(&json!({"title": empty}))).await;
        reply.assert_field_refused(422, "content_empty", "title");
    }
    assert_eq!(server.get("/api/plans").await.body["plans"], json!([]), "nothing was opened");
    let longest = json!({"title": "é".repeat(60), "note": "n".repeat(280), "expires_in": 604_800});
    open_plan(&ada, with(&longest)).await;
}

#[tokio::test]
async fn bodies_and_keys_are_checked_first() {
    let server = Server::start_with(&PLAN_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let post = async |content_type: &str, body: Vec<u8>| {
        Reply::fetch(ada.post_request("/api/plans").header(CONTENT_TYPE, content_type).body(body)).await
    };
    let reply = post("text/plain", b"{}".to_vec()).await;
    reply.assert_refused(415, "unsupported_media_type");
    let detail = reply.body["detail"].as_str().unwrap();
    assert!(detail.contains("application/json or image/png"), "{}", reply.body);
    post("image/png", vec![0; 300_000]).await.assert_refused(413, "too_large");
    post("application/json", b"{".to_vec()).await.assert_refused(400, "malformed_json");
    let anonymous = server.post_request("/api/plans").header(CONTENT_TYPE, "application/json");
    Reply::fetch(anonymous.body("{")).await.assert_refused(401, "key_missing");
    server.client_with_key("cp_wrong").post("/api/plans", json!({})).await.assert_refused(401, "key_invalid");
    let in_query = ada.post("/api/plans?title=Roof", new_plan("A roof", 1, 1)).await;
    in_query.assert_field_refused(400, "invalid_field", "title");
}

#[tokio::test]
async fn what_does_not_exist_is_not_found() {
    let server = Server::start_with(&PLAN_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    for id in [NOWHERE, "plan_1", "agent_nobody", "%00"] {
        server.get(&format!("/api/plans/{id}")).await.assert_refused(404, "not_found");
        server.get(&format!("/api/plans/{id}/next")).await.assert_refused(404, "not_found");
        ada.post(&format!("/api/plans/{id}/close"), json!({})).await.assert_refused(404, "not_found");
        ada.post(&format!("/api/plans/{id}/claims"), json!({"n": 1})).await.assert_refused(404, "not_found");
        let plan = json!({"id": id});
        let body = json!({"expected_version": 1, "title": "A wall"});
        change(&ada, &plan, body).await.assert_refused(404, "not_found");
    }
}

#[tokio::test]
async fn only_the_author_may_change_and_close() {
    let server = Server::start_with(&PLAN_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let plan = open_plan(&ada, new_plan("A roof", 2, 2)).await;
    let body = json!({"expected_version": 1, "title": "A wall"});
    change(&bob, &plan, body.clone()).await.assert_refused(403, "forbidden");
    close(&bob, &plan).await.assert_refused(403, "forbidden");
    Reply::fetch(put_request(&server, &plan).json(&body)).await.assert_refused(401, "key_missing");
    server.post(&format!("{}/close", path_of(&plan)), json!({})).await.assert_refused(401, "key_missing");
    let claims = format!("{}/claims", path_of(&plan));
    server.post(&claims, json!({"n": 1})).await.assert_refused(401, "key_missing");
    assert_eq!(server.get(&path_of(&plan)).await.body["plan"], plan);
}

#[tokio::test]
async fn an_ended_plan_cannot_be_used() {
    let server = Server::start_with(&PLAN_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let closed = open_plan(&ada, new_plan("A roof", 2, 2)).await;
    assert_eq!(close(&ada, &closed).await.status, 200);
    server.advance_clock(60);
    let mut body = new_plan("A wall", 2, 2);
    body["expires_in"] = json!(600);
    let expired = open_plan(&ada, body).await;
    server.advance_clock(600);
    for plan in [closed, expired] {
        let path = path_of(&plan);
        close(&ada, &plan).await.assert_refused(409, "closed");
        let body = json!({"expected_version": 1, "title": "A hut"});
        change(&ada, &plan, body).await.assert_refused(409, "closed");
        server.get(&format!("{path}/next")).await.assert_refused(409, "closed");
        ada.post(&format!("{path}/claims"), json!({"n": 4})).await.assert_refused(409, "closed");
    }
}

#[tokio::test]
async fn wrong_numbers_and_parameters_are_named() {
    let server = Server::start_with(&PLAN_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let plan = open_plan(&ada, new_plan("A roof", 2, 2)).await;
    for n in ["0", "257", "-1", "x", ""] {
        let reply = server.get(&format!("{}/next?n={n}", path_of(&plan))).await;
        reply.assert_field_refused(400, "invalid_field", "n");
    }
    for n in [json!(0), json!(257), json!("1"), json!(1.0)] {
        let reply = ada.post(&format!("{}/claims", path_of(&plan)), json!({"n": n})).await;
        reply.assert_refused(400, "invalid_field");
    }
    ada.post(&format!("{}/claims", path_of(&plan)), json!({})).await.assert_refused(400, "missing_field");
    let body = json!({"why": 1});
    ada.post(&format!("{}/close", path_of(&plan)), body).await.assert_refused(400, "unknown_field");
    for (query, code) in [
        ("state=done", "invalid_field"),
        ("near=1", "invalid_field"),
        ("near=128,1", "out_of_bounds"),
        ("limit=0", "invalid_field"),
        ("limit=101", "invalid_field"),
        ("before=plan_1", "bad_cursor"),
        (&format!("before={NOWHERE}"), "bad_cursor"),
        ("author=a%00b", "invalid_field"),
        ("crew=crew_1", "invalid_field"),
    ] {
        server.get(&format!("/api/plans?{query}")).await.assert_refused(400, code);
    }
}

#[tokio::test]
async fn a_banned_or_muted_agent_is_refused() {
    let server = Server::start_with(&PLAN_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let plan = open_plan(&ada, new_plan("A roof", 2, 2)).await;
    let operator = server.sign_in_operator().await;
    operator.apply_sanction(&bob, "mute").await;
    bob.post("/api/plans", new_plan("A wall", 2, 2)).await.assert_refused(403, "muted");
    let claims = format!("{}/claims", path_of(&plan));
    assert_eq!(bob.post(&claims, json!({"n": 1})).await.status, 201, "the muted may paint");
    operator.apply_sanction(&bob, "ban").await;
    bob.post("/api/plans", new_plan("A wall", 2, 2)).await.assert_refused(403, "banned");
    bob.post(&claims, json!({"n": 1})).await.assert_refused(403, "banned");
    change(&bob, &plan, json!({"expected_version": 1, "title": "A hut"})).await.assert_refused(403, "banned");
}

#[tokio::test]
async fn refused_texts_are_named() {
    let strict = [("CARAPLACE_PROFANITY", "reject"), ("CARAPLACE_LINKS", "reject")];
    let server = Server::start_with(&[&PLAN_SETTINGS[..], &strict].concat()).await;
    let ada = server.register_agent("Ada").await;
    for (field, text, code) in [
        ("title", "fuck", "content_profane"),
        ("note", "fuck", "content_profane"),
        ("title", "see https://example.com", "content_link"),
        ("note", "see https://example.com", "content_link"),
    ] {
        ada.post("/api/plans", with(&json!({field: text}))).await.assert_field_refused(422, code, field);
    }
    let plan = open_plan(&ada, new_plan("A roof", 2, 2)).await;
    let reply = change(&ada, &plan, json!({"expected_version": 1, "note": "fuck"})).await;
    reply.assert_refused(422, "content_profane");
}
