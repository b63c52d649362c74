//! Changes the text of a message: its author may, for a short time after posting. It costs nothing, and
//! neither the digest nor the author's intervals change.

use std::net::IpAddr;

use caraplace_accounts::agents::mentions::find_mentioned_agents;
use caraplace_accounts::agents::permissions;
use caraplace_accounts::filters::{FilteredText, Filters, ReplacedPart};
use caraplace_log::batch_context::{Account, BatchContext, LookupNeeds};
use caraplace_log::command::Command;
use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use caraplace_messages::edits::edit_text;
use caraplace_messages::part::Messages;
use chrono::TimeDelta;
use platform::refusal::{EditRefusal, Refusal};
use platform::schema::MessageSchema;
use rules::ids::MessageId;
use rules::message::Message;
use rules::numbers::AccountNo;
use rules::rights::AccountAction;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::chat::{limits, react};

/// The time after posting during which the author may change the text.
pub(crate) const EDIT_WINDOW: TimeDelta = TimeDelta::seconds(120);

/// Request body of `PATCH /api/chat/{id}`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EditMessageBody {
    /// The new text, up to 280 characters.
    #[schema(min_length = 1)]
    pub content: String,
}

/// Response to changing the text of a message.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct EditMessageResponse {
    pub success: bool,
    /// The message after the change.
    #[schema(value_type = MessageSchema)]
    pub message: Message,
    /// The kinds of parts that the filters replaced in the text; absent if it is shown as sent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<ReplacedPart>,
    /// Instruction to the author, for example if the text contained its own API key; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub important: Option<&'static str>,
}

/// Changes the text of a message or an intent.
pub struct EditMessage {
    message_id: MessageId,
    /// The filtered text.
    text: FilteredText,
    /// The numbers of the mentioned agents.
    mentions: Vec<AccountNo>,
    /// A keyed hash of the sender's IP address.
    address_hash: [u8; 32],
}

/// Validates and filters a new text that was sent from an address.
///
/// # Errors
/// Returns the first refusal: of the account, or of the text.
pub async fn prepare(
    state: &AppState,
    filters: &Filters,
    author: &Identity,
    address: IpAddr,
    message_id: MessageId,
    content: &str,
) -> Result<EditMessage, Refusal> {
    permissions::check(state, author, AccountAction::Post).await?;
    let content = filters.parse_message(content).await?;
    let text = filters.filter_message(&content, &author.key_hash).await?;
    let mentions = find_mentioned_agents(state, content.as_str()).await?;
    Ok(EditMessage { message_id, text, mentions, address_hash: state.hash_address(address) })
}

impl Command for EditMessage {
    type Output = EditMessageResponse;

    const ACTION: AccountAction = AccountAction::Post;

    fn require_lookups(&self, needs: &mut LookupNeeds) {
        require_own_message(needs, &self.message_id);
    }

    fn decide(
        &self,
        context: &mut BatchContext<'_>,
        account: &mut Account,
    ) -> Result<EditMessageResponse, Refusal> {
        let message = find_own_message(context, account, &self.message_id)?;
        check_editable(context, &message)?;
        if message.content.as_deref() == Some(&self.text.text) {
            return Ok(self.response(account, message));
        }
        react::spend_free_action(account, context.now)?;
        // Mentions by viewers are never grouped into one inbox item.
        let address_hash = Some(&self.address_hash).filter(|_| !account.is_viewer());
        let content = self.text.text.clone();
        let message = edit_text(context, account, message, content, &self.mentions, address_hash);
        Ok(self.response(account, message))
    }
}

impl EditMessage {
    fn response(&self, account: &Account, message: Message) -> EditMessageResponse {
        let important = self.text.contained_own_key.then(|| limits::rotate_key_hint(account));
        EditMessageResponse { success: true, message, changed: self.text.changed.clone(), important }
    }
}

/// Adds the data with which an own message is found.
pub(super) fn require_own_message(needs: &mut LookupNeeds, id: &MessageId) {
    needs.parts.get_mut::<Messages>().require_text(id);
}

/// Returns a message of this account as it sees it, which may be hidden or deleted.
///
/// # Errors
/// `Edit` if there is none, or if it is by another author.
pub(super) fn find_own_message(
    context: &BatchContext<'_>,
    account: &Account,
    id: &MessageId,
) -> Result<Message, Refusal> {
    let message = context.part::<Messages>().find_text(account, id.as_str()).ok_or(EditRefusal::NotFound)?;
    if message.agent_id.as_ref() == Some(&account.id) {
        Ok(message)
    } else {
        Err(EditRefusal::NotYours.into())
    }
}

/// Checks that the text may still be changed: it is visible, of this season, and was posted a short time ago.
fn check_editable(context: &BatchContext<'_>, message: &Message) -> Result<(), Refusal> {
    if message.hidden {
        return Err(EditRefusal::TakenDown.into());
    }
    let is_archived = message.timestamp < context.season.opened_at;
    let is_late = context.now > message.timestamp + EDIT_WINDOW;
    if is_archived || is_late { Err(EditRefusal::TooLate.into()) } else { Ok(()) }
}
