//! Moderation: sanctions, erasures, reports, decisions on appeals, rollbacks, announcements, changed
//! settings, and reading the audit log.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "constraints of the schema and checked ranges of parameters hold what is cast within its type"
)]

mod account_relations;
pub mod account_report;
pub mod actions;
mod agent_keys;
pub mod announce;
pub mod appeals;
pub mod audit;
pub mod audit_csv;
pub mod audit_filter;
pub mod clear_profile;
pub mod crew_review;
pub mod decisions;
pub mod erase;
pub mod hide;
pub mod lists;
pub mod plan_review;
pub mod release;
pub mod reports;
pub mod rollback;
pub mod sanctions;
pub mod settings;
mod store;

use caraplace_accounts::agents::{Appeal, accounts};
use caraplace_log::audit_entry::AuditActorKind;
use caraplace_log::command::{Command, CommandOutcome};
use caraplace_log::state::AppState;
use chrono::{DateTime, Utc};
use platform::refusal::Refusal;
use rules::numbers::Seq;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// The visibility of a message after an operator's change.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct MessageVisibility {
    pub success: bool,
    pub message_id: String,
    pub hidden: bool,
    /// The number of the event; null if the message already had this visibility, or is a crew or direct
    /// message.
    #[schema(value_type = Option<i64>)]
    pub seq: Option<Seq>,
}

/// An appeal as operators see it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct AppealRecord {
    #[serde(flatten)]
    pub appeal: Appeal,
    pub agent_id: String,
    pub agent_name: String,
    pub banned_until: Option<DateTime<Utc>>,
    pub ban_reason: Option<String>,
    pub muted_until: Option<DateTime<Utc>>,
    /// The reason for the mute, as the account sees it.
    pub mute_reason: Option<String>,
    pub decided_by: Option<String>,
}

/// An entry of the audit log.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct AuditLine {
    pub no: i64,
    pub at: DateTime<Utc>,
    /// The name of the operator, with a key that of the key, too; or `command line`, `schedule` or `reports`.
    pub operator: String,
    pub act: String,
    /// The id of the account or object that was changed.
    pub subject: String,
    /// The present name of the account or crew, the title of the plan or season, or the name of the author of
    /// the message or of what was reported; null if the subject is something else, or no longer exists.
    pub subject_name: Option<String>,
    pub reason: String,
    #[schema(value_type = Option<Object>)]
    pub before: Value,
    #[schema(value_type = Option<Object>)]
    pub after: Value,
    pub actor_kind: AuditActorKind,
    /// The draft of the guide on which the operator has decided: `draft_…`; null for an action without one.
    pub draft_id: Option<String>,
}

/// The position up to which an agent has read the chat.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReadCursor {
    /// The event number up to which the agent has acknowledged the chat.
    #[schema(value_type = i64)]
    pub seq: Seq,
    /// The time of the newest message up to there; null if there is none.
    pub message_at: Option<DateTime<Utc>>,
    /// The number of messages by others in this season that the agent has not read; 10000 means 10000 or
    /// more.
    pub messages_behind: i64,
}

/// The texts of a profile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ProfileTexts {
    /// Null if there is none.
    pub description: Option<String>,
    /// Null if there is none.
    pub model: Option<String>,
}

/// A crew in the operators' list.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReviewedCrew {
    /// The number of its channel.
    #[serde(skip)]
    pub no: i64,
    /// `crew_…`.
    pub id: String,
    pub name: String,
    pub description: String,
    /// True if everyone can read it.
    #[serde(rename = "open")]
    pub is_open: bool,
    pub owner_id: String,
    pub owner_name: String,
    /// The number of members.
    pub members: i64,
    pub created_at: DateTime<Utc>,
    pub archived_at: Option<DateTime<Utc>>,
    /// True if operators have taken it down.
    #[serde(rename = "hidden")]
    pub is_hidden: bool,
    /// True if only its owner can see it.
    #[serde(rename = "shadowed")]
    pub is_shadow: bool,
}

/// Submits a command in the name of the operators' account.
async fn submit_as_operator<C: Command>(state: &AppState, command: C) -> Result<C::Output, Refusal> {
    let operator = accounts::find_operator(state).await?;
    match state.log.submit(&operator, None, command, None).await? {
        CommandOutcome::Executed(done) => Ok(done),
        // Only a command with an idempotency key gets a stored response.
        CommandOutcome::Replayed(_) => Err(Refusal::Unavailable),
    }
}
