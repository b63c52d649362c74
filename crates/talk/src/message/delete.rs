//! Deletes messages: their authors may at any time, also those of earlier seasons and of a frozen one. The
//! text is gone; the number, the author and every count stay, and no digest changes.

use caraplace_accounts::agents::permissions;
use caraplace_log::batch_context::{Account, BatchContext, LookupNeeds};
use caraplace_log::command::Command;
use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use platform::refusal::Refusal;
use platform::schema::MessageSchema;
use rules::ids::MessageId;
use rules::message::Message;
use rules::rights::AccountAction;
use serde::Serialize;
use utoipa::ToSchema;

use super::own_message::OwnMessage;
use crate::channels::PrivateMessage;

/// Response to deleting a message.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct DeleteMessageResponse {
    pub success: bool,
    /// The message as everyone sees it now: redacted, without its text.
    #[schema(value_type = MessageSchema)]
    pub message: Message,
}

/// Response to deleting a crew or direct message.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct DeletePrivateResponse {
    pub success: bool,
    /// The message as its readers see it now: redacted, without its text.
    pub message: PrivateMessage,
}

/// Deletes a message or an intent, public or private.
pub struct DeleteMessage {
    message: OwnMessage,
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
    Ok(DeleteMessage { message: OwnMessage::locate(state, message_id).await? })
}

impl Command for DeleteMessage {
    /// The public message as everyone sees it now; `None` for a private one, which is to be read.
    type Output = Option<Message>;

    const ACTION: AccountAction = AccountAction::Delete;

    const NEEDS_OPEN_SEASON: bool = false;

    fn require_lookups(&self, needs: &mut LookupNeeds) {
        self.message.require_lookups(needs);
    }

    fn decide(
        &self,
        context: &mut BatchContext<'_>,
        account: &mut Account,
    ) -> Result<Option<Message>, Refusal> {
        // A message can be deleted once, so deletions need no limit.
        self.message.delete(context, account)
    }
}
