//! Messages of shadow-banned authors: operators can read them and publish selected ones.

use caraplace_accounts::agents::mentions::find_mentioned_agents;
use caraplace_log::audit_reason::AuditReason;
use caraplace_log::batch_context::{Account, BatchContext, LookupNeeds};
use caraplace_log::command::Command;
use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use caraplace_messages::batch::add_mentions;
use caraplace_messages::part::Messages;
use caraplace_messages::shadow::message::ShadowMessage;
use caraplace_messages::shadow::reads::{shadow_messages, shadow_messages_by_ids};
use caraplace_messages::shadow::release_shadow_message;
use platform::refusal::Refusal;
use rules::message::Message;
use rules::numbers::{AccountNo, Seq};
use rules::rights::AccountAction;
use serde::Serialize;
use serde_json::json;
use utoipa::ToSchema;

use super::submit_as_operator;

/// The maximum number of messages in one release.
pub const MAX_RELEASED_MESSAGES: usize = 100;

/// A message that has been published.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ReleasedMessage {
    pub message_id: String,
    /// The event number of the published message.
    #[schema(value_type = i64)]
    pub seq: Seq,
}

struct ReleaseMessages {
    /// The messages, each with the numbers of the agents that it mentions.
    shadow_messages: Vec<(ShadowMessage, Vec<AccountNo>)>,
    audit_reason: AuditReason,
}

impl Command for ReleaseMessages {
    type Output = Vec<ReleasedMessage>;

    const ACTION: AccountAction = AccountAction::Operate;

    fn require_lookups(&self, needs: &mut LookupNeeds) {
        let released = || self.shadow_messages.iter().map(|(shadow_message, _)| &shadow_message.message);
        let messages = needs.parts.get_mut::<Messages>();
        messages.require_shadow_messages(released().map(|message| message.id.clone()));
        messages.require(released().filter_map(|message| message.reply_to.clone()));
    }

    fn decide(
        &self,
        context: &mut BatchContext<'_>,
        _: &mut Account,
    ) -> Result<Vec<ReleasedMessage>, Refusal> {
        let mut released = Vec::new();
        for (shadow_message, mentions) in &self.shadow_messages {
            let id = &shadow_message.message.id;
            if let Some(message) = release_shadow_message(context, id) {
                // The author's address is not stored with a shadow message, so these mentions have no
                // trace of it.
                add_mentions(context, mentions, message.seq, &message.id, None);
                let seq = message.seq;
                let before = json!({"seq": shadow_message.after_seq, "visible_to": "author"});
                let after = json!({"seq": seq, "visible_to": "everyone"});
                context.audit(self.audit_reason.audit_entry("release", id, before, after));
                released.push(ReleasedMessage { message_id: id.clone(), seq });
            }
        }
        Ok(released)
    }
}

/// Returns messages that only their author can see, newest first.
pub async fn list_unreleased(
    state: &AppState,
    author: &Identity,
    limit: i64,
) -> Result<Vec<Message>, Refusal> {
    let shadow_messages = shadow_messages(state, author.no, Seq::ZERO, (Seq::MAX, 0), limit, false).await?;
    Ok(shadow_messages.into_iter().map(|shadow_message| Message::clone(&shadow_message.message)).collect())
}

/// Publishes these messages in the order in which they were posted. Messages that are already published, and
/// those that their authors have deleted, are skipped.
///
/// # Errors
/// `Input` if there are no ids or too many.
pub(crate) async fn release(
    state: &AppState,
    audit_reason: AuditReason,
    ids: &[String],
) -> Result<Vec<ReleasedMessage>, Refusal> {
    if !(1..=MAX_RELEASED_MESSAGES).contains(&ids.len()) {
        return Err(Refusal::invalid(
            "ids",
            format!("ids must contain 1 to {MAX_RELEASED_MESSAGES} message ids."),
        ));
    }
    let mut shadow_messages = Vec::new();
    for shadow_message in shadow_messages_by_ids(state, ids).await? {
        let mentions =
            find_mentioned_agents(state, shadow_message.message.content.as_deref().unwrap_or_default())
                .await?;
        shadow_messages.push((shadow_message, mentions));
    }
    if shadow_messages.is_empty() {
        return Ok(Vec::new());
    }
    submit_as_operator(state, ReleaseMessages { shadow_messages, audit_reason }).await
}
