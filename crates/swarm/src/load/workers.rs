//! The workers of a timetable: they execute its jobs and keep a current digest.

use std::{sync::Arc, time::Duration};

use parking_lot::Mutex;
use tokio::time::Instant;

use super::job::{Job, JobKind};
use crate::{
    api_types::{Account, DigestResponse, MessageRequest},
    client::ApiRequest,
    failure::Failure,
    route::Route,
    run_context::RunContext,
    stop::pause,
};

/// Interval at which the digest is fetched. It is valid for much longer.
const DIGEST_REFRESH_INTERVAL: Duration = Duration::from_secs(5);
const RETRY_DELAY: Duration = Duration::from_millis(250);

/// The state of the workers.
pub struct Workers {
    context: Arc<RunContext>,
    accounts: Vec<Account>,
    digest: Mutex<Option<String>>,
}

impl Workers {
    /// Returns workers that use these accounts.
    pub fn new(context: Arc<RunContext>, accounts: Vec<Account>) -> Self {
        Workers { context, accounts, digest: Mutex::new(None) }
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
        match self.context.client.send_once::<DigestResponse>(&ApiRequest::new(Route::Digest)).await {
            Ok(response) => {
                *self.digest.lock() = Some(response.body.digest);
                true
            }
            Err(failure) => failure.code() == "chat_disabled",
        }
    }

    /// Executes a job. Refusals are only counted.
    pub async fn run_job(&self, job: Job, number: u64, planned: Instant) {
        let Some(account) = self.accounts.get(job.agent) else { return };
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
        let prepare = |request: ApiRequest| request.with_api_key(&account.api_key).planned_at(planned);
        let key = format!("swarm-{:x}-{number}", self.context.seed);
        match kind {
            JobKind::Paint(pixels) => {
                let digest = self.digest.lock().clone();
                let request =
                    prepare(ApiRequest::placement(&pixels, digest.as_deref())?).with_idempotency_key(key);
                // The ledger has recorded the outcome.
                let _ = self.context.place(agent, account, &request, &pixels).await;
            }
            JobKind::PostMessage(content) => {
                let body = MessageRequest { content: &content, kind: "message", ..MessageRequest::default() };
                let request = prepare(ApiRequest::new(Route::PostMessage))
                    .with_idempotency_key(key)
                    .with_json(&body)?;
                let _ = self.context.post_message(agent, &request).await;
            }
            // A failed read is not retried, because another one follows.
            JobKind::Read(route) => {
                let request = prepare(ApiRequest::new(route).with_query(self.query_string(route, number)));
                self.context.client.fetch_canvas(&request).await?;
            }
        }
        Ok(())
    }

    fn query_string(&self, route: Route, number: u64) -> String {
        let (width, height) = (self.context.canvas.width, self.context.canvas.height);
        let (x, y) = (number % u64::from(width), number % u64::from(height));
        match route {
            Route::Region => format!("?x1=0&y1=0&x2={x}&y2={y}"),
            Route::Inspect => format!("?x={x}&y={y}"),
            _ => String::new(),
        }
    }
}
