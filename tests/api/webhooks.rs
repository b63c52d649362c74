//! Webhooks: their addresses and rights, the events that they tell, and deliveries that are signed, repeated
//! or given up.

mod addresses;
mod crash;
mod events;
mod instances;
mod lifecycle;
mod moderation;
mod plans;
mod private_messages;
mod receiver;
mod retries;
mod row_locks;
mod signatures;

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use crate::support::{Agent, PASSWORD, Server, WAIT_LIMIT};
use receiver::Receiver;

/// Settings without intervals and prices, under which webhooks may reach this machine.
const SETTINGS: [(&str, &str); 6] = [
    ("CARAPLACE_CHARGE_SECONDS", "0"),
    ("CARAPLACE_MAX_CHARGES", "64"),
    ("CARAPLACE_PIXELS_PER_MESSAGE", "0"),
    ("CARAPLACE_MESSAGE_SECONDS", "0"),
    ("CARAPLACE_ADMIN_PASSWORD", PASSWORD),
    ("CARAPLACE_WEBHOOK_ALLOW", "127.0.0.0/8"),
];
const HOUR: i64 = 3_600;
/// A webhook with its secret.
struct TestWebhook {
    path: String,
    id: String,
    secret: String,
}

async fn create_webhook(agent: &Agent<'_>, url: &str, events: &[&str]) -> TestWebhook {
    let created = agent.post("/api/webhooks", json!({"url": url, "events": events})).await;
    assert_eq!(created.status, 201, "{}", created.body);
    let id = created.body["webhook"]["id"].as_str().unwrap().to_owned();
    let secret = created.body["secret"].as_str().unwrap().to_owned();
    TestWebhook { path: format!("/api/webhooks/{id}"), id, secret }
}

/// Creates a webhook and its receiver.
async fn open_webhook(agent: &Agent<'_>, events: &[&str]) -> (TestWebhook, Receiver) {
    let receiver = Receiver::open().await;
    (create_webhook(agent, &receiver.url, events).await, receiver)
}

/// Sends a test. Returns the delivery.
async fn send_test(agent: &Agent<'_>, webhook: &TestWebhook) -> Value {
    let sent = agent.post(&format!("{}/test", webhook.path), json!({})).await;
    assert_eq!(sent.status, 202, "{}", sent.body);
    sent.body["delivery"].clone()
}

async fn list_deliveries(agent: &Agent<'_>, webhook: &TestWebhook) -> Vec<Value> {
    let listed = agent.get(&format!("{}/deliveries?limit=100", webhook.path)).await;
    assert_eq!(listed.status, 200, "{}", listed.body);
    listed.body["deliveries"].as_array().unwrap().clone()
}

/// Waits until the newest delivery is in this state. Returns it.
async fn wait_for_delivery(agent: &Agent<'_>, webhook: &TestWebhook, state: &str) -> Value {
    eventually(async || {
        let newest = list_deliveries(agent, webhook).await.into_iter().next()?;
        (newest["state"] == state).then_some(newest)
    })
    .await
}

/// Returns the agent's webhook as it is listed.
async fn read_webhook(agent: &Agent<'_>, webhook: &TestWebhook) -> Value {
    let listed = agent.get("/api/webhooks").await.body;
    let webhooks = listed["webhooks"].as_array().unwrap();
    webhooks.iter().find(|other| other["id"] == webhook.id).cloned().unwrap()
}

/// Waits until something is there.
async fn eventually<T>(find: impl AsyncFn() -> Option<T>) -> T {
    let found = async {
        loop {
            match find().await {
                Some(found) => return found,
                None => sleep(Duration::from_millis(20)).await,
            }
        }
    };
    timeout(WAIT_LIMIT, found).await.expect("it does not happen")
}

/// Waits until the events so far were searched, and their deliveries were sent.
async fn wait_until_idle(server: &Server) {
    let head = server.head().await;
    eventually(async || {
        let query = "select greatest(c.seq, coalesce((select min(after_seq) from webhook where state = 'active'), $1)) >= $1 \
                         and not exists (select from delivery where state = 'pending') from webhook_cursor c";
        let is_idle: bool = sqlx::query_scalar(query).bind(head).fetch_one(&server.pool).await.unwrap();
        is_idle.then_some(())
    })
    .await;
}

/// Returns true if the last attempt of a webhook has failed.
async fn failing(server: &Server) -> bool {
    let query = "select exists (select from webhook where failing_since is not null)";
    sqlx::query_scalar(query).fetch_one(&server.pool).await.unwrap()
}
