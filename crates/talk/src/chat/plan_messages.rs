//! The messages that name a plan.

use caraplace_log::state::AppState;
use caraplace_messages::reads::messages_by_seqs;
use platform::refusal::Refusal;
use rules::message::Message;

use super::store;

/// The maximum number of messages.
const MAX_MESSAGES: i64 = 50;

/// Returns the newest visible messages that name the plan with this number, newest first; none while the chat
/// is switched off.
pub async fn list_for_plan(state: &AppState, plan: i64) -> Result<Vec<Message>, Refusal> {
    if !state.game().chat_enabled {
        return Ok(Vec::new());
    }
    let seqs = store::plan_message_seqs(&state.pool, plan, MAX_MESSAGES).await?;
    let mut messages = messages_by_seqs(state, &seqs).await?;
    messages.reverse();
    Ok(messages)
}
