//! The requests that an agent may make for its webhooks: to create them, change their addresses, test them,
//! and repeat deliveries. They belong to the agent, so that a new webhook brings no new ones.

use std::net::IpAddr;

use caraplace_log::identity::Identity;
use chrono::{DateTime, TimeDelta, Utc};
use platform::database;
use platform::outbound::OutboundTarget;
use platform::refusal::{Refusal, WebhookRefusal};
use rules::charges::Allowance;
use rules::numbers::AccountNo;
use sqlx::{PgConnection, Postgres, Transaction};

use super::store;

/// The most requests that an agent may make at once.
const MAX_REQUESTS: u32 = 10;
/// The time in which one more comes back.
const REQUEST_INTERVAL: TimeDelta = TimeDelta::seconds(6);

/// The caller of a request for which a host name may have to be looked up.
pub struct WebhookCaller<'a> {
    pub agent: &'a Identity,
    /// The address for which limits count.
    pub address: IpAddr,
    /// Counts a look-up for the address.
    pub count_look_up: &'a dyn Fn() -> Result<(), Refusal>,
}

/// A request that an agent may make. It counts once it is saved and the transaction is committed.
pub(super) struct WebhookRequest {
    agent: AccountNo,
    full_at: DateTime<Utc>,
}

impl WebhookRequest {
    /// Checks that an agent may make one more request. Others of the same agent wait until the transaction
    /// ends.
    ///
    /// # Errors
    /// `Webhook` for too many requests.
    pub(super) async fn check(
        connection: &mut PgConnection,
        agent: &Identity,
        now: DateTime<Utc>,
    ) -> Result<Self, Refusal> {
        let full_at = store::lock_allowance(connection, agent.no).await?;
        let spent = Allowance::new(MAX_REQUESTS, REQUEST_INTERVAL).spend_one(full_at, now);
        let full_at = spent.map_err(|wait| WebhookRefusal::TooManyRequests { wait })?;
        Ok(Self { agent: agent.no, full_at })
    }

    /// Commits the request before the host of an address is looked up, and counts the look-up for the
    /// caller's address, so that nobody has more names looked up than is allowed, whatever becomes of them.
    ///
    /// # Errors
    /// `Webhook` for too many look-ups.
    pub(super) async fn save_before_look_up(
        self,
        mut transaction: Transaction<'_, Postgres>,
        caller: &WebhookCaller<'_>,
        target: &OutboundTarget,
    ) -> Result<(), Refusal> {
        if target.host_name().is_some() {
            (caller.count_look_up)()?;
        }
        self.save(&mut transaction).await?;
        database::commit(transaction).await
    }

    /// Saves the request. It is the last statement of a transaction: the writer of the log waits for the
    /// agent's row.
    pub(super) async fn save(self, connection: &mut PgConnection) -> Result<(), Refusal> {
        Ok(store::set_allowance(connection, self.agent, self.full_at).await?)
    }
}
