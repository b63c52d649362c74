//! Changes the text of a private message, by the rules of public ones. It is no event.

use caraplace_accounts::agents::mentions::find_mentioned_agents;
use caraplace_accounts::agents::permissions;
use caraplace_accounts::channels::ChannelTarget;
use caraplace_accounts::filters::{FilteredText, Filters, ReplacedPart};
use caraplace_log::batch_context::{Account, BatchContext, LookupNeeds};
use caraplace_log::command::Command;
use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use platform::refusal::{EditRefusal, Refusal};
use rules::ids::MessageId;
use rules::numbers::AccountNo;
use rules::rights::AccountAction;
use serde::Serialize;
use utoipa::ToSchema;

use super::batch_message::{NewPrivateText, StoredPrivateMessage};
use super::part::PrivateMessages;
use super::post::PlaceCheck;
use super::{PrivateMessage, store};
use crate::chat::edit::EDIT_WINDOW;
use crate::chat::limits::rotate_key_hint;
use crate::chat::react::spend_free_action;

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

/// Changes the text of a private message.
pub struct EditPrivateMessage {
    message_id: MessageId,
    /// The place of the message, and the numbers of the recipients of a direct one; `None` if the author has
    /// no such message.
    place: Option<(ChannelTarget, Vec<AccountNo>)>,
    /// The author's number.
    author: AccountNo,
    /// The filtered text.
    text: FilteredText,
    /// The numbers of the agents that the text names.
    mentions: Vec<AccountNo>,
}

/// Validates and filters a new text.
///
/// # Errors
/// Returns the first refusal: of the account, or of the text.
pub async fn prepare(
    state: &AppState,
    filters: &Filters,
    author: &Identity,
    message_id: MessageId,
    content: &str,
) -> Result<EditPrivateMessage, Refusal> {
    permissions::check(state, author, AccountAction::Post).await?;
    let place = store::find_place(&state.pool, message_id.as_str(), author.no).await?;
    let content = filters.parse_message(content).await?;
    let text = filters.filter_message(&content, &author.key_hash).await?;
    let takes_mentions = place.as_ref().is_some_and(|(target, _)| target.takes_mentions());
    let mentions =
        if takes_mentions { find_mentioned_agents(state, content.as_str()).await? } else { Vec::new() };
    Ok(EditPrivateMessage { message_id, place, author: author.no, text, mentions })
}

impl EditPrivateMessage {
    /// Returns the kinds of parts that the filters replaced in the text.
    pub fn replaced_parts(&self) -> &[ReplacedPart] {
        &self.text.changed
    }
}

impl Command for EditPrivateMessage {
    /// The instruction to the author, if there is one.
    type Output = Option<&'static str>;

    const ACTION: AccountAction = AccountAction::Post;

    fn require_lookups(&self, needs: &mut LookupNeeds) {
        needs.parts.get_mut::<PrivateMessages>().require(&self.message_id);
        if let Some((target, recipients)) = &self.place {
            let place = PlaceCheck::for_edit(target, recipients);
            place.require_channel(needs.parts.get_mut());
            place.require_contacts(needs.parts.get_mut(), self.author);
        }
    }

    fn decide(
        &self,
        context: &mut BatchContext<'_>,
        account: &mut Account,
    ) -> Result<Option<&'static str>, Refusal> {
        let message = find_own_message(context, account, &self.message_id)?;
        if message.is_gone {
            return Err(EditRefusal::TakenDown.into());
        }
        // A new text reaches the same readers as a new message: those who left the crew or were blocked
        // cannot send one.
        let (target, recipients) = self.place.as_ref().ok_or(EditRefusal::NotFound)?;
        let place = PlaceCheck::for_edit(target, recipients);
        let channel = place.check(context.part(), context.part(), account.no)?;
        if context.now > message.sent_at + EDIT_WINDOW {
            return Err(EditRefusal::TooLate.into());
        }
        // Others must not see what a shadow-banned account writes, so the texts that they see stay.
        let is_for_everyone = message.audience.is_everyone();
        let is_own_view = !account.audience().is_everyone() && is_for_everyone;
        spend_free_action(account, context.now)?;
        let now = context.now;
        let messages: &mut PrivateMessages = context.part_mut();
        if is_own_view {
            messages.change_own_text(self.message_id.as_str(), self.text.text.clone(), now);
        } else {
            let named = if is_for_everyone { self.mentions.as_slice() } else { &[] };
            let mentions = channel.mentioned_members(account.no, named);
            let text = NewPrivateText { content: Some(self.text.text.clone()), mentions };
            messages.change_text(self.message_id.as_str(), text, now);
        }
        Ok(self.text.contained_own_key.then(|| rotate_key_hint(account)))
    }
}

/// Returns a private message of this account, which may be deleted or taken down.
///
/// # Errors
/// `Edit` if there is none, or if it is by another author.
pub(super) fn find_own_message<'a>(
    context: &'a BatchContext<'_>,
    account: &Account,
    id: &MessageId,
) -> Result<&'a StoredPrivateMessage, Refusal> {
    let message = context.part::<PrivateMessages>().find(id.as_str()).ok_or(EditRefusal::NotFound)?;
    if message.author == account.no { Ok(message) } else { Err(EditRefusal::NotYours.into()) }
}
