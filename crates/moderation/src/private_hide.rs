//! Takes private messages down and restores them. Neither is an event: only members can see such messages at
//! all, and waiting calls of the members are woken.

use caraplace_log::audit_reason::AuditReason;
use caraplace_log::state::AppState;
use caraplace_log::{audit, control};
use platform::refusal::{EditRefusal, Refusal};
use rules::ids::MessageId;
use serde_json::json;

use super::{MessageVisibility, store};

/// Hides a private message or restores it. `None` if there is none with this id.
///
/// # Errors
/// `Edit` if a message that its author has deleted is to be restored.
pub(super) async fn set_hidden(
    state: &AppState,
    audit_reason: &AuditReason,
    message_id: &MessageId,
    hidden: bool,
) -> Result<Option<MessageVisibility>, Refusal> {
    let id = message_id.as_str();
    let mut transaction = state.pool.begin().await?;
    control::lock_head(&mut transaction).await?;
    let Some(found) = store::private_messages::find_visibility(&mut transaction, id).await? else {
        return Ok(None);
    };
    if !hidden && found.is_deleted {
        return Err(EditRefusal::DeletedByAuthor.into());
    }
    if found.is_hidden != hidden {
        store::private_messages::set_hidden(&mut transaction, id, hidden).await?;
        let action = if hidden { "hide" } else { "restore" };
        let before = json!({"hidden": found.is_hidden});
        let after = json!({"hidden": hidden});
        let entry = audit_reason.audit_entry(action, id, before, after);
        audit::record(&mut transaction, &entry, state.clock.offset()).await?;
        let members = store::private_messages::list_members(&mut transaction, id).await?;
        state.log.commit_private_news(transaction, &members).await?;
    }
    Ok(Some(MessageVisibility { success: true, message_id: id.to_owned(), hidden, seq: None }))
}
