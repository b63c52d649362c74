//! The workers of a timetable: they execute its jobs and keep a current digest.

use std::{sync::Arc, time::Duration};

use parking_lot::Mutex;
use serde_json::json;
use tokio::time::Instant;

use super::job::{Job, JobKind};
use crate::{
    api_types::{Account, DigestResponse},
    client::ApiRequest,
    failure::Failure,
    run_context::RunContext,
    stop::pause,
};

/// Interval at which the digest is fetched. It is valid for much longer.
const DIGEST_REFRESH_INTERVAL: Duration = Duration::from_secs(5);
const RETRY_DELAY: Duration = Duration::from_millis(250);

/// The state of the workers.
pub struct Workers {
    context: Arc<RunContext>,
    digest: Mutex<Option<String>>,
}

impl Workers {
    /// Returns workers without a digest.
    pub fn new(context: Arc<RunContext>) -> Self {
        Workers { context, digest: Mutex::new(None) }
    }

    /// Fetches the first digest, without which no agent can paint.
    pub async fn load_digest(&self) {
        while !self.refresh_digest().await && pause(&self.context.stop, RETRY_DELAY).await {}
    }

    /// Refreshes the digest until the task is aborted.
    pub async fn refresh_digest_forever(self: Arc<Self>) {
        loop {
            tokio::time::sleep(DIGEST_REFRESH_INTERVAL).await;
            self.refresh_digest().await;
        }
    }

    /// Fetches the digest. Returns false if it should be tried again; a server without a chat needs no
    /// digest.
    async fn refresh_digest(&self) -> bool {
        match self.context.client.send_once::<DigestResponse>(&ApiRequest::get("/api/chat/digest")).await {
            Ok(response) => {
                *self.digest.lock() = Some(response.body.digest);
                true
            }
            Err(failure) => failure.code() == "chat_disabled",
        }
    }

    /// Executes a job. Refusals are only counted.
    pub async fn run_job(&self, job: Job, number: u64, planned: Instant) {
        let account = &self.context.accounts[job.agent];
        if let Err(Failure::InvalidResponse(details)) = self.send_job(job, account, number, planned).await {
            self.context.ledger.record_fault(format!("{}: {details}", account.name));
        }
    }

    async fn send_job(
        &self,
        Job { agent, kind, .. }: Job,
        account: &Account,
        number: u64,
        planned: Instant,
    ) -> Result<(), Failure> {
        let planned_at = Some(planned);
        let prepare =
            |request: ApiRequest| ApiRequest { planned_at, ..request.with_api_key(&account.api_key) };
        let key = format!("swarm-{:x}-{number}", self.context.seed);
        match kind {
            JobKind::Paint(pixels) => {
                let digest = self.digest.lock().clone();
                let request = prepare(ApiRequest::placement(&pixels, None, digest.as_deref()))
                    .with_idempotency_key(key);
                // The ledger has recorded the outcome.
                let _ = self.context.place(agent, &request, &pixels).await;
            }
            JobKind::PostMessage(content) => {
                let request = prepare(ApiRequest::post("/api/chat", &json!({"content": content})))
                    .with_idempotency_key(key);
                let _ = self.context.post_message(agent, &request).await;
            }
            // A failed read is not retried, because another one follows.
            JobKind::Read(path) => {
                let request = prepare(ApiRequest::get(path).with_query(self.query_string(path, number)));
                self.context.client.fetch_canvas(&request).await?;
            }
        }
        Ok(())
    }

    fn query_string(&self, path: &str, number: u64) -> String {
        let (width, height) = (self.context.canvas.width, self.context.canvas.height);
        let (x, y) = (number % u64::from(width), number % u64::from(height));
        match path {
            "/api/canvas/region" => format!("?x1=0&y1=0&x2={x}&y2={y}"),
            "/api/pixel" => format!("?x={x}&y={y}"),
            _ => String::new(),
        }
    }
}
