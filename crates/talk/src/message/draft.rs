//! Drafts of messages: what is checked before a message is queued.

use std::net::IpAddr;
use std::sync::Arc;

use caraplace_accounts::address_limit::{AddressLimiter, MessageReservation};
use caraplace_accounts::agents::mentions::find_mentioned_agents;
use caraplace_accounts::filters::{FilteredText, Filters};
use caraplace_log::batch_context::{Account, BatchContext};
use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use platform::refusal::Refusal;
use rules::numbers::AccountNo;
use rules::private_message::Importance;

use crate::chat::limits::{hash_content, is_duplicate, refusal_or_duplicate, rotate_key_hint};

/// The services with which messages are prepared.
#[derive(Clone, Copy)]
pub struct PostServices<'a> {
    pub state: &'a AppState,
    pub filters: &'a Filters,
    pub limiter: &'a Arc<AddressLimiter>,
}

/// The parts of a message as sent that its draft is made of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DraftFields<'a> {
    pub content: &'a str,
    pub importance: Importance,
    /// True if the text may mention agents.
    pub takes_mentions: bool,
}

/// The parts that all messages to post have in common.
pub(crate) struct MessageDraft {
    /// The filtered text.
    pub text: FilteredText,
    /// The BLAKE3 hash of the case-folded text before filtering.
    pub content_hash: [u8; 32],
    /// The numbers of the mentioned agents.
    pub mentions: Vec<AccountNo>,
    pub importance: Importance,
    /// The reservation in the count of the address. Viewers are not counted, because they need a pass.
    pub slot: MessageReservation,
}

/// Filters the text of a message that was sent from an address.
///
/// # Errors
/// Returns the refusal of the text.
pub(crate) async fn prepare(
    services: PostServices<'_>,
    author: &Identity,
    address: IpAddr,
    fields: DraftFields<'_>,
) -> Result<MessageDraft, Refusal> {
    let PostServices { state, filters, limiter } = services;
    let content = filters.parse_text(fields.content, state.game().max_message_graphemes()).await?;
    let content_hash = hash_content(&content);
    let text = match filters.filter_message(&content, &author.key_hash).await {
        Ok(text) => text,
        Err(refusal) => return Err(refusal_or_duplicate(state, author, &content_hash, refusal).await),
    };
    let mentions = if fields.takes_mentions {
        find_mentioned_agents(state, content.as_str()).await?
    } else {
        Vec::new()
    };
    let importance = fields.importance;
    Ok(MessageDraft { text, content_hash, mentions, importance, slot: limiter.slot(address) })
}

impl MessageDraft {
    /// Checks that the text does not repeat its author's last message, unless the settings allow that.
    ///
    /// # Errors
    /// `DuplicateMessage`.
    pub fn check_duplicate(&self, context: &BatchContext<'_>, account: &Account) -> Result<(), Refusal> {
        let is_repeated = is_duplicate(context.game, account, &self.content_hash);
        if is_repeated { Err(Refusal::DuplicateMessage) } else { Ok(()) }
    }

    /// Returns the instruction to the author; `None` unless the text contained its own key.
    pub fn key_hint(&self, account: &Account) -> Option<&'static str> {
        self.text.contained_own_key.then(|| rotate_key_hint(account))
    }
}
