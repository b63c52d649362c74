//! Sends due deliveries. Each is claimed by one instance at a time. No database connection is held while
//! something is sent, and a receiver that hangs delays no other one.

use std::sync::Arc;
use std::time::Duration;

use caraplace_log::state::AppState;
use chrono::TimeDelta;
use platform::outbound::MAX_REQUESTS_PER_HOST;
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::errors::WebhookTask;
use super::send::Attempt;
use super::store::{self, ClaimBounds, DeliveryClaim};
use super::{Webhooks, send};

/// The interval between checks for due deliveries.
const CHECK_INTERVAL: TimeDelta = TimeDelta::seconds(1);
/// The pause after a claim, so that one claim follows the end of several deliveries.
const CLAIM_PAUSE: Duration = Duration::from_millis(20);
/// The maximum number of deliveries that one instance sends at the same time.
const MAX_DELIVERIES: usize = 128;
/// How many of these are only for hosts to which no request is under way, so that a few slow hosts do not
/// have them all.
const RESERVED_DELIVERIES: usize = 32;
/// The time for which a claim lasts. It is longer than an attempt: its reads from the database, a request
/// until its timeout, and storing the outcome.
const CLAIM_LIFETIME: TimeDelta = TimeDelta::seconds(60);
/// The time for which a request counts as under way if its outcome is not stored, as after a crash. It is
/// longer than the timeout of a request.
const REQUEST_LIFETIME: TimeDelta = TimeDelta::seconds(20);

/// Sends deliveries until the task is aborted.
pub(super) async fn run(state: Arc<AppState>, webhooks: Arc<Webhooks>) {
    let mut sending = JoinSet::new();
    loop {
        match claim_due(&state, &webhooks, sending.len()).await {
            Ok(claims) => {
                for claim in claims {
                    sending.spawn(send::run(Attempt {
                        state: state.clone(),
                        webhooks: webhooks.clone(),
                        claim,
                    }));
                }
            }
            Err(error) => webhooks.errors.record(WebhookTask::Claim, &error),
        }
        sleep(CLAIM_PAUSE).await;
        tokio::select! {
            () = webhooks.inserted.notified() => {}
            () = wait_for_end(&mut sending) => {}
            () = state.clock.sleep_until(state.clock.now() + CHECK_INTERVAL) => {}
        }
        while sending.try_join_next().is_some() {}
    }
}

/// Waits until one of the deliveries has ended; forever if there is none.
async fn wait_for_end(sending: &mut JoinSet<()>) {
    if sending.join_next().await.is_none() {
        std::future::pending::<()>().await;
    }
}

/// Claims due deliveries, given the number of those that this instance sends already.
async fn claim_due(
    state: &AppState,
    webhooks: &Webhooks,
    sending: usize,
) -> Result<Vec<DeliveryClaim>, sqlx::Error> {
    let free = MAX_DELIVERIES.saturating_sub(sending);
    if free == 0 {
        return Ok(Vec::new());
    }
    // Nothing is claimed while others wait for the database: the time of a claim would run out.
    let _permit = webhooks.database_permits.acquire().await;
    if !store::has_due(&state.pool, state.clock.now()).await? {
        return Ok(Vec::new());
    }
    let mut transaction = state.pool.begin().await?;
    store::lock_claims(&mut transaction).await?;
    // After waiting for the lock, for which other instances may have stored claims.
    let now = state.clock.now();
    let bounds = ClaimBounds {
        free: free as i64,
        reserved: RESERVED_DELIVERIES as i64,
        per_host: MAX_REQUESTS_PER_HOST as i64,
        under_way_since: now - REQUEST_LIFETIME,
        next_at: now + CLAIM_LIFETIME,
    };
    let claims = store::claim(&mut transaction, now, &webhooks.keys.names(), &bounds).await?;
    transaction.commit().await?;
    Ok(claims)
}
