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
mod retries;
mod row_locks;
mod signatures;

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use crate::support::actions::FREE_SETTINGS;
use crate::support::{Agent, PASSWORD, Receiver, Server, WAIT_LIMIT};

/// Settings without intervals and prices, under which webhooks may reach this machine.
const SETTINGS: [(&str, &str); 6] = [
    FREE_SETTINGS[0],
    FREE_SETTINGS[1],
    FREE_SETTINGS[2],
    FREE_SETTINGS[3],
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
    let created = agent.post("/api/webhooks", json!({"url": url, "events": events})).await.assert_status(201);
    let id = created["webhook"]["id"].as_str().unwrap().to_owned();
    let secret = created["secret"].as_str().unwrap().to_owned();
    TestWebhook { path: format!("/api/webhooks/{id}"), id, secret }
}

/// Creates a webhook and its receiver.
async fn open_webhook(agent: &Agent<'_>, events: &[&str]) -> (TestWebhook, Receiver) {
    let receiver = Receiver::open().await;
    (create_webhook(agent, &receiver.url, events).await, receiver)
}

/// Sends a test. Returns the delivery.
async fn send_test(agent: &Agent<'_>, webhook: &TestWebhook) -> Value {
    agent.post(&format!("{}/test", webhook.path), json!({})).await.assert_status(202)["delivery"].clone()
}

/// Sends a test, and waits until it has arrived. Returns the delivery.
async fn receive_test(agent: &Agent<'_>, webhook: &TestWebhook, receiver: &mut Receiver) -> Value {
    let delivery = send_test(agent, webhook).await;
    receiver.next().await;
    delivery
}

async fn list_deliveries(agent: &Agent<'_>, webhook: &TestWebhook) -> Vec<Value> {
    let listed = agent.get(&format!("{}/deliveries?limit=100", webhook.path)).await.assert_status(200);
    listed["deliveries"].as_array().unwrap().clone()
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
    server.fetch_scalar("select exists (select from webhook where failing_since is not null)").await
}

/// Waits until the last attempt of a webhook has failed.
async fn wait_until_failing(server: &Server) {
    eventually(async || failing(server).await.then_some(())).await;
}
