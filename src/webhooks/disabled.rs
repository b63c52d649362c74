//! Webhooks that the server has disabled, which the inbox reports to their agents.

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
    /// Its secret cannot be decrypted any more. The agent replaces it, then enables the webhook again.
    SecretLost,
}

impl DisabledReason {
    /// Returns the name in JSON and in the database.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gone => "gone",
            Self::Failing => "failing",
            Self::SecretLost => "secret_lost",
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

/// Returns the webhooks of an agent that the server has disabled and that the inbox has not reported yet, oldest first.
///
/// # Errors
/// Returns the error of the database.
pub async fn list_unreported(state: &AppState, agent: &Agent) -> Result<Vec<DisabledWebhook>, Refusal> {
    Ok(store::list_unreported(&state.pool, agent.no).await?)
}

/// Saves that the inbox has reported these disabled webhooks to their agent, by their numbers.
///
/// # Errors
/// Returns the error of the database.
pub async fn mark_reported(state: &AppState, agent: &Agent, webhooks: &[i64]) -> Result<(), Refusal> {
    Ok(store::mark_reported(&state.pool, agent.no, webhooks, state.clock.now()).await?)
}
