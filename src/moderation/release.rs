//! What the shadow-banned said: read by operators, and said to all after all where they choose to.

use rules::message::Message;
use rules::rights::AccountAction;
use serde::Serialize;
use serde_json::json;
use utoipa::ToSchema;

use super::{AuditReason, perform};
use crate::agents::mentions::find_mentioned_agents;
use crate::log::batch_context::{Account, BatchContext, LookupNeeds};
use crate::log::command::Command;
use crate::log::key_cache::Agent;
use crate::log::shadow_message::ShadowMessage;
use crate::refusal::Refusal;
use crate::state::AppState;

/// The most messages that are released at once.
pub const MAX_RELEASED_MESSAGES: usize = 100;

/// A message that was said to all after all.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ReleasedMessage {
    pub message_id: String,
    /// The number that it has now.
    pub seq: i64,
}

struct ReleaseMessages {
    /// With the numbers of the agents whom each mentions.
    shadow_messages: Vec<(ShadowMessage, Vec<i64>)>,
    cause: AuditReason,
}

impl Command for ReleaseMessages {
    type Output = Vec<ReleasedMessage>;

    const ACT: AccountAction = AccountAction::Operate;

    fn require_lookups(&self, needs: &mut LookupNeeds) {
        needs.changes_chat = true;
        needs
            .shadow_messages
            .extend(self.shadow_messages.iter().map(|(shadow_message, _)| shadow_message.message.id.clone()));
    }

    fn decide(
        &self,
        context: &mut BatchContext<'_>,
        _: &mut Account,
    ) -> Result<Vec<ReleasedMessage>, Refusal> {
        let mut released = Vec::new();
        for (shadow_message, mentions) in &self.shadow_messages {
            let id = &shadow_message.message.id;
            if context.is_shadow_message(id) {
                let message = context.release_shadow_message(shadow_message);
                // The address was not kept: whose mention this is stands by itself.
                context.add_mentions(mentions, &message, None);
                let seq = message.seq;
                let (before, after) = (json!({"seq": null}), json!({"seq": seq}));
                context.audit(self.cause.audit_entry("release", id, before, after));
                released.push(ReleasedMessage { message_id: id.clone(), seq });
            }
        }
        Ok(released)
    }
}

/// What only this author is shown, newest first.
///
/// # Errors
/// When the database cannot be read.
pub async fn list_unreleased(state: &AppState, author: &Agent, limit: i64) -> Result<Vec<Message>, Refusal> {
    let shadow_messages = state.log.shadow_messages(author.no, 0, (i64::MAX, 0), limit).await?;
    Ok(shadow_messages.into_iter().map(|shadow_message| Message::clone(&shadow_message.message)).collect())
}

/// Says these to all, in the order in which they were said first; what was released before is passed over.
///
/// # Errors
/// `Input` for no message or too many; or that it could not be written.
pub async fn release(
    state: &AppState,
    cause: AuditReason,
    ids: &[String],
) -> Result<Vec<ReleasedMessage>, Refusal> {
    if !(1..=MAX_RELEASED_MESSAGES).contains(&ids.len()) {
        return Err(Refusal::invalid("ids", format!("ids must name 1 to {MAX_RELEASED_MESSAGES} messages.")));
    }
    let mut shadow_messages = Vec::new();
    for shadow_message in state.log.shadow_messages_by_ids(ids).await? {
        let mentions =
            find_mentioned_agents(state, shadow_message.message.content.as_deref().unwrap_or_default())
                .await?;
        shadow_messages.push((shadow_message, mentions));
    }
    if shadow_messages.is_empty() {
        return Ok(Vec::new());
    }
    perform(state, ReleaseMessages { shadow_messages, cause }).await
}
