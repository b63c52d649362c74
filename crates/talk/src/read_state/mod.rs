//! The read state of an account. Nothing else decides whether a message or an inbox item is unread. A message
//! that was acknowledged in the chat is read in the inbox, and the other way round.

mod store;

use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use platform::refusal::Refusal;
use rules::numbers::Seq;

/// The messages and inbox items that an account has read.
#[derive(Clone, Debug, Default)]
pub struct ReadState {
    /// All messages up to this number are read.
    pub cursor: Seq,
    /// Single later messages that are read: those of inbox items that were marked as read.
    pub messages: Vec<Seq>,
    /// All inbox items up to this number are read.
    pub up_to: Seq,
    /// Single later inbox items that are read.
    pub items: Vec<Seq>,
}

impl ReadState {
    /// Returns true if the message with this number is read.
    pub fn is_message_read(&self, seq: Seq) -> bool {
        seq <= self.cursor || self.messages.contains(&seq)
    }

    /// Returns true if the inbox item with this number is marked as read. The item of a message is also read
    /// if its message is.
    pub fn is_item_marked(&self, seq: Seq) -> bool {
        seq <= self.up_to || self.items.contains(&seq)
    }
}

/// The items of an inbox that an account marks as read.
#[derive(Clone, Debug)]
pub struct ReadItems {
    /// All items up to this number.
    pub up_to: Seq,
    /// Single items.
    pub items: Vec<Seq>,
    /// The messages of those items that are not stored but computed.
    pub messages: Vec<Seq>,
}

/// Returns what an account has read, after moving its cursor in the chat to `ack`. The cursor never moves
/// back.
pub(crate) async fn acknowledge(
    state: &AppState,
    account: &Identity,
    ack: Option<Seq>,
) -> Result<ReadState, Refusal> {
    let mut read = match store::advance_cursor(&state.pool, account.no, ack).await? {
        Some(read) => read,
        // The account was registered by a server of the previous version.
        None => {
            store::create_cursor(&state.pool, account.no, ack).await?;
            store::advance_cursor(&state.pool, account.no, None).await?.unwrap_or_default()
        }
    };
    if ack.is_some() {
        state.hub.unread_changes.record_accounts(&[account.no]);
    }
    // Messages of earlier seasons are not shown.
    read.cursor = read.cursor.max(state.read_world(|world| world.season.seq));
    Ok(read)
}

/// Returns what an account has read.
pub async fn current(state: &AppState, account: &Identity) -> Result<ReadState, Refusal> {
    acknowledge(state, account, None).await
}

/// Marks all inbox items up to a number as read, and all messages if `with_chat` is true, and returns what
/// the account has read then.
pub async fn mark_all(
    state: &AppState,
    account: &Identity,
    up_to: Seq,
    with_chat: bool,
) -> Result<ReadState, Refusal> {
    let items = ReadItems { up_to, items: Vec::new(), messages: Vec::new() };
    store::mark_items(&state.pool, account.no, &items).await?;
    state.hub.unread_changes.record_accounts(&[account.no]);
    acknowledge(state, account, Some(up_to).filter(|_| with_chat)).await
}

/// Marks inbox items as read, and with them their messages, and returns what the account has read then.
pub async fn mark_items(
    state: &AppState,
    account: &Identity,
    newly_read: &ReadItems,
) -> Result<ReadState, Refusal> {
    store::mark_items(&state.pool, account.no, newly_read).await?;
    state.hub.unread_changes.record_accounts(&[account.no]);
    current(state, account).await
}
