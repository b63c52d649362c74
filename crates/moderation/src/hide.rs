//! Hides and restores messages. For public messages both are events, so that all clients receive them in
//! order. For private ones neither is: only members can see them at all, whose waiting calls are woken.

use caraplace_accounts::channels::ChannelTarget;
use caraplace_accounts::channels::part::Channels;
use caraplace_log::audit_reason::AuditReason;
use caraplace_log::batch_context::{Account, BatchContext, LookupNeeds};
use caraplace_log::command::Command;
use caraplace_log::part::{HeadState, Part as _};
use caraplace_log::state::AppState;
use caraplace_messages::batch;
use caraplace_messages::part::Messages;
use caraplace_talk::channels::access::find_target;
use caraplace_talk::channels::part::PrivateMessages;
use platform::refusal::{EditRefusal, Refusal};
use rules::ids::MessageId;
use rules::numbers::Seq;
use rules::rights::AccountAction;
use serde_json::json;

use super::{MessageVisibility, store, submit_as_operator};

struct SetMessageHidden {
    message_id: MessageId,
    /// The place of a private message; `None` for a public one, and if there is none with this id.
    target: Option<ChannelTarget>,
    hidden: bool,
    audit_reason: AuditReason,
}

impl Command for SetMessageHidden {
    type Output = Option<MessageVisibility>;

    const ACTION: AccountAction = AccountAction::Operate;

    fn require_lookups(&self, needs: &mut LookupNeeds) {
        if let Some(target) = &self.target {
            needs.parts.get_mut::<PrivateMessages>().require(&self.message_id);
            needs.parts.get_mut::<Channels>().require(target.clone());
        } else {
            let messages = needs.parts.get_mut::<Messages>();
            messages.require([self.message_id.as_str().to_owned()]);
            messages.require_deletion(&self.message_id);
        }
    }

    fn decide(
        &self,
        context: &mut BatchContext<'_>,
        _: &mut Account,
    ) -> Result<Option<MessageVisibility>, Refusal> {
        let id = self.message_id.as_str();
        let hidden = self.hidden;
        let Some(was_hidden) = self.was_hidden(context) else { return Ok(None) };
        if !hidden && self.is_deleted(context) {
            return Err(EditRefusal::DeletedByAuthor.into());
        }
        let mut seq = None;
        if was_hidden != hidden {
            seq = self.set_hidden(context);
            let action = if hidden { "hide" } else { "restore" };
            let before = json!({"hidden": was_hidden});
            let after = json!({"hidden": hidden});
            context.audit(self.audit_reason.audit_entry(action, id, before, after));
        }
        Ok(Some(MessageVisibility { success: true, message_id: id.to_owned(), hidden, seq }))
    }
}

impl SetMessageHidden {
    /// Returns true if the message is hidden; `None` if it was never posted.
    fn was_hidden(&self, context: &BatchContext<'_>) -> Option<bool> {
        let id = self.message_id.as_str();
        match &self.target {
            None => context.part::<Messages>().is_hidden(id),
            Some(_) => context.part::<PrivateMessages>().find(id).map(|message| message.is_hidden),
        }
    }

    /// Returns true if the author has deleted the message.
    fn is_deleted(&self, context: &BatchContext<'_>) -> bool {
        let id = self.message_id.as_str();
        match &self.target {
            None => context.part::<Messages>().is_deleted(id),
            Some(_) => context.part::<PrivateMessages>().find(id).is_some_and(|message| message.is_deleted),
        }
    }

    /// Changes the visibility. Returns the number of the event; `None` for a private message.
    fn set_hidden(&self, context: &mut BatchContext<'_>) -> Option<Seq> {
        let id = self.message_id.as_str();
        let Some(target) = &self.target else { return Some(batch::set_hidden(context, id, self.hidden).seq) };
        let channel = context.part::<Channels>().find_or_new(target);
        let members = channel.map(|channel| channel.members).unwrap_or_default();
        context.part_mut::<PrivateMessages>().set_hidden(id, self.hidden, &members);
        None
    }
}

/// Returns true if there is a message with this id that is not hidden.
pub async fn is_visible(state: &AppState, id: &MessageId) -> Result<bool, Refusal> {
    if store::evidence::find_visible_message(&state.pool, id.as_str()).await?.is_some() {
        return Ok(true);
    }
    let mut messages = PrivateMessages::default();
    messages.require(id);
    let head = HeadState { now: state.clock.now(), world: &state.world };
    let mut connection = state.pool.acquire().await?;
    messages.read(&mut connection, head).await?;
    Ok(messages.find(id.as_str()).is_some_and(|message| !message.is_hidden))
}

/// Hides a message or restores it, even if its text has been deleted. `None` if it was never posted.
///
/// # Errors
/// `Edit` if a message that its author has deleted is to be restored.
pub(crate) async fn set_hidden(
    state: &AppState,
    audit_reason: AuditReason,
    message_id: MessageId,
    hidden: bool,
) -> Result<Option<MessageVisibility>, Refusal> {
    let target = find_target(state, &message_id).await?;
    submit_as_operator(state, SetMessageHidden { message_id, target, hidden, audit_reason }).await
}
