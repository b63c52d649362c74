//! Creating, listing, changing and deleting webhooks, and what it is refused for.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use caraplace_news::webhooks::lost_keys::disable_without_key;
use futures_util::future::join_all;
use serde_json::{Value, json};

use super::{
    HOUR, SETTINGS, TestWebhook, create_webhook, list_deliveries, open_webhook, read_webhook, receive_test,
    send_test, wait_for_delivery, wait_until_idle,
};
use crate::support::actions::{fetch_inbox, items};
use crate::support::values::{assert_field_names, fields_of};
use crate::support::{Agent, Server};

/// Asserts that an agent's inbox tells that the secret of a webhook is lost.
async fn assert_secret_lost(agent: &Agent<'_>, webhook: &TestWebhook) {
    let inbox = fetch_inbox(agent, "").await;
    let item = items(&inbox).iter().find(|item| item["kind"] == "webhook").unwrap();
    assert_eq!((&item["state"], &item["webhook_id"]), (&json!("secret_lost"), &json!(webhook.id)));
}

#[tokio::test]
async fn webhook_is_created_listed_changed_and_deleted() {
    let server = Server::start_with(&SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let body = json!({"url": "http://127.0.0.1:1024/a", "events": ["mention", "season"]});
    let created = ada.post("/api/webhooks", body).await;
    assert_eq!((created.status, created.header("cache-control")), (201, "no-store"));
    let webhook = created.body["webhook"].clone();
    assert_field_names(&webhook, "created_at events id state url");
    assert_eq!((&webhook["state"], &webhook["events"]), (&json!("active"), &json!(["mention", "season"])));
    assert_eq!(ada.get("/api/webhooks").await.body, json!({"webhooks": [webhook]}), "without the secret");
    let path = format!("/api/webhooks/{}", webhook["id"].as_str().unwrap());
    let change = json!({"events": ["reply"], "url": "http://127.0.0.1:1024/b"});
    let changed = ada.patch(&path, change).await.assert_status(200);
    let expected = json!(["http://127.0.0.1:1024/b", ["reply"]]);
    assert_eq!(fields_of(&changed["webhook"], ["url", "events"]), expected);
    assert_eq!(ada.delete(&path).await.body, json!({"success": true}));
    assert_eq!(ada.get("/api/webhooks").await.body, json!({"webhooks": []}));
    ada.delete(&path).await.assert_refused(404, "not_found");
}

#[tokio::test]
async fn an_erased_agent_gets_no_webhook() {
    let server = Server::start_with(&SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    // As if the account were erased while its request waits for the look-up of the host.
    let erase = "insert into erasure (account, erased_at, finished_at)
                 select no, clock_timestamp(), clock_timestamp() from agent where name = 'Ada'";
    server.execute(erase).await;
    let body = json!({"url": "http://127.0.0.1:1024/", "events": ["test"]});
    ada.post("/api/webhooks", body).await.assert_refused(409, "limit_reached");
    assert_eq!(server.fetch_number("select count(*) from webhook").await, 0);
}

#[tokio::test]
async fn agent_has_two_webhooks_at_most() {
    let server = Server::start_with(&SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let body = json!({"url": "http://127.0.0.1:1024/", "events": ["test"]});
    let replies = join_all((0..6).map(|_| ada.post("/api/webhooks", body.clone()))).await;
    let (created, refused): (Vec<_>, Vec<_>) = replies.iter().partition(|reply| reply.status == 201);
    assert_eq!((created.len(), refused.len()), (2, 4));
    for reply in refused {
        reply.assert_refused(409, "limit_reached");
        assert_eq!(reply.body["limit"], 2);
    }
    let bob = server.register_agent("Bob").await;
    assert_eq!(bob.post("/api/webhooks", body.clone()).await.status, 201, "another agent has its own");
    let id = created[0].body["webhook"]["id"].as_str().unwrap();
    assert_eq!(ada.delete(&format!("/api/webhooks/{id}")).await.status, 200);
    assert_eq!(ada.post("/api/webhooks", body).await.status, 201);
}

#[tokio::test]
async fn wrong_fields_are_refused() {
    let server = Server::start_with(&SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let good = json!({"url": "http://127.0.0.1:1024/", "events": ["test"]});
    let short = format!("whsec_{}", BASE64_STANDARD.encode([1; 8]));
    for (field, value) in [
        ("events", json!([])),
        ("events", json!(["mention", "mention"])),
        ("events", json!(["everything"])),
        ("secret", json!("password")),
        ("secret", json!(short)),
        ("url", json!("")),
        ("url", json!("ftp://127.0.0.1/")),
    ] {
        let mut body = good.clone();
        body[field] = value;
        let refused = ada.post("/api/webhooks", body.clone()).await;
        refused.assert_refused(400, "invalid_field");
        assert_eq!(refused.body["field"], field, "{body}");
    }
    let webhook = create_webhook(&ada, "http://127.0.0.1:1024/", &["test"]).await;
    ada.patch(&webhook.path, json!({})).await.assert_refused(400, "missing_field");
    ada.patch(&webhook.path, json!({"state": "gone"})).await.assert_refused(400, "invalid_field");
    ada.patch(&webhook.path, json!({"secret": "x"})).await.assert_refused(400, "unknown_field");
    let secret = format!("whsec_{}", BASE64_STANDARD.encode([1; 24]));
    let mut body = good;
    body["secret"] = json!(secret);
    assert_eq!(ada.post("/api/webhooks", body).await.body["secret"], secret);
}

#[tokio::test]
async fn others_neither_see_nor_use_a_webhook() {
    let server = Server::start_with(&SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let (webhook, mut receiver) = open_webhook(&ada, &["test"]).await;
    let delivery = receive_test(&ada, &webhook, &mut receiver).await;
    assert_eq!(bob.get("/api/webhooks").await.body, json!({"webhooks": []}));
    let path = &webhook.path;
    bob.get(&format!("{path}/deliveries")).await.assert_refused(404, "not_found");
    bob.patch(path, json!({"state": "disabled"})).await.assert_refused(404, "not_found");
    bob.delete(path).await.assert_refused(404, "not_found");
    let resend = format!("{path}/deliveries/{}/resend", delivery["id"].as_str().unwrap());
    for action in [&format!("{path}/test"), &format!("{path}/rotate"), &resend] {
        bob.post(action, json!({})).await.assert_refused(404, "not_found");
    }
    server.post("/api/webhooks", json!({})).await.assert_refused(401, "key_missing");
    let painter = ada.with_extra_key(&["read", "paint", "chat"]).await;
    let refused = painter.post(&format!("{path}/rotate"), json!({})).await;
    refused.assert_refused(403, "scope_missing");
    assert_eq!(refused.body["scope"], "manage");
    painter.delete(path).await.assert_refused(403, "scope_missing");
    let manager = ada.with_extra_key(&["manage"]).await;
    assert_eq!(manager.post(&format!("{path}/test"), json!({})).await.status, 202);
}

#[tokio::test]
async fn secret_is_stored_encrypted() {
    let server = Server::start_with(&SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let webhook = create_webhook(&ada, "http://127.0.0.1:1024/", &["test"]).await;
    let stored: Vec<u8> = server.fetch_scalar("select secret from webhook").await;
    let secret = BASE64_STANDARD.decode(webhook.secret.strip_prefix("whsec_").unwrap()).unwrap();
    assert_eq!((secret.len(), stored.len()), (32, 8 + 12 + 32 + 16));
    assert!(stored.windows(8).all(|part| !secret.windows(8).any(|plain| plain == part)));
}

async fn count_attempts(server: &Server) -> i32 {
    server.fetch_scalar("select attempts from delivery").await
}

#[tokio::test]
async fn instance_with_another_key_leaves_a_webhook_to_those_that_have_its_key() {
    let (old_key, new_key) = ("1".repeat(32), "2".repeat(32));
    let settings = [&SETTINGS[..], &[("CARAPLACE_WEBHOOK_KEY", &old_key)]].concat();
    let mut server = Server::start_with(&settings).await;
    let mut receiver = {
        let ada = server.register_agent("Ada").await;
        open_webhook(&ada, &["test"]).await.1
    };
    server.restart_with("CARAPLACE_WEBHOOK_KEY", &new_key).await;
    let webhook: i64 = server.fetch_scalar("select no from webhook").await;
    insert_delivery(&server, webhook).await;
    {
        // The delivery of another webhook shows that the job has looked at everything due.
        let bob = server.register_agent("Bob").await;
        let (other, mut other_receiver) = open_webhook(&bob, &["test"]).await;
        receive_test(&bob, &other, &mut other_receiver).await;
        wait_for_delivery(&bob, &other, "delivered").await;
        assert_eq!(bob.delete(&other.path).await.status, 200);
    }
    assert_eq!(count_attempts(&server).await, 0, "it cannot be signed");
    let state: String = server.fetch_scalar("select state from webhook").await;
    assert_eq!(state, "active", "another instance may have its key");
    server.restart_with("CARAPLACE_WEBHOOK_KEY", &format!("{new_key},{old_key}")).await;
    receiver.next().await;
    assert_eq!(count_attempts(&server).await, 1);
}

/// Inserts a delivery as the server does.
async fn insert_delivery(server: &Server, webhook: i64) {
    let insert = "insert into delivery (webhook, dedupe_key, type, data, next_at, created_at) \
                  values ($1, 'x', 'test', '{}', $2, $2)";
    sqlx::query(insert).bind(webhook).bind(server.clock.now()).execute(&server.pool).await.unwrap();
}

#[tokio::test]
async fn disabled_webhook_sends_nothing_until_it_is_enabled() {
    let server = Server::start_with(&SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let (webhook, mut receiver) = open_webhook(&ada, &["mention"]).await;
    let set_state = async |state: &str| {
        let changed = ada.patch(&webhook.path, json!({"state": state})).await;
        assert_eq!(changed.body["webhook"]["state"], state, "{}", changed.body);
    };
    set_state("disabled").await;
    ada.post(&format!("{}/test", webhook.path), json!({})).await.assert_refused(409, "closed");
    assert_eq!(bob.post_message("@Ada while it is disabled").await.status, 201);
    set_state("active").await;
    assert_eq!(bob.post_message("@Ada after it").await.status, 201);
    assert_eq!(receiver.next().await.json()["data"]["message"]["content"], "@Ada after it");
    wait_until_idle(&server).await;
    assert!(receiver.try_next().is_none(), "events from before are not told");
    assert_eq!(read_webhook(&ada, &webhook).await["state"], "active");
}

#[tokio::test]
async fn deleting_ends_pending_deliveries_and_pages_continue() {
    let server = Server::start_with(&SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let (webhook, mut receiver) = open_webhook(&ada, &["test"]).await;
    let mut sent = Vec::new();
    for _ in 0..5 {
        sent.push(receive_test(&ada, &webhook, &mut receiver).await["id"].clone());
    }
    sent.reverse();
    let first = ada.get(&format!("{}/deliveries?limit=3", webhook.path)).await.body;
    let before = first["next_before"].as_str().unwrap();
    let second = ada.get(&format!("{}/deliveries?limit=3&before={before}", webhook.path)).await.body;
    assert_eq!(second["next_before"], Value::Null);
    let pages = [&first, &second].into_iter().flat_map(|page| page["deliveries"].as_array().unwrap());
    assert_eq!(pages.map(|delivery| delivery["id"].clone()).collect::<Vec<_>>(), sent);
    let wrong = format!("{}/deliveries?before=delivery_x", webhook.path);
    ada.get(&wrong).await.assert_refused(400, "bad_cursor");
    receiver.answer_with(500);
    receive_test(&ada, &webhook, &mut receiver).await;
    wait_for_delivery(&ada, &webhook, "pending").await;
    assert_eq!(list_deliveries(&ada, &webhook).await.len(), 6);
    assert_eq!(ada.delete(&webhook.path).await.status, 200);
    server.advance_clock(100_000);
    let (other, mut other_receiver) = open_webhook(&ada, &["test"]).await;
    receive_test(&ada, &other, &mut other_receiver).await;
    wait_until_idle(&server).await;
    assert!(receiver.try_next().is_none());
}

#[tokio::test]
async fn limit_of_requests_belongs_to_the_agent() {
    let server = Server::start_with(&SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let body = json!({"url": "http://127.0.0.1:1024/", "events": ["test"]});
    for number in 0..10 {
        let created = ada.post("/api/webhooks", body.clone()).await;
        assert_eq!(created.status, 201, "{number}: {}", created.body);
        let path = format!("/api/webhooks/{}", created.body["webhook"]["id"].as_str().unwrap());
        if number < 9 {
            assert_eq!(ada.delete(&path).await.status, 200);
            continue;
        }
        ada.post(&format!("{path}/test"), json!({})).await.assert_refused(429, "too_many_requests");
        let moved = ada.patch(&path, json!({"url": "http://127.0.0.1:1024/b"})).await;
        moved.assert_refused(429, "too_many_requests");
        assert_eq!(ada.patch(&path, json!({"events": ["mention"]})).await.status, 200);
    }
    ada.post("/api/webhooks", body).await.assert_refused(429, "too_many_requests");
}

#[tokio::test]
async fn webhook_whose_secret_is_damaged_is_disabled() {
    let server = Server::start_with(&SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let (webhook, mut receiver) = open_webhook(&ada, &["test"]).await;
    server.execute("update webhook set secret = substring(secret from 1 for 20) || '\\x00'::bytea").await;
    send_test(&ada, &webhook).await;
    wait_for_delivery(&ada, &webhook, "failed").await;
    assert_eq!(read_webhook(&ada, &webhook).await["state"], "disabled");
    assert_secret_lost(&ada, &webhook).await;
    let rotated = ada.post(&format!("{}/rotate", webhook.path), json!({})).await;
    assert_eq!(ada.patch(&webhook.path, json!({"state": "active"})).await.status, 200);
    send_test(&ada, &webhook).await;
    assert!(receiver.next().await.is_signed_with(rotated.body["secret"].as_str().unwrap()));
}

#[tokio::test]
async fn webhook_whose_key_is_lost_is_disabled_after_a_day() {
    let server = Server::start_with(&SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let (webhook, mut receiver) = open_webhook(&ada, &["test"]).await;
    let other_key =
        "update webhook set secret = '\\x0000000000000000' || substring(secret from 9) returning no";
    let number: i64 = server.fetch_scalar(other_key).await;
    insert_delivery(&server, number).await;
    let state = &server.running().state;
    server.advance_clock(23 * HOUR);
    assert!(disable_without_key(state, &[]).await.unwrap().is_empty(), "another instance may have the key");
    server.advance_clock(2 * HOUR);
    assert_eq!(disable_without_key(state, &[]).await.unwrap(), std::slice::from_ref(&webhook.id));
    assert_secret_lost(&ada, &webhook).await;
    assert!(receiver.try_next().is_none());
}
