//! Sends due deliveries. Each is claimed by one instance at a time. No database connection is held while something is
//! sent, and a receiver that hangs delays no other one.

use std::collections::HashMap;
use std::sync::Arc;

use chrono::TimeDelta;
use tokio::task::{Id, JoinError, JoinSet};

use super::send::Attempt;
use super::store::{self, DeliveryClaim, HostLimits};
use super::{Webhooks, send};
use crate::outbound::MAX_REQUESTS_PER_HOST;
use crate::state::AppState;

/// The interval between checks for due deliveries.
const CHECK_INTERVAL: TimeDelta = TimeDelta::seconds(1);
/// The maximum number of deliveries that one instance sends at the same time.
const MAX_DELIVERIES: usize = 128;
/// The time for which a claim lasts. It is longer than an attempt: its reads from the database, a request until its timeout,
/// and storing the outcome.
const CLAIM_LIFETIME: TimeDelta = TimeDelta::seconds(60);

/// The deliveries that are being sent.
#[derive(Default)]
struct Sending {
    tasks: JoinSet<()>,
    /// The host of each task.
    hosts: HashMap<Id, String>,
}

impl Sending {
    fn spawn(&mut self, attempt: Attempt) {
        let host = attempt.claim.host.clone();
        let task = self.tasks.spawn(send::run(attempt));
        self.hosts.insert(task.id(), host);
    }

    /// Waits until one of them has ended; forever if there is none.
    async fn wait_for_end(&mut self) {
        match self.tasks.join_next_with_id().await {
            Some(ended) => self.remove(&ended),
            None => std::future::pending().await,
        }
        while let Some(ended) = self.tasks.try_join_next_with_id() {
            self.remove(&ended);
        }
    }

    fn remove(&mut self, ended: &Result<(Id, ()), JoinError>) {
        let id = ended.as_ref().map_or_else(|error| error.id(), |(id, ())| *id);
        self.hosts.remove(&id);
    }

    fn limits(&self) -> HostLimits {
        let mut busy: HashMap<String, i64> = HashMap::new();
        self.hosts.values().for_each(|host| *busy.entry(host.clone()).or_default() += 1);
        let free = MAX_DELIVERIES.saturating_sub(self.hosts.len()) as i64;
        HostLimits { free, per_host: MAX_REQUESTS_PER_HOST as i64, busy: busy.into_iter().collect() }
    }
}

/// Sends deliveries until the task is aborted.
pub(super) async fn run(state: Arc<AppState>, webhooks: Arc<Webhooks>) {
    let mut sending = Sending::default();
    loop {
        match claim_due(&state, &webhooks, &sending.limits()).await {
            Ok(claims) => {
                for claim in claims {
                    sending.spawn(Attempt { state: state.clone(), webhooks: webhooks.clone(), claim });
                }
            }
            Err(error) => tracing::debug!(%error, "due deliveries could not be claimed, trying again"),
        }
        tokio::select! {
            () = webhooks.inserted.notified() => {}
            () = sending.wait_for_end() => {}
            () = state.clock.sleep_until(state.clock.now() + CHECK_INTERVAL) => {}
        }
    }
}

async fn claim_due(
    state: &AppState,
    webhooks: &Webhooks,
    limits: &HostLimits,
) -> Result<Vec<DeliveryClaim>, sqlx::Error> {
    if limits.free == 0 {
        return Ok(Vec::new());
    }
    // Nothing is claimed while others wait for the database: the time of a claim would run out.
    let _permit = webhooks.database_permits.acquire().await;
    let now = state.clock.now();
    store::claim(&state.pool, now, now + CLAIM_LIFETIME, &webhooks.keys.names(), limits).await
}
