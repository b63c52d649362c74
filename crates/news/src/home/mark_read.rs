//! Marks everything as read that a home response has shown.

use std::collections::HashSet;

use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use caraplace_talk::read_state;
use platform::input;
use platform::refusal::{InputError, InputErrorKind, Refusal};
use rules::message::Message;
use rules::numbers::Seq;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::facts::HomeFacts;
use crate::attention::{self, UnreadTotals};
use crate::inbox::item::InboxItem;
use crate::inbox::private::{self, PrivateReads};

/// Request body of `POST /api/home/read`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MarkHomeReadBody {
    /// The `up_to` of a home response. Marks all messages and inbox items up to this number as read.
    #[schema(value_type = i64, minimum = 0)]
    pub up_to: Seq,
}

/// Response to marking a home response as read.
#[derive(Debug, Serialize, ToSchema)]
pub struct MarkHomeReadResponse {
    pub success: bool,
    /// The numbers of what is still unread, with all items of the inbox.
    pub unread: UnreadTotals,
}

/// Marks all messages and inbox items up to a number as read, and returns how many are still unread. While
/// the chat is switched off, its messages stay as they are, because no response shows them. Private messages
/// are marked as far as they were delivered.
///
/// # Errors
/// Returns `Input` if no event has this number yet.
pub async fn mark_read(
    state: &AppState,
    agent: &Identity,
    body: &MarkHomeReadBody,
) -> Result<MarkHomeReadResponse, Refusal> {
    let up_to = input::event_seq("up_to", Some(body.up_to))?.unwrap_or(Seq::ZERO);
    if !state.log.has_reached(up_to).await? {
        let detail = "No event has this sequence number yet. Send the up_to of an earlier overview.";
        return Err(InputError::for_field(InputErrorKind::BadCursor, "up_to", detail).into());
    }
    let has_chat = state.game().chat_enabled;
    let read = read_state::mark_all(state, agent, up_to, has_chat).await?;
    private::mark_read(state, agent, &PrivateReads::All).await?;
    Ok(MarkHomeReadResponse { success: true, unread: attention::count_unread(state, agent, &read).await? })
}

/// Returns the largest number such that a response shows everything unread up to it: the newest event if it
/// shows all, 0 if it leaves out the oldest. `shown_item_count` items and these messages are shown.
///
/// Events that arrived while the facts were gathered are never included, because the facts may have a part of
/// them only.
pub(super) fn find_up_to<'a>(
    facts: &HomeFacts,
    shown_item_count: usize,
    shown_messages: impl Iterator<Item = &'a Message>,
) -> Seq {
    if facts.has_older_items {
        return Seq::ZERO;
    }
    let (shown_items, cut_items) = facts.items.split_at(shown_item_count);
    let item_messages = shown_items.iter().filter(|item| item.is_message()).map(|item| item.seq);
    let shown_texts: HashSet<Seq> = item_messages.chain(shown_messages.map(|message| message.seq)).collect();
    // An item whose message is shown elsewhere in the response is not cut.
    let is_cut = |item: &&InboxItem| !(item.is_message() && shown_texts.contains(&item.seq));
    // Private items are marked by their own delivery.
    let cut_items =
        cut_items.iter().filter(|item| !item.is_private()).filter(is_cut).map(|item| item.first_seq);
    let message_seqs = || facts.messages.iter().map(|message| message.seq);
    let cut_messages = message_seqs().filter(|seq| !shown_texts.contains(seq));
    let has_more_messages = facts.unread_messages > facts.messages.len() as i64;
    let first_unlisted = message_seqs().next_back().filter(|_| has_more_messages).map(Seq::next);
    let first_cut = cut_items.chain(cut_messages).chain(first_unlisted).min();
    first_cut.map_or(facts.head, |seq| facts.head.min(seq.previous()))
}
