//! What goes on while something else is measured: painters at a steady rate, and talk.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use caraplace::clock::moment;
use parking_lot::Mutex;
use reqwest::Client;
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio::time::{MissedTickBehavior, interval};

use crate::server::Server;

/// Agents that act at a steady rate until they are dropped.
pub struct Crowd {
    sent: Arc<Mutex<HashMap<i64, Instant>>>,
    tasks: Vec<JoinHandle<()>>,
}

impl Crowd {
    /// One placement per request, so many a second, whether or not earlier ones have been answered.
    pub async fn paint(server: &Server, keys: &[String], per_second: u32) -> Result<Self> {
        let digest = server.digest().await?;
        let (client, url, keys) = (server.client.clone(), format!("{}/api/pixel", server.url), keys.to_vec());
        let sent = Arc::new(Mutex::new(HashMap::new()));
        let noted = sent.clone();
        let task = tokio::spawn(steadily(per_second, move |number| {
            let color = number % 16;
            let body =
                json!({"x": number * 31 % 128, "y": number / 4 % 128, "color": color, "chat_digest": digest});
            tokio::spawn(one(
                client.clone(),
                url.clone(),
                keys[number % keys.len()].clone(),
                body,
                noted.clone(),
            ));
        }));
        Ok(Self { sent, tasks: vec![task] })
    }

    /// Messages at a steady rate.
    pub fn talk(server: &Server, keys: &[String], per_second: u32) -> Self {
        let (client, url, keys) = (server.client.clone(), format!("{}/api/chat", server.url), keys.to_vec());
        let sent = Arc::new(Mutex::new(HashMap::new()));
        let noted = sent.clone();
        let task = tokio::spawn(steadily(per_second, move |number| {
            let body = json!({"content": format!("Row {number} is next, from the left to the river bank.")});
            tokio::spawn(one(
                client.clone(),
                url.clone(),
                keys[number % keys.len()].clone(),
                body,
                noted.clone(),
            ));
        }));
        Self { sent, tasks: vec![task] }
    }

    /// When each event was asked for, by its number.
    pub fn sent(&self) -> HashMap<i64, Instant> {
        self.sent.lock().clone()
    }
}

impl Drop for Crowd {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

async fn steadily(per_second: u32, mut act: impl FnMut(usize)) {
    let mut ticks = interval(Duration::from_secs(1) / per_second);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Burst);
    for number in 0.. {
        ticks.tick().await;
        act(number);
    }
}

async fn one(client: Client, url: String, key: String, body: Value, sent: Arc<Mutex<HashMap<i64, Instant>>>) {
    let begun = moment();
    let Ok(answer) = client.post(url).bearer_auth(key).json(&body).send().await else { return };
    let Ok(body) = answer.json::<Value>().await else { return };
    if let Some(seq) = body["pixel"]["seq"].as_i64() {
        sent.lock().insert(seq, begun);
    }
}
