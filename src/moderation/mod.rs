//! Moderation: sanctions, reports, appeals, rollbacks and the audit log.

pub mod account_report;
pub mod agent_keys;
pub mod announce;
pub mod appeals;
pub mod audit;
pub mod clear_profile;
pub mod crew_review;
pub mod hide;
pub mod permissions;
pub mod plan_review;
mod private_hide;
pub mod release;
pub mod reports;
pub mod rollback;
pub mod sanctions;
mod store;

use chrono::{DateTime, Utc};
use rules::rights::PERMANENT;

use crate::agents::accounts;
use crate::log::audit::REPORTS_OPERATOR;
use crate::log::command::{Command, CommandOutcome};
use crate::refusal::Refusal;
use crate::state::AppState;

/// Returns the end of a sanction or a pass; without a time there is no end.
///
/// # Errors
/// `Input` if the time is not in the future or is after the year 9999.
pub fn parse_end(state: &AppState, until: Option<DateTime<Utc>>) -> Result<DateTime<Utc>, Refusal> {
    let until = until.unwrap_or(PERMANENT);
    if until <= state.clock.now() || until > PERMANENT {
        let detail = "until must be in the future and before the year 10000. Leave it out for no end.";
        return Err(Refusal::invalid("until", detail));
    }
    Ok(until)
}

/// Submits a command in the name of the operators' account.
async fn perform<C: Command>(state: &AppState, command: C) -> Result<C::Output, Refusal> {
    let operator = accounts::find_operator(state).await?;
    match state.log.submit(&operator, None, command, None).await? {
        CommandOutcome::Executed(done) => Ok(done),
        // Only a command with an idempotency key gets a stored response.
        CommandOutcome::Replayed(_) => Err(Refusal::Unavailable),
    }
}
