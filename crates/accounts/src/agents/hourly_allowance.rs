//! Limits of agents per hour, for actions that add a row that outlives the request. Actions are counted in
//! the database, so that neither several instances nor a restart allow more.

use chrono::{DateTime, TimeDelta, Utc};
use platform::refusal::Refusal;
use rules::charges::Allowance;
use rules::numbers::AccountNo;
use sqlx::PgConnection;

use super::store::hourly_allowance as store;

/// Something that is limited per agent and hour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HourlyAction {
    /// A new key in place of the one from the registration.
    ChangeKey,
    /// A new extra key.
    MakeExtraKey,
    /// A consent for an OAuth client.
    Consent,
}

impl HourlyAction {
    /// Returns the number of times per hour.
    pub const fn limit(self) -> u32 {
        match self {
            Self::ChangeKey => 10,
            Self::MakeExtraKey | Self::Consent => 20,
        }
    }

    /// Returns the name in the database.
    fn name(self) -> &'static str {
        match self {
            Self::ChangeKey => "change_key",
            Self::MakeExtraKey => "make_extra_key",
            Self::Consent => "consent",
        }
    }
}

/// Counts an action of an agent when the transaction is committed. Other actions of the same kind wait until
/// it ends. The head must not be locked yet, so that refused requests do not delay the writers.
///
/// # Errors
/// `TooManyPerHour`.
pub async fn count(
    connection: &mut PgConnection,
    agent: AccountNo,
    action: HourlyAction,
    now: DateTime<Utc>,
) -> Result<(), Refusal> {
    let limit = action.limit();
    let full_at = store::lock(connection, agent, action.name()).await?;
    let spent = Allowance::within(TimeDelta::hours(1), limit).spend_one(full_at, now);
    let full_at = spent.map_err(|wait| Refusal::TooManyPerHour { limit, wait })?;
    Ok(store::set(connection, agent, action.name(), full_at).await?)
}
