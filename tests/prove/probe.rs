//! An agent that paints continuously and records the response to each request.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use platform::clock;
use reqwest::Client;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::sleep;

use crate::environment::{Instance, POLL_INTERVAL};
use crate::support::Reply;
use crate::swarm_process::AckedWrites;

/// Request timeout, longer than any refusal should take.
const REQUEST_TIMEOUT: Duration = Duration::from_mins(2);

/// A response and its time.
#[derive(Clone, Copy, Debug)]
pub struct ProbeResponse {
    pub status: u16,
    pub received_at: Instant,
    pub duration: Duration,
}

pub struct Probe {
    stop: watch::Sender<bool>,
    refused_count: Arc<AtomicUsize>,
    task: JoinHandle<(Vec<ProbeResponse>, AckedWrites)>,
}

/// The agent.
pub struct ProbeAgent {
    client: Client,
    base_url: String,
    id: String,
    key: String,
    digest: Value,
    refused_count: Arc<AtomicUsize>,
    responses: Vec<ProbeResponse>,
    pub acks: AckedWrites,
}

impl Probe {
    pub fn start(agent: ProbeAgent) -> Self {
        let (stop, stop_receiver) = watch::channel(false);
        Self {
            stop,
            refused_count: agent.refused_count.clone(),
            task: tokio::spawn(agent.place_until(stop_receiver)),
        }
    }

    /// Returns the number of refused requests so far.
    pub fn refused_count(&self) -> usize {
        self.refused_count.load(Ordering::Relaxed)
    }

    pub async fn finish(self) -> (Vec<ProbeResponse>, AckedWrites) {
        self.stop.send_replace(true);
        self.task.await.unwrap()
    }
}

impl ProbeAgent {
    pub async fn register(instance: &Instance, name: &str) -> Self {
        let client = instance.process.client.clone();
        let request = client.post(instance.process.url("/api/agents/register")).json(&json!({"name": name}));
        let agent = Reply::fetch(request).await.body["agent"].clone();
        let text = |field: &str| agent[field].as_str().unwrap().to_owned();
        Self {
            client,
            base_url: instance.process.base_url.clone(),
            id: text("id"),
            key: text("api_key"),
            digest: instance.get("/api/chat/digest").await.body["digest"].clone(),
            refused_count: Arc::default(),
            responses: Vec::new(),
            acks: AckedWrites::default(),
        }
    }

    async fn place_until(
        mut self,
        stop_receiver: watch::Receiver<bool>,
    ) -> (Vec<ProbeResponse>, AckedWrites) {
        let mut number = 0;
        while !*stop_receiver.borrow() {
            number += 1;
            // Repeated until it succeeds, so that its outcome is known.
            while !self.place(number).await {
                sleep(POLL_INTERVAL).await;
            }
            sleep(POLL_INTERVAL).await;
        }
        (self.responses, self.acks)
    }

    /// Sends one request. Returns false if it was refused and must be sent again.
    pub async fn place(&mut self, number: i16) -> bool {
        let x = number % 24;
        let body = json!({"x": x, "y": 0, "color": 3, "chat_digest": self.digest});
        let request =
            self.client.post(format!("{}/api/pixel", self.base_url)).bearer_auth(&self.key).json(&body);
        let request = request.header("Idempotency-Key", format!("probe-{number}")).timeout(REQUEST_TIMEOUT);
        let sent_at = clock::monotonic_now();
        let reply = Reply::fetch(request).await;
        let received_at = clock::monotonic_now();
        self.responses.push(ProbeResponse {
            status: reply.status,
            received_at,
            duration: received_at - sent_at,
        });
        if reply.status != 201 {
            let code = if reply.code() == "overloaded" { "overloaded" } else { "database_unavailable" };
            reply.assert_refused(503, code);
            self.refused_count.fetch_add(1, Ordering::Relaxed);
            return false;
        }
        let seq = reply.body["pixel"]["seq"].as_i64().unwrap();
        self.acks.pixels.insert(seq, (self.id.clone(), x, 0, 3));
        true
    }
}
