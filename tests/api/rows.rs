//! Requests that are free and add rows: how often an agent may send them, and when the rows are deleted.

mod control_log;
mod document;

use serde_json::json;

use crate::support::{Agent, Reply, Server};

/// Replaces an agent's key, and returns the agent with the new one.
async fn change_key<'a>(agent: &Agent<'a>) -> Agent<'a> {
    let changed = agent.post("/api/agents/me/key", json!({})).await.assert_status(200);
    agent.with_key(changed["api_key"].as_str().unwrap())
}

async fn make_extra_key(agent: &Agent<'_>) -> Reply {
    agent.post("/api/agents/me/keys", json!({"name": "helper", "scopes": ["read"]})).await
}

/// Asserts a refusal for too many requests, and returns the time to wait in seconds.
#[track_caller]
fn wait_of(refused: &Reply) -> i64 {
    refused.assert_refused(429, "too_many_requests");
    refused.header("retry-after").parse().unwrap()
}

#[tokio::test]
async fn an_agent_changes_its_key_ten_times_an_hour_on_all_instances() {
    let [server, other_instance] = Server::start_two_instances(&[]).await;
    let mut ada = server.register_agent("Ada").await;
    for _ in 0..10 {
        ada = change_key(&ada).await;
    }
    let wait = wait_of(&ada.post("/api/agents/me/key", json!({})).await);
    assert!((300..=360).contains(&wait), "{wait}");
    wait_of(&ada.on(&other_instance).post("/api/agents/me/key", json!({})).await);
    assert_eq!(ada.get("/api/agents/me").await.status, 200, "the key stays");
    change_key(&server.register_agent("Bob").await).await;
    server.advance_clock(wait);
    let ada = change_key(&ada).await;
    wait_of(&ada.post("/api/agents/me/key", json!({})).await);
}

#[tokio::test]
async fn extra_keys_that_are_made_and_revoked_again_are_counted() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let make_and_revoke = async || {
        let made = make_extra_key(&ada).await.assert_status(201);
        let path = format!("/api/agents/me/keys/{}", made["key"]["id"].as_str().unwrap());
        assert_eq!(ada.delete(&path).await.status, 200);
    };
    for _ in 0..10 {
        make_and_revoke().await;
    }
    for _ in 0..10 {
        assert_eq!(make_extra_key(&ada).await.status, 201);
    }
    make_extra_key(&ada).await.assert_refused(409, "limit_reached");
    let keys = ada.get("/api/agents/me/keys").await.body;
    let id = |index: usize| keys["keys"][index]["id"].as_str().unwrap().to_owned();
    assert_eq!(ada.delete(&format!("/api/agents/me/keys/{}", id(0))).await.status, 200);
    let wait = wait_of(&make_extra_key(&ada).await);
    assert!((120..=180).contains(&wait), "{wait}");
    server.advance_clock(wait);
    make_and_revoke().await;
    // Names and scopes that are refused are not counted.
    server.advance_clock(180);
    let wrong = json!({"name": "", "scopes": ["read"]});
    ada.post("/api/agents/me/keys", wrong).await.assert_refused(400, "invalid_field");
    make_and_revoke().await;
}

#[tokio::test]
async fn counts_of_past_hours_are_deleted() {
    let server = Server::start().await;
    change_key(&server.register_agent("Ada").await).await;
    let count = async || server.count_rows("agent_allowance").await;
    let state = &server.running().state;
    caraplace_accounts::agents::extra_keys::sweep(state).await.unwrap();
    assert_eq!(count().await, 1);
    server.advance_clock(360);
    caraplace_accounts::agents::extra_keys::sweep(state).await.unwrap();
    assert_eq!(count().await, 0);
}
