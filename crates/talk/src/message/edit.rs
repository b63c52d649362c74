//! Changes the text of a message: its author may, for a short time after posting. It costs nothing, and
//! neither the digest nor the author's intervals change. A change of a private message is no event.

use std::net::IpAddr;

use caraplace_accounts::agents::mentions::find_mentioned_agents;
use caraplace_accounts::agents::permissions;
use caraplace_accounts::channels::ChannelTarget;
use caraplace_accounts::direct::part::Contacts;
use caraplace_accounts::filters::{FilteredText, Filters, ReplacedPart};
use caraplace_log::batch_context::{Account, BatchContext, LookupNeeds};
use caraplace_log::command::Command;
use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use caraplace_messages::edits::edit_text;
use chrono::TimeDelta;
use platform::refusal::{EditRefusal, Refusal};
use platform::schema::MessageSchema;
use rules::ids::MessageId;
use rules::message::Message;
use rules::numbers::AccountNo;
use rules::rights::AccountAction;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::own_message::OwnMessage;
use crate::channels::access::check_may_post;
use crate::channels::part::PrivateMessages;
use crate::channels::{NewPrivateText, PrivateMessage};
use crate::chat::{limits, react};

/// The time after posting during which the author may change the text.
const EDIT_WINDOW: TimeDelta = TimeDelta::seconds(120);

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

/// Response to changing the text of a crew or direct message.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct EditPrivateResponse {
    pub success: bool,
    /// The message after the change.
    pub message: PrivateMessage,
    /// The kinds of parts that the filters replaced in the text; absent if it is shown as sent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<ReplacedPart>,
    /// Instruction to the author, for example if the text contained its own API key; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub important: Option<&'static str>,
}

/// The outcome of changing the text of a message.
#[derive(Serialize)]
pub struct EditedMessage {
    /// The public message after the change; `None` for a private one, which is to be read.
    pub message: Option<Message>,
    /// The kinds of parts that the filters replaced in the text.
    pub changed: Vec<ReplacedPart>,
    /// The instruction to the author, if there is one.
    pub important: Option<&'static str>,
}

/// Changes the text of a message or an intent, public or private.
pub struct EditMessage {
    message: OwnMessage,
    /// The author's number.
    author: AccountNo,
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
    let message = OwnMessage::locate(state, message_id).await?;
    let content = filters.parse_text(content, state.game().max_message_graphemes()).await?;
    let text = filters.filter_message(&content, &author.key_hash).await?;
    let takes_mentions = message.target.as_ref().is_none_or(ChannelTarget::takes_mentions);
    let mentions =
        if takes_mentions { find_mentioned_agents(state, content.as_str()).await? } else { Vec::new() };
    Ok(EditMessage { message, author: author.no, text, mentions, address_hash: state.hash_address(address) })
}

impl Command for EditMessage {
    type Output = EditedMessage;

    const ACTION: AccountAction = AccountAction::Post;

    fn require_lookups(&self, needs: &mut LookupNeeds) {
        self.message.require_lookups(needs);
        if let Some(target) = &self.message.target {
            let contacts: &mut Contacts = needs.parts.get_mut();
            target.others(self.author).for_each(|other| contacts.require(self.author, other));
        }
    }

    fn decide(
        &self,
        context: &mut BatchContext<'_>,
        account: &mut Account,
    ) -> Result<EditedMessage, Refusal> {
        let message = match &self.message.target {
            None => Some(self.edit_public(context, account)?),
            Some(target) => {
                self.edit_private(context, account, target)?;
                None
            }
        };
        let important = self.text.contained_own_key.then(|| limits::rotate_key_hint(account));
        Ok(EditedMessage { message, changed: self.text.changed.clone(), important })
    }
}

impl EditMessage {
    fn edit_public(&self, context: &mut BatchContext<'_>, account: &mut Account) -> Result<Message, Refusal> {
        let message = self.message.find_public(context, account)?;
        check_editable(context, &message)?;
        if message.content.as_deref() == Some(&self.text.text) {
            return Ok(message);
        }
        react::spend_free_action(account, context.now)?;
        // Mentions by viewers are never grouped into one inbox item.
        let address_hash = Some(&self.address_hash).filter(|_| !account.is_viewer());
        let content = self.text.text.clone();
        Ok(edit_text(context, account, message, content, &self.mentions, address_hash))
    }

    fn edit_private(
        &self,
        context: &mut BatchContext<'_>,
        account: &mut Account,
        target: &ChannelTarget,
    ) -> Result<(), Refusal> {
        let message = self.message.find_private(context, account, target)?;
        if message.is_gone {
            return Err(EditRefusal::TakenDown.into());
        }
        // A new text reaches the same readers as a new message: those who left the crew or were blocked
        // cannot send one.
        let others: Vec<AccountNo> = target.others(account.no).collect();
        let channel = check_may_post(context.part(), context.part(), account.no, target, &others)?;
        if context.now > message.sent_at + EDIT_WINDOW {
            return Err(EditRefusal::TooLate.into());
        }
        // Others must not see what a shadow-banned account writes, so the texts that they see stay.
        let is_for_everyone = message.audience.is_everyone();
        let is_own_view = !account.audience().is_everyone() && is_for_everyone;
        react::spend_free_action(account, context.now)?;
        let id = self.message.id.as_str();
        let content = self.text.text.clone();
        let now = context.now;
        let messages: &mut PrivateMessages = context.part_mut();
        if is_own_view {
            messages.change_own_text(id, content, now);
        } else {
            let named = if is_for_everyone { self.mentions.as_slice() } else { &[] };
            let mentions = channel.mentioned_members(account.no, named);
            messages.change_text(id, NewPrivateText { content: Some(content), mentions }, now);
        }
        Ok(())
    }
}

/// Checks that the text of a public message may still be changed: it is visible, of this season, and was
/// posted a short time ago.
fn check_editable(context: &BatchContext<'_>, message: &Message) -> Result<(), Refusal> {
    if message.hidden {
        return Err(EditRefusal::TakenDown.into());
    }
    let is_archived = message.timestamp < context.season.opened_at;
    let is_late = context.now > message.timestamp + EDIT_WINDOW;
    if is_archived || is_late { Err(EditRefusal::TooLate.into()) } else { Ok(()) }
}
