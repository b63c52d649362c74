//! Sends one delivery, and stores the outcome.

use std::sync::Arc;

use caraplace_log::state::AppState;
use chrono::{DateTime, TimeDelta, Utc};
use platform::database;
use platform::outbound::{LookUpOwner, OutboundError};
use platform::refusal::Refusal;
use platform::telemetry::METRICS;

use super::errors::WebhookTask;
use super::request::{self, Unsendable};
use super::retry::{RETRY_PERIOD, next_delay};
use super::store::{self, DeliveryClaim, Failures};
use super::{DisabledReason, Webhooks};

/// The status with which a receiver says that it wants nothing more.
const GONE: u16 = 410;
/// The time after which a delivery to a busy host is claimed again.
const BUSY_DELAY: TimeDelta = TimeDelta::seconds(1);
/// The time after which the delivery of a message is claimed again if the chat is switched off.
const WITHHELD_DELAY: TimeDelta = TimeDelta::minutes(5);

/// The minimum number of failed attempts before a webhook is disabled: a server that was down has made few.
const MIN_FAILED_ATTEMPTS: i32 = 10;

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
    /// Its agent can read its message no more, so nothing was sent. It may ask for a repetition when it can
    /// again.
    Unreadable,
    /// The secret of its webhook cannot be decrypted, so nothing was sent.
    SecretLost,
}

/// Runs an attempt. If the outcome cannot be stored, the delivery is sent again after its claim.
pub(super) async fn run(attempt: Attempt) {
    let result = match attempt.send().await {
        Ok(outcome) => attempt.store(outcome).await,
        Err(refusal) => Err(refusal),
    };
    if let Err(error) = result {
        attempt.webhooks.errors.record(WebhookTask::Send, &error);
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
            Err(Unsendable::SecretLost) => return Ok(Outcome::SecretLost),
        };
        let client = &webhooks.client;
        // The networks that may be reached can have changed since the webhook was created.
        let Ok(target) = client.parse_target(&claim.url) else { return Ok(Outcome::Failed(None)) };
        Ok(match client.post_for(LookUpOwner::Agent(claim.agent_id.clone()), &target, request).await {
            Ok(status @ 200..=299) => Outcome::Accepted(status),
            Ok(status) => Outcome::Failed(Some(status)),
            Err(OutboundError::HostBusy) => Outcome::Busy,
            Err(OutboundError::Unreachable(_) | OutboundError::NoAddress) => Outcome::Failed(None),
        })
    }

    async fn store(&self, outcome: Outcome) -> Result<(), Refusal> {
        let pool = &self.state.pool;
        let claim = &self.claim;
        let now = self.state.clock.now();
        let _permit = self.webhooks.database_permits.acquire().await;
        match outcome {
            Outcome::Accepted(status) => {
                if !store::mark_delivered(pool, claim, status, now).await? {
                    return Ok(());
                }
                METRICS.webhooks.delivered.inc();
                // A repetition would be measured from an event that was delivered long ago.
                if !claim.is_repeated {
                    let duration = (now - claim.occurred_at).num_milliseconds();
                    METRICS.webhooks.delivery_seconds.observe(duration as f64 / 1_000.0);
                }
            }
            Outcome::Failed(status) => self.store_failure(status).await?,
            Outcome::Busy => store::release(pool, claim, now + BUSY_DELAY).await?,
            Outcome::Withheld => store::release(pool, claim, now + WITHHELD_DELAY).await?,
            Outcome::Unreadable => {
                let mut transaction = pool.begin().await?;
                store::fail_delivery(&mut transaction, claim, now).await?;
                database::commit(transaction).await?;
            }
            Outcome::SecretLost => {
                let mut transaction = pool.begin().await?;
                let reason = DisabledReason::SecretLost;
                store::disable(&mut transaction, claim.webhook, Some(reason), now).await?;
                store::fail_delivery(&mut transaction, claim, now).await?;
                database::commit(transaction).await?;
                self.record_failure(None, true, Some(reason));
            }
        }
        Ok(())
    }

    async fn store_failure(&self, status: Option<u16>) -> Result<(), Refusal> {
        let claim = &self.claim;
        let now = self.state.clock.now();
        let mut transaction = self.state.pool.begin().await?;
        let failures = store::mark_failing(&mut transaction, claim, status, now).await?;
        let Some(failures) = failures else {
            // The webhook has another address, which is tried at once; or the delivery was deleted, or
            // accepted from another instance, meanwhile.
            transaction.rollback().await?;
            return Ok(store::end_claim(&mut *self.state.pool.acquire().await?, claim, now).await?);
        };
        let reason = disabling_reason(status, &failures, now);
        let is_given_up = reason.is_some() || now - failures.delivery_since >= RETRY_PERIOD;
        if is_given_up {
            store::fail_delivery(&mut transaction, claim, now).await?;
        } else {
            let next_at = now + next_delay(now - failures.delivery_since);
            let webhook_retry_at = now + next_delay(now - failures.webhook_since);
            store::postpone(&mut transaction, claim, webhook_retry_at, next_at).await?;
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
        let webhook = &self.claim.webhook_id;
        let delivery = &self.claim.id;
        match reason {
            Some(reason) => {
                metrics.disabled.inc();
                self.webhooks.wake_cleanup();
                tracing::warn!(webhook, delivery, status, reason = reason.name(), "a webhook was disabled");
            }
            None => {
                tracing::debug!(webhook, delivery, status, is_given_up, "a receiver accepted no delivery");
            }
        }
    }
}

/// Returns the reason why a failed attempt disables its webhook; `None` if it does not.
fn disabling_reason(status: Option<u16>, failures: &Failures, now: DateTime<Utc>) -> Option<DisabledReason> {
    let is_over = now - failures.webhook_since >= RETRY_PERIOD;
    match status {
        Some(GONE) => Some(DisabledReason::Gone),
        _ if is_over && failures.webhook_attempts >= MIN_FAILED_ATTEMPTS => Some(DisabledReason::Failing),
        _ => None,
    }
}
