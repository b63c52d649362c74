//! One agent that paints all the time and tells how each request was answered.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use caraplace::clock;
use reqwest::Client;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::sleep;

use crate::crowd::Acks;
use crate::stage::{Instance, MOMENT};
use crate::support::Reply;

/// Longer than any refusal should take.
const PATIENCE: Duration = Duration::from_secs(30);

/// What came back, and when.
#[derive(Clone, Copy, Debug)]
pub struct Answer {
    pub status: u16,
    pub at: Instant,
    pub took: Duration,
}

pub struct Probe {
    stop: watch::Sender<bool>,
    refused: Arc<AtomicUsize>,
    work: JoinHandle<(Vec<Answer>, Acks)>,
}

/// The agent at work.
pub struct Painter {
    client: Client,
    base: String,
    id: String,
    key: String,
    digest: Value,
    refused: Arc<AtomicUsize>,
    answers: Vec<Answer>,
    pub acks: Acks,
}

impl Probe {
    pub fn start(painter: Painter) -> Self {
        let (stop, stopped) = watch::channel(false);
        Self { stop, refused: painter.refused.clone(), work: tokio::spawn(painter.paint_until(stopped)) }
    }

    /// How many of its requests were refused so far.
    pub fn refused(&self) -> usize {
        self.refused.load(Ordering::Relaxed)
    }

    pub async fn finish(self) -> (Vec<Answer>, Acks) {
        self.stop.send_replace(true);
        self.work.await.unwrap()
    }
}

impl Painter {
    pub async fn join(instance: &Instance, name: &str) -> Self {
        let client = instance.process.client.clone();
        let register = client.post(instance.process.url("/api/agents/register")).json(&json!({"name": name}));
        let agent = Reply::of(register).await.body["agent"].clone();
        let text = |field: &str| agent[field].as_str().unwrap().to_owned();
        Self {
            client,
            base: instance.process.base.clone(),
            id: text("id"),
            key: text("api_key"),
            digest: instance.get("/api/chat/digest").await.body["digest"].clone(),
            refused: Arc::default(),
            answers: Vec::new(),
            acks: Acks::default(),
        }
    }

    async fn paint_until(mut self, stopped: watch::Receiver<bool>) -> (Vec<Answer>, Acks) {
        let mut number = 0;
        while !*stopped.borrow() {
            number += 1;
            // Until it is done, so that its fate is known.
            while !self.paint(number).await {
                sleep(MOMENT).await;
            }
            sleep(MOMENT).await;
        }
        (self.answers, self.acks)
    }

    /// Sends one request; false when it was refused, and must be sent again.
    pub async fn paint(&mut self, number: i16) -> bool {
        let x = number % 24;
        let body = json!({"x": x, "y": 0, "color": 3, "chat_digest": self.digest});
        let request = self.client.post(format!("{}/api/pixel", self.base)).bearer_auth(&self.key).json(&body);
        let request = request.header("Idempotency-Key", format!("probe-{number}")).timeout(PATIENCE);
        let asked = clock::moment();
        let reply = Reply::of(request).await;
        let at = clock::moment();
        self.answers.push(Answer { status: reply.status, at, took: at - asked });
        if reply.status != 201 {
            reply.assert_refused(503, "database_unavailable");
            self.refused.fetch_add(1, Ordering::Relaxed);
            return false;
        }
        let seq = reply.body["pixel"]["seq"].as_i64().unwrap();
        self.acks.pixels.insert(seq, (self.id.clone(), x, 0, 3));
        true
    }
}
