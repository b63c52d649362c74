//! Background load during a measurement: placements and messages at a steady rate.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use parking_lot::Mutex;
use platform::clock::monotonic_now;
use reqwest::Client;
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio::time::{MissedTickBehavior, interval};

use crate::server::Server;

/// Minimum share of the planned rate. Below it, the measured load is not the reported one.
const MIN_RATE_SHARE: f64 = 0.95;

/// Agents that send requests at a steady rate until they are stopped.
pub struct BackgroundLoad {
    counts: Arc<LoadCounts>,
    per_second: u32,
    started_at: Instant,
    task: JoinHandle<()>,
}

#[derive(Default)]
struct LoadCounts {
    /// The planned time of each event, by its number.
    planned_at_by_seq: Mutex<HashMap<i64, Instant>>,
    done_count: AtomicUsize,
}

impl BackgroundLoad {
    /// Starts placements at this rate, one per request, without waiting for responses.
    pub async fn start_placements(server: &Server, keys: &[String], per_second: u32) -> Result<Self> {
        let digest = server.digest().await?;
        Ok(Self::start(server, "/api/pixel", keys, per_second, move |number| {
            let (x, y, color) = (number * 31 % 128, number / 4 % 128, number % 16);
            json!({"x": x, "y": y, "color": color, "chat_digest": digest})
        }))
    }

    /// Starts messages at a steady rate.
    pub fn start_messages(server: &Server, keys: &[String], per_second: u32) -> Self {
        // The time makes the texts unique, because the server refuses repeated messages.
        let run_id = platform::clock::Clock::default().now().timestamp();
        Self::start(
            server,
            "/api/chat",
            keys,
            per_second,
            move |number| json!({"content": format!("Row {number} of {run_id} is next, from the left to the bank.")}),
        )
    }

    /// Starts requests to a path at a steady rate. `body` returns each body by its number.
    pub fn start(
        server: &Server,
        path: &str,
        keys: &[String],
        per_second: u32,
        body: impl Fn(usize) -> Value + Send + 'static,
    ) -> Self {
        let (client, url, keys) = (server.client.clone(), format!("{}{path}", server.url), keys.to_vec());
        let counts = Arc::new(LoadCounts::default());
        let task_counts = counts.clone();
        let task = tokio::spawn(run_at_rate(per_second, move |number, planned| {
            let key = keys[number % keys.len()].clone();
            tokio::spawn(send_request(
                client.clone(),
                url.clone(),
                key,
                body(number),
                planned,
                task_counts.clone(),
            ));
        }));
        Self { counts, per_second, started_at: monotonic_now(), task }
    }

    /// Stops sending. Pending requests still complete. Returns the number of completed requests per second.
    pub fn stop(&self) -> f64 {
        self.task.abort();
        self.counts.done_count.load(Ordering::Relaxed) as f64 / self.started_at.elapsed().as_secs_f64()
    }

    /// Stops sending and returns the rate.
    ///
    /// # Errors
    /// If the planned rate was not reached.
    pub fn stop_at_planned_rate(&self) -> Result<f64> {
        let rate = self.stop();
        ensure!(
            rate >= MIN_RATE_SHARE * f64::from(self.per_second),
            "only {rate:.0} of {} per second were completed",
            self.per_second
        );
        Ok(rate)
    }

    /// Returns the planned time of each event, by its number.
    pub fn planned_times(&self) -> HashMap<i64, Instant> {
        self.counts.planned_at_by_seq.lock().clone()
    }
}

impl Drop for BackgroundLoad {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn run_at_rate(per_second: u32, mut send: impl FnMut(usize, Instant)) {
    let mut ticks = interval(Duration::from_secs(1) / per_second);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Burst);
    for number in 0.. {
        let planned = ticks.tick().await;
        send(number, planned.into_std());
    }
}

async fn send_request(
    client: Client,
    url: String,
    key: String,
    body: Value,
    planned: Instant,
    counts: Arc<LoadCounts>,
) {
    let Ok(response) = client.post(url).bearer_auth(key).json(&body).send().await else { return };
    if !response.status().is_success() {
        return;
    }
    counts.done_count.fetch_add(1, Ordering::Relaxed);
    let Ok(body) = response.json::<Value>().await else { return };
    if let Some(seq) = body["pixel"]["seq"].as_i64() {
        counts.planned_at_by_seq.lock().insert(seq, planned);
    }
}
