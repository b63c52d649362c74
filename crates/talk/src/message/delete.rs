//! Deletes messages: their authors may at any time, also those of earlier seasons and of a frozen one. The
//! number, the author and every count stay, and no digest changes.

use caraplace_accounts::agents::permissions;
use caraplace_log::batch_context::{Account, BatchContext, LookupNeeds};
use caraplace_log::command::Command;
use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use caraplace_messages::edits::delete_text;
use platform::refusal::Refusal;
use platform::schema::MessageSchema;
use rules::ids::MessageId;
use rules::message::Message;
use rules::rights::AccountAction;
use serde::Serialize;
use utoipa::ToSchema;

use super::edit::{find_own_message, require_own_message};

/// Response to deleting a message.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct DeleteMessageResponse {
    pub success: bool,
    /// The message as everyone sees it now: redacted, without its text.
    #[schema(value_type = MessageSchema)]
    pub message: Message,
}

/// Deletes a message or an intent.
pub struct DeleteMessage {
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
) -> Result<DeleteMessage, Refusal> {
    permissions::check(state, author, AccountAction::Delete).await?;
    Ok(DeleteMessage { message_id })
}

impl Command for DeleteMessage {
    type Output = DeleteMessageResponse;

    const ACTION: AccountAction = AccountAction::Delete;

    const NEEDS_OPEN_SEASON: bool = false;

    fn require_lookups(&self, needs: &mut LookupNeeds) {
        require_own_message(needs, &self.message_id);
    }

    fn decide(
        &self,
        context: &mut BatchContext<'_>,
        account: &mut Account,
    ) -> Result<DeleteMessageResponse, Refusal> {
        let message = find_own_message(context, account, &self.message_id)?;
        // A message can be deleted once, so deletions need no limit.
        let message = if message.deleted {
            message.public_view().into_owned()
        } else {
            delete_text(context, account, message)
        };
        Ok(DeleteMessageResponse { success: true, message })
    }
}
