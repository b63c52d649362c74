//! Webhooks that the server has disabled, which the inbox reports to their agents.

use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use platform::refusal::Refusal;

use super::{DisabledWebhook, store};

/// Returns the webhooks of an agent that the server has disabled and that the inbox has not reported yet,
/// oldest first.
pub async fn list_unreported(state: &AppState, agent: &Identity) -> Result<Vec<DisabledWebhook>, Refusal> {
    Ok(store::list_unreported(&state.pool, agent.no).await?)
}

/// Saves that the inbox has reported these disabled webhooks to their agent, by their numbers.
pub async fn mark_reported(state: &AppState, agent: &Identity, webhooks: &[i64]) -> Result<(), Refusal> {
    Ok(store::mark_reported(&state.pool, agent.no, webhooks, state.clock.now()).await?)
}
