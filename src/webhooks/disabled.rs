//! Webhooks that the server has disabled, of which the inbox tells their agents.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use super::store;
use crate::log::key_cache::Agent;
use crate::refusal::Refusal;
use crate::state::AppState;

/// The reason why the server has disabled a webhook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum DisabledReason {
    /// Its receiver answered 410.
    Gone,
    /// Its receiver has accepted nothing for 24 hours.
    Failing,
}

impl DisabledReason {
    /// Returns the name in JSON and in the database.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gone => "gone",
            Self::Failing => "failing",
        }
    }
}

/// A webhook that the server has disabled.
#[derive(Clone, Debug)]
pub struct DisabledWebhook {
    /// The number in the database.
    pub no: i64,
    /// `hook_…`.
    pub id: String,
    pub url: String,
    pub disabled_at: DateTime<Utc>,
    pub reason: DisabledReason,
}

/// Returns the webhooks of an agent that the server has disabled and that the agent was not told of, oldest first.
///
/// # Errors
/// Returns the error of the database.
pub async fn list_untold(state: &AppState, agent: &Agent) -> Result<Vec<DisabledWebhook>, Refusal> {
    Ok(store::list_disabled(&state.pool, agent.no).await?)
}

/// Saves that an agent was told of these disabled webhooks, by their numbers.
///
/// # Errors
/// Returns the error of the database.
pub async fn mark_told(state: &AppState, agent: &Agent, webhooks: &[i64]) -> Result<(), Refusal> {
    Ok(store::mark_told(&state.pool, agent.no, webhooks, state.clock.now()).await?)
}
