//! The requests that an agent may make for its webhooks: to create them, change their addresses, test them, and repeat
//! deliveries. They belong to the agent, so that a new webhook brings no new ones.

use chrono::{DateTime, TimeDelta, Utc};
use rules::charges::Allowance;
use sqlx::PgConnection;

use super::store;
use crate::log::key_cache::Agent;
use crate::refusal::{Refusal, WebhookRefusal};

/// The most requests that an agent may make at once.
const MAX_REQUESTS: u32 = 10;
/// The time in which one more comes back.
const REQUEST_INTERVAL: TimeDelta = TimeDelta::seconds(6);

/// A request that an agent may make. It counts once it is saved and the transaction is committed.
pub(super) struct WebhookRequest {
    agent: i64,
    full_at: DateTime<Utc>,
}

impl WebhookRequest {
    /// Checks that an agent may make one more request. Others of the same agent wait until the transaction ends.
    ///
    /// # Errors
    /// `Webhook` for too many requests, or the error of the database.
    pub(super) async fn check(
        connection: &mut PgConnection,
        agent: &Agent,
        now: DateTime<Utc>,
    ) -> Result<Self, Refusal> {
        let allowance = Allowance::new(MAX_REQUESTS, REQUEST_INTERVAL);
        let full_at = store::lock_allowance(connection, agent.no).await?;
        let wait = || allowance.wait_for(full_at, now, 1);
        let spent = allowance.spend(full_at, now, 1);
        let full_at = spent.ok_or_else(|| WebhookRefusal::TooManyRequests { wait: wait() })?;
        Ok(Self { agent: agent.no, full_at })
    }

    /// Saves the request. It is the last statement of a transaction: the writer of the log waits for the agent's row.
    ///
    /// # Errors
    /// Returns the error of the database.
    pub(super) async fn save(self, connection: &mut PgConnection) -> Result<(), Refusal> {
        Ok(store::set_allowance(connection, self.agent, self.full_at).await?)
    }
}
