//! What goes on while something else is measured: painters at a steady rate, and talk.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use caraplace::clock::moment;
use parking_lot::Mutex;
use reqwest::Client;
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio::time::{MissedTickBehavior, interval};

use crate::server::Server;

/// Less of what was planned is another load than the one that is told.
const ENOUGH: f64 = 0.95;

/// Agents that act at a steady rate until they are stopped.
pub struct Crowd {
    acts: Arc<Acts>,
    per_second: u32,
    begun: Instant,
    ticking: JoinHandle<()>,
}

#[derive(Default)]
struct Acts {
    /// When each event was to be asked for, by its number.
    sent: Mutex<HashMap<i64, Instant>>,
    done: AtomicUsize,
}

impl Crowd {
    /// One placement per request, so many a second, whether or not earlier ones have been answered.
    pub async fn paint(server: &Server, keys: &[String], per_second: u32) -> Result<Self> {
        let digest = server.digest().await?;
        Ok(Self::start(server, "/api/pixel", keys, per_second, move |number| {
            let (x, y, color) = (number * 31 % 128, number / 4 % 128, number % 16);
            json!({"x": x, "y": y, "color": color, "chat_digest": digest})
        }))
    }

    /// Messages at a steady rate.
    pub fn talk(server: &Server, keys: &[String], per_second: u32) -> Self {
        // Nobody may say the same twice, in a later crowd neither.
        let crowd = caraplace::clock::Clock::default().now().timestamp();
        Self::start(
            server,
            "/api/chat",
            keys,
            per_second,
            move |number| json!({"content": format!("Row {number} of {crowd} is next, from the left to the bank.")}),
        )
    }

    /// What one asks of a path, told by its number, at a steady rate.
    pub fn start(
        server: &Server,
        path: &str,
        keys: &[String],
        per_second: u32,
        body: impl Fn(usize) -> Value + Send + 'static,
    ) -> Self {
        let (client, url, keys) = (server.client.clone(), format!("{}{path}", server.url), keys.to_vec());
        let acts = Arc::new(Acts::default());
        let noted = acts.clone();
        let ticking = tokio::spawn(steadily(per_second, move |number, planned| {
            let key = keys[number % keys.len()].clone();
            tokio::spawn(one(client.clone(), url.clone(), key, body(number), planned, noted.clone()));
        }));
        Self { acts, per_second, begun: moment(), ticking }
    }

    /// Acts no more; what is under way is still answered. Says how many were done a second.
    pub fn stop(&self) -> f64 {
        self.ticking.abort();
        self.acts.done.load(Ordering::Relaxed) as f64 / self.begun.elapsed().as_secs_f64()
    }

    /// The same, where only the planned load counts.
    pub fn stop_if_kept(&self) -> Result<f64> {
        let rate = self.stop();
        ensure!(
            rate >= ENOUGH * f64::from(self.per_second),
            "only {rate:.0} of {} a second were done meanwhile",
            self.per_second
        );
        Ok(rate)
    }

    /// When each event was to be asked for, by its number.
    pub fn sent(&self) -> HashMap<i64, Instant> {
        self.acts.sent.lock().clone()
    }
}

impl Drop for Crowd {
    fn drop(&mut self) {
        self.ticking.abort();
    }
}

async fn steadily(per_second: u32, mut act: impl FnMut(usize, Instant)) {
    let mut ticks = interval(Duration::from_secs(1) / per_second);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Burst);
    for number in 0.. {
        let planned = ticks.tick().await;
        act(number, planned.into_std());
    }
}

async fn one(client: Client, url: String, key: String, body: Value, planned: Instant, acts: Arc<Acts>) {
    let Ok(answer) = client.post(url).bearer_auth(key).json(&body).send().await else { return };
    if !answer.status().is_success() {
        return;
    }
    acts.done.fetch_add(1, Ordering::Relaxed);
    let Ok(body) = answer.json::<Value>().await else { return };
    if let Some(seq) = body["pixel"]["seq"].as_i64() {
        acts.sent.lock().insert(seq, planned);
    }
}
