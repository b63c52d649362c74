//! Sends one delivery, and stores the outcome.

use std::sync::Arc;

use chrono::TimeDelta;

use super::Webhooks;
use super::disabled::DisabledReason;
use super::request::{self, Unsendable};
use super::retry::{RETRY_PERIOD, next_delay};
use super::store::{self, DeliveryClaim};
use crate::database;
use crate::outbound::OutboundError;
use crate::refusal::Refusal;
use crate::state::AppState;
use crate::telemetry::METRICS;

/// The status with which a receiver says that it wants nothing more.
const GONE: u16 = 410;
/// The time after which a delivery to a busy host is claimed again.
const BUSY_DELAY: TimeDelta = TimeDelta::seconds(1);
/// The time after which the delivery of a message is claimed again if the chat is switched off.
const WITHHELD_DELAY: TimeDelta = TimeDelta::minutes(5);

/// An attempt to send a delivery.
pub(super) struct Attempt {
    pub state: Arc<AppState>,
    pub webhooks: Arc<Webhooks>,
    pub claim: DeliveryClaim,
}

/// The outcome of an attempt.
enum Outcome {
    /// The receiver has accepted it.
    Accepted(u16),
    /// It is tried again. `None` if there was no response.
    Failed(Option<u16>),
    /// Too many requests to the host are under way, so nothing was sent.
    Busy,
    /// The chat is switched off, so nothing was sent.
    Withheld,
    /// Its agent can read its message no more, so nothing was sent. It may ask for a repetition when it can again.
    Unreadable,
}

/// Runs an attempt. If the outcome cannot be stored, the delivery is sent again after its claim.
pub(super) async fn run(attempt: Attempt) {
    let result = match attempt.send().await {
        Ok(outcome) => attempt.store(outcome).await,
        Err(refusal) => Err(refusal),
    };
    if let Err(error) = result {
        tracing::debug!(delivery = attempt.claim.id, %error, "a delivery failed, trying again");
    }
}

impl Attempt {
    async fn send(&self) -> Result<Outcome, Refusal> {
        let Self { state, webhooks, claim } = self;
        let permit = webhooks.database_permits.acquire().await;
        let request = request::build(state, &webhooks.keys, claim).await?;
        drop(permit);
        let request = match request {
            Ok(request) => request,
            Err(Unsendable::ChatDisabled) => return Ok(Outcome::Withheld),
            Err(Unsendable::Unreadable) => return Ok(Outcome::Unreadable),
        };
        let client = webhooks.client()?;
        // The networks that may be reached can have changed since the webhook was created.
        let Ok(target) = client.parse_target(&claim.url) else { return Ok(Outcome::Failed(None)) };
        Ok(match client.post(&target, request).await {
            Ok(status @ 200..=299) => Outcome::Accepted(status),
            Ok(status) => Outcome::Failed(Some(status)),
            Err(OutboundError::HostBusy) => Outcome::Busy,
            Err(OutboundError::Unreachable(_)) => Outcome::Failed(None),
        })
    }

    async fn store(&self, outcome: Outcome) -> Result<(), Refusal> {
        let (pool, claim, now) = (&self.state.pool, &self.claim, self.state.clock.now());
        let _permit = self.webhooks.database_permits.acquire().await;
        match outcome {
            Outcome::Accepted(status) => {
                if !store::mark_delivered(pool, claim, status, now).await? {
                    return Ok(());
                }
                METRICS.webhooks.delivered.inc();
                let duration = (now - claim.created_at).num_milliseconds();
                METRICS.webhooks.delivery_seconds.observe(duration as f64 / 1_000.0);
            }
            Outcome::Failed(status) => self.store_failure(status).await?,
            Outcome::Busy => store::release(pool, claim, now + BUSY_DELAY).await?,
            Outcome::Withheld => store::release(pool, claim, now + WITHHELD_DELAY).await?,
            Outcome::Unreadable => store::fail_delivery(&mut *pool.acquire().await?, claim).await?,
        }
        Ok(())
    }

    async fn store_failure(&self, status: Option<u16>) -> Result<(), Refusal> {
        let (claim, now) = (&self.claim, self.state.clock.now());
        let mut transaction = self.state.pool.begin().await?;
        let failing = store::mark_failing(&mut transaction, claim, status, now).await?;
        // It may have been deleted, or accepted from another instance, meanwhile.
        let Some((webhook_since, delivery_since)) = failing else { return Ok(()) };
        let reason = match status {
            Some(GONE) => Some(DisabledReason::Gone),
            _ if now - webhook_since >= RETRY_PERIOD => Some(DisabledReason::Failing),
            _ => None,
        };
        let is_given_up = reason.is_some() || now - delivery_since >= RETRY_PERIOD;
        if is_given_up {
            store::fail_delivery(&mut transaction, claim).await?;
        } else {
            let next_at = now + next_delay(now - delivery_since);
            store::postpone(&mut transaction, claim, now + next_delay(now - webhook_since), next_at).await?;
        }
        if let Some(reason) = reason {
            store::disable(&mut transaction, claim.webhook, Some(reason), now).await?;
        }
        database::commit(transaction).await?;
        self.record_failure(status, is_given_up, reason);
        Ok(())
    }

    fn record_failure(&self, status: Option<u16>, is_given_up: bool, reason: Option<DisabledReason>) {
        let metrics = &METRICS.webhooks;
        if is_given_up {
            metrics.failed.inc();
        } else {
            metrics.retried.inc();
        }
        let (webhook, delivery) = (&self.claim.webhook_id, &self.claim.id);
        match reason {
            Some(reason) => {
                metrics.disabled.inc();
                tracing::info!(webhook, delivery, status, reason = reason.name(), "a webhook was disabled");
            }
            None => {
                tracing::debug!(webhook, delivery, status, is_given_up, "a receiver accepted no delivery");
            }
        }
    }
}
