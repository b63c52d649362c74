//! Hides and restores messages. For public messages both are events, so that all clients receive them in
//! order.

use caraplace_log::audit_reason::AuditReason;
use caraplace_log::batch_context::{Account, BatchContext, LookupNeeds};
use caraplace_log::command::Command;
use caraplace_log::state::AppState;
use caraplace_messages::batch;
use caraplace_messages::part::Messages;
use platform::refusal::{EditRefusal, Refusal};
use rules::ids::MessageId;
use rules::rights::AccountAction;
use serde_json::json;

use super::{MessageVisibility, private_hide, store, submit_as_operator};

struct SetMessageHidden {
    message_id: MessageId,
    hidden: bool,
    audit_reason: AuditReason,
}

impl Command for SetMessageHidden {
    type Output = Option<MessageVisibility>;

    const ACTION: AccountAction = AccountAction::Operate;

    fn require_lookups(&self, needs: &mut LookupNeeds) {
        let messages = needs.parts.get_mut::<Messages>();
        messages.require([self.message_id.as_str().to_owned()]);
        messages.require_deletion(&self.message_id);
    }

    fn decide(
        &self,
        context: &mut BatchContext<'_>,
        _: &mut Account,
    ) -> Result<Option<MessageVisibility>, Refusal> {
        let id = self.message_id.as_str();
        let hidden = self.hidden;
        let Some(was_hidden) = context.part::<Messages>().is_hidden(id) else { return Ok(None) };
        if !hidden && context.part::<Messages>().is_deleted(id) {
            return Err(EditRefusal::DeletedByAuthor.into());
        }
        let mut seq = None;
        if was_hidden != hidden {
            seq = Some(batch::set_hidden(context, id, hidden).seq);
            let action = if hidden { "hide" } else { "restore" };
            let before = json!({"hidden": was_hidden});
            let after = json!({"hidden": hidden});
            context.audit(self.audit_reason.audit_entry(action, id, before, after));
        }
        Ok(Some(MessageVisibility { success: true, message_id: id.to_owned(), hidden, seq }))
    }
}

/// Returns true if there is a message with this id that is not hidden.
pub async fn is_visible(state: &AppState, id: &MessageId) -> Result<bool, Refusal> {
    if store::evidence::find_visible_message(&state.pool, id.as_str()).await?.is_some() {
        return Ok(true);
    }
    let mut connection = state.pool.acquire().await?;
    let found = store::private_messages::find_visibility(&mut connection, id.as_str()).await?;
    Ok(found.is_some_and(|message| !message.is_hidden))
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
    let command =
        SetMessageHidden { message_id: message_id.clone(), hidden, audit_reason: audit_reason.clone() };
    match submit_as_operator(state, command).await? {
        Some(done) => Ok(Some(done)),
        None => private_hide::set_hidden(state, &audit_reason, &message_id, hidden).await,
    }
}
