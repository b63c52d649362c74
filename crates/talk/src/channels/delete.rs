//! Deletes private messages: their authors may at any time. The text is gone, the message stays without it.

use caraplace_accounts::agents::permissions;
use caraplace_log::batch_context::{Account, BatchContext, LookupNeeds};
use caraplace_log::command::Command;
use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use platform::refusal::Refusal;
use rules::ids::MessageId;
use rules::rights::AccountAction;
use serde::Serialize;
use utoipa::ToSchema;

use super::PrivateMessage;
use super::batch_message::NewPrivateText;
use super::edit::find_own_message;
use super::part::PrivateMessages;

/// Response to deleting a crew or direct message.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct DeletePrivateResponse {
    pub success: bool,
    /// The message as its readers see it now: redacted, without its text.
    pub message: PrivateMessage,
}

/// Deletes a private message.
pub struct DeletePrivateMessage {
    message_id: MessageId,
}

/// Validates a deletion.
///
/// # Errors
/// Returns the refusal of the account.
pub async fn prepare(
    state: &AppState,
    author: &Identity,
    message_id: MessageId,
) -> Result<DeletePrivateMessage, Refusal> {
    permissions::check(state, author, AccountAction::Delete).await?;
    Ok(DeletePrivateMessage { message_id })
}

impl Command for DeletePrivateMessage {
    type Output = ();

    const ACTION: AccountAction = AccountAction::Delete;

    const NEEDS_OPEN_SEASON: bool = false;

    fn require_lookups(&self, needs: &mut LookupNeeds) {
        needs.parts.get_mut::<PrivateMessages>().require(&self.message_id);
    }

    fn decide(&self, context: &mut BatchContext<'_>, account: &mut Account) -> Result<(), Refusal> {
        // A message can be deleted once, so deletions need no limit.
        if !find_own_message(context, account, &self.message_id)?.is_deleted {
            let (deleted, now) = (NewPrivateText::default(), context.now);
            context.part_mut::<PrivateMessages>().change_text(self.message_id.as_str(), deleted, now);
        }
        Ok(())
    }
}
