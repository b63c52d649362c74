//! Extra keys of agents: how they are made, listed and revoked.

mod descendants;
mod documents;
mod ends;
mod escalation;
mod expired;
mod operators;
mod own_header;
mod scopes;
mod uses;

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::support::values::assert_field_names;
use crate::support::{Agent, Reply, Server, WAIT_LIMIT};

const PATH: &str = "/api/agents/me/keys";

async fn make_key(agent: &Agent<'_>, scopes: &[&str]) -> Reply {
    agent.post(PATH, json!({"name": "helper", "scopes": scopes})).await
}

/// Makes a key that expires after so many seconds.
async fn make_expiring_key(agent: &Agent<'_>, scopes: &[&str], seconds: i64) -> Reply {
    let expires_at = agent.server.clock.now() + TimeDelta::seconds(seconds);
    agent.post(PATH, json!({"name": "helper", "scopes": scopes, "expires_at": expires_at})).await
}

/// Returns the path of the key that a reply has made.
fn path_of(made: &Reply) -> String {
    format!("{PATH}/{}", made.body["key"]["id"].as_str().unwrap())
}

#[tokio::test]
async fn a_key_is_shown_once_and_then_listed() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    assert_eq!(ada.get(PATH).await.body, json!({"keys": []}));
    let made = make_expiring_key(&ada, &["paint", "read"], 3600).await;
    assert_eq!((made.status, made.header("cache-control")), (201, "no-store"), "{}", made.body);
    assert_eq!(made.body["success"], true);
    let (key, api_key) = (&made.body["key"], made.body["api_key"].as_str().unwrap());
    assert!(key["id"].as_str().unwrap().starts_with("key_") && api_key.starts_with("cp_"));
    assert_eq!(api_key.len(), ada.key.len());
    assert_eq!((&key["name"], &key["scopes"]), (&json!("helper"), &json!(["paint", "read"])));
    assert_eq!(key["last_used_at"], Value::Null);
    let time = |name: &str| key[name].as_str().unwrap().parse::<DateTime<Utc>>().unwrap();
    assert!((time("expires_at") - time("created_at")).num_seconds().abs_diff(3600) < 5);
    let other = make_key(&ada, &["chat"]).await;
    assert_eq!(other.body["key"]["expires_at"], Value::Null);
    let listed = ada.get(PATH).await;
    assert_eq!(listed.body, json!({"keys": [other.body["key"], key]}));
    assert_eq!(listed.header("cache-control"), "no-store");
    assert_field_names(key, "created_at expires_at id last_used_at name scopes");
    let stored: String = server.fetch_scalar("select agent_key::text from agent_key").await;
    assert!(!stored.contains(&api_key[3..]), "only the hash is stored");
}

#[tokio::test]
async fn a_revoked_key_is_gone() {
    let server = Server::start().await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let made = make_key(&ada, &["read"]).await;
    let helper = ada.with_key(made.body["api_key"].as_str().unwrap());
    assert_eq!(helper.get("/api/agents/me").await.body["agent"]["id"], ada.id.as_str());
    bob.delete(&path_of(&made)).await.assert_refused(404, "not_found");
    assert_eq!(helper.get("/api/agents/me").await.status, 200);
    let revoked = ada.delete(&path_of(&made)).await;
    assert_eq!((revoked.status, revoked.body), (200, json!({"success": true})));
    helper.get("/api/agents/me").await.assert_refused(401, "key_invalid");
    helper.get("/api/canvas").await.assert_refused(401, "key_invalid");
    ada.delete(&path_of(&made)).await.assert_refused(404, "not_found");
    assert_eq!(ada.get(PATH).await.body, json!({"keys": []}));
}

#[tokio::test]
async fn wrong_fields_are_named() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let long = "x".repeat(41);
    for (field, value) in [
        ("name", json!("")),
        ("name", json!(" \u{200b} ")),
        ("name", json!(long)),
        ("scopes", json!([])),
        ("scopes", json!(["read", "read"])),
        ("scopes", json!(["read", "admin"])),
        ("scopes", json!(["READ"])),
        ("scopes", json!("read")),
        ("expires_at", json!(server.clock.now())),
        ("expires_at", json!("2020-01-01T00:00:00Z")),
        ("expires_at", json!("soon")),
    ] {
        let mut body = json!({"name": "helper", "scopes": ["read"]});
        body[field] = value;
        let refused = ada.post(PATH, body.clone()).await;
        refused.assert_refused(400, "invalid_field");
        assert_eq!(refused.body["field"], field, "{body}: {}", refused.body);
    }
    ada.post(PATH, json!({"scopes": ["read"]})).await.assert_refused(400, "missing_field");
    ada.post(PATH, json!({"name": "helper"})).await.assert_refused(400, "missing_field");
    let unknown = json!({"name": "h", "scopes": ["read"], "x": 1});
    ada.post(PATH, unknown).await.assert_refused(400, "unknown_field");
    server.post(PATH, json!({"name": "h", "scopes": ["read"]})).await.assert_refused(401, "key_missing");
    assert_eq!(ada.get(PATH).await.body, json!({"keys": []}), "nothing was made");
}

#[tokio::test]
async fn names_are_cleaned_like_descriptions() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let forty = "é".repeat(40);
    for (name, cleaned) in [
        ("  for\u{202e} painting\u{0} ", "for painting"),
        ("see evil.example.com", "see [link removed]"),
        ("a shit helper", "a s*** helper"),
        (&forty, &forty),
    ] {
        let made = ada.post(PATH, json!({"name": name, "scopes": ["read"]})).await;
        assert_eq!(made.body["key"]["name"], cleaned, "{}", made.body);
    }
}

#[tokio::test]
async fn an_agent_has_ten_live_keys_at_most() {
    let [server, other] = Server::start_two_instances(&[]).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let there = ada.on(&other);
    let expiring = make_expiring_key(&ada, &["read"], 60).await;
    let attempts = (0..12).map(|i| make_key(if i % 2 == 0 { &ada } else { &there }, &["read"]));
    let replies = futures_util::future::join_all(attempts).await;
    let (made, refused): (Vec<_>, Vec<_>) = replies.iter().partition(|reply| reply.status == 201);
    assert_eq!((made.len(), refused.len()), (9, 3));
    for reply in refused {
        reply.assert_refused(409, "limit_reached");
        assert_eq!(reply.body["limit"], 10);
    }
    assert_eq!(make_key(&bob, &["read"]).await.status, 201, "each agent has its own ten");
    ada.delete(&path_of(made[0])).await;
    assert_eq!(make_key(&ada, &["read"]).await.status, 201);
    make_key(&ada, &["read"]).await.assert_refused(409, "limit_reached");
    server.advance_clock(61);
    assert_eq!(make_key(&ada, &["read"]).await.status, 201, "an expired key does not count");
    let keys = ada.get(PATH).await.body["keys"].as_array().unwrap().clone();
    assert_eq!(keys.len(), 10);
    assert!(keys.iter().all(|key| key["id"] != expiring.body["key"]["id"]), "nor is it listed");
}

#[tokio::test]
async fn refused_requests_do_not_wait_for_the_head() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    for _ in 0..10 {
        assert_eq!(make_key(&ada, &["read"]).await.status, 201);
    }
    let head_lock = server.lock_head().await;
    let refused = async {
        make_key(&ada, &["read"]).await.assert_refused(409, "limit_reached");
        ada.delete(&format!("{PATH}/key_unknown")).await.assert_refused(404, "not_found");
    };
    timeout(WAIT_LIMIT, refused).await.expect("the requests wait for the head");
    head_lock.release().await;
}
