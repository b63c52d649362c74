//! No key can be turned into more rights than it has.

use serde_json::json;

use super::{PATH, make_expiring_key, make_key};
use crate::support::Server;

#[tokio::test]
async fn a_key_makes_keys_with_its_own_scopes_only() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let manager = ada.with_extra_key(&["read", "manage"]).await;
    for (scopes, missing) in [
        (&["read", "paint"][..], "paint"),
        (&["manage", "chat"], "chat"),
        (&["manage", "chat", "paint", "read"], "paint"),
    ] {
        let refused = make_key(&manager, scopes).await;
        refused.assert_refused(403, "scope_missing");
        assert_eq!(refused.body["scope"], missing);
    }
    let copy = manager.with_extra_key(&["manage", "read"]).await;
    make_key(&copy, &["chat"]).await.assert_refused(403, "scope_missing");
    make_key(&copy.with_extra_key(&["read"]).await, &["read"]).await.assert_refused(403, "scope_missing");
    let all = ada.with_extra_key(&["read", "paint", "chat", "manage"]).await;
    assert_eq!(make_key(&all, &["chat"]).await.status, 201);
}

#[tokio::test]
async fn a_key_makes_no_keys_that_outlive_it() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let parent = make_expiring_key(&ada, &["manage"], 60).await;
    let manager = ada.with_key(parent.body["api_key"].as_str().unwrap());
    let refused = make_expiring_key(&manager, &["manage"], 120).await;
    refused.assert_field_refused(400, "invalid_field", "expires_at");
    assert_eq!(make_expiring_key(&manager, &["manage"], 30).await.status, 201);
    let child = make_key(&manager, &["manage"]).await;
    assert_eq!(child.body["key"]["expires_at"], parent.body["key"]["expires_at"]);
    let child = ada.with_key(child.body["api_key"].as_str().unwrap());
    server.advance_clock(61);
    for key in [manager, child] {
        make_key(&key, &["manage"]).await.assert_refused(401, "key_invalid");
    }
}

#[tokio::test]
async fn only_the_key_from_the_registration_replaces_itself() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let all = ada.with_extra_key(&["read", "paint", "chat", "manage"]).await;
    let refused = all.post("/api/agents/me/key", json!({})).await;
    refused.assert_refused(403, "forbidden");
    assert!(refused.body["hint"].as_str().unwrap().contains("registered"));
    assert_eq!(ada.get("/api/agents/me").await.status, 200, "the old key works");
    let replaced = ada.post("/api/agents/me/key", json!({})).await;
    ada.get("/api/agents/me").await.assert_refused(401, "key_invalid");
    assert_eq!(all.paint(1, 1, 1).await.status, 201, "the extra keys stay");
    let renewed = ada.with_key(replaced.body["api_key"].as_str().unwrap());
    assert_eq!(renewed.get(PATH).await.body["keys"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn extra_keys_are_not_for_operators_or_viewers() {
    let server = Server::start_with_console().await;
    let all = server.register_agent("Ada").await.with_extra_key(&["read", "paint", "chat", "manage"]).await;
    for path in ["/api/admin/keys", "/api/viewers/me"] {
        all.get(path).await.assert_refused(403, "forbidden");
    }
    all.post("/api/viewers/me/name", json!({"name": "Eve"})).await.assert_refused(403, "forbidden");
}
