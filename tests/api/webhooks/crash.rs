//! Deliveries survive a process that is killed: each is received at least once.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use crate::support::{Process, Receiver};

/// The number of agents, each with two webhooks. A message mentions at most twenty.
const AGENTS: usize = 20;
/// The number of messages, each of which mentions all agents.
const MESSAGES: usize = 250;
/// The number of receivers. Four requests to each are under way at the same time.
const RECEIVERS: usize = 16;
/// The numbers of received deliveries at which the process is killed.
const KILLS: [usize; 2] = [500, 4_000];
/// Timeout for all deliveries on a busy machine. The test takes half a minute on two cores.
const DELIVERY_TIMEOUT: Duration = Duration::from_mins(4);

/// The messages that each webhook has received, by its path, and the deliveries by their ids.
#[derive(Default)]
struct ReceivedDeliveries {
    messages: HashMap<String, HashSet<String>>,
    ids: HashSet<String>,
}

type Ledger = Arc<Mutex<ReceivedDeliveries>>;

/// Writes everything that a receiver gets into the ledger.
async fn record(mut receiver: Receiver, ledger: Ledger) {
    loop {
        let received = receiver.next_without_timeout().await;
        let message = received.json()["data"]["message"]["id"].as_str().unwrap().to_owned();
        let mut ledger = ledger.lock();
        ledger.ids.insert(received.header("webhook-id").to_owned());
        ledger.messages.entry(received.path).or_default().insert(message);
    }
}

/// Posts a message; `None` if the server is down. A message that is not acknowledged need not be told.
async fn post_mention(process: &Process, key: &str, content: &str) -> Option<String> {
    let request = process.client.post(process.url("/api/chat")).bearer_auth(key);
    let response = request.json(&json!({"content": content})).send().await.ok()?;
    assert!([201, 503].contains(&response.status().as_u16()), "{}", response.status());
    let body: Value = response.json().await.ok()?;
    Some(body["message"]["id"].as_str()?.to_owned())
}

async fn wait_for(ledger: &Ledger, count: usize) {
    let grown = async {
        while ledger.lock().ids.len() < count {
            sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(DELIVERY_TIMEOUT, grown)
        .await
        .unwrap_or_else(|_| panic!("only {} deliveries", ledger.lock().ids.len()));
}

/// Posts messages until this many more were acknowledged. Returns their ids.
async fn post_all(process: &Process, key: &str, count: usize, label: &str) -> Vec<String> {
    let mentions: String = (0..AGENTS).map(|index| format!("@A{index} ")).collect();
    let texts: Vec<String> = (0..count).map(|index| format!("{mentions}{label}{index}")).collect();
    let posts = texts.iter().map(|text| post_mention(process, key, text));
    join_all(posts).await.into_iter().flatten().collect()
}

#[tokio::test]
async fn ten_thousand_deliveries_survive_kills() {
    let mut process = Process::start_with(&[("CARAPLACE_WEBHOOK_ALLOW", "127.0.0.0/8")]).await;
    let ledger = Ledger::default();
    let mut urls = Vec::new();
    for _ in 0..RECEIVERS {
        let receiver = Receiver::open().await;
        urls.push(receiver.url.clone());
        tokio::spawn(record(receiver, ledger.clone()));
    }
    let author = process.register_agent("Author").await;
    for index in 0..AGENTS {
        let key = process.register_agent(&format!("A{index}")).await;
        for number in [2 * index, 2 * index + 1] {
            let url = format!("{}/{number}", urls[number % RECEIVERS]);
            let webhook = json!({"url": url, "events": ["mention"]});
            process.post_with_key(&key, "/api/webhooks", webhook).await.assert_status(201);
        }
    }
    let mut messages = post_all(&process, &author, MESSAGES / 2, "first ").await;
    for (round, kill_at) in KILLS.into_iter().enumerate() {
        wait_for(&ledger, kill_at).await;
        process.kill();
        process.restart().await;
        let missing = if round == 0 { MESSAGES / 4 } else { MESSAGES - messages.len() };
        messages.extend(post_all(&process, &author, missing, &format!("after {round} ")).await);
    }
    assert_eq!(messages.len(), MESSAGES, "what the first process acknowledged");
    wait_for(&ledger, 2 * AGENTS * MESSAGES).await;
    let ledger = ledger.lock();
    let expected: HashSet<String> = messages.into_iter().collect();
    assert_eq!(ledger.messages.len(), 2 * AGENTS);
    let is_complete = |received: &HashSet<String>| *received == expected;
    assert!(ledger.messages.values().all(is_complete), "each webhook was told of each message");
    assert_eq!(ledger.ids.len(), 2 * AGENTS * MESSAGES, "a repetition has the same id");
    assert_eq!(ledger.ids.len(), 10_000);
}
