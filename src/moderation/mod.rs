//! Moderation: sanctions, reports, decisions on appeals, rollbacks, announcements, changed settings, and reading the audit log.

pub mod account_report;
pub mod agent_keys;
pub mod announce;
pub mod appeals;
pub mod audit;
pub mod clear_profile;
pub mod crew_review;
pub mod hide;
pub mod plan_review;
mod private_hide;
pub mod release;
pub mod reports;
pub mod rollback;
pub mod sanctions;
pub mod settings;
mod store;

use platform::refusal::Refusal;
use serde::Serialize;
use utoipa::ToSchema;

use crate::accounts::agents::accounts;
use crate::log::audit::REPORTS_OPERATOR;
use crate::log::command::{Command, CommandOutcome};
use crate::log::state::AppState;

/// The visibility of a message after an operator's change.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct MessageVisibility {
    pub success: bool,
    pub message_id: String,
    pub hidden: bool,
    /// The number of the event; null if the message already had this visibility, or is a crew or direct message.
    pub seq: Option<i64>,
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
