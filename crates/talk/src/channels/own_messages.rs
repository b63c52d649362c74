//! Finds the crew and direct messages that an account has written.

use caraplace_log::state::AppState;
use platform::refusal::Refusal;
use rules::numbers::{AccountNo, MessageNo};

use super::store;
pub use super::store::{OwnMessageWindow, OwnPrivateMessage};

/// The number of messages by any author that are looked at a time.
const WINDOW_MESSAGES: i64 = 2_000;

/// Returns the next messages after a number with those of an author among them; `None` if there are no more.
/// No index finds messages by their authors, so all are passed by, some at a time.
pub async fn own_message_window(
    state: &AppState,
    author: AccountNo,
    after: MessageNo,
) -> Result<Option<OwnMessageWindow>, Refusal> {
    Ok(store::own_message_window(&state.pool, author, after, WINDOW_MESSAGES).await?)
}

/// Returns these messages of an author, as it sees them, oldest first.
pub async fn own_messages(
    state: &AppState,
    author: AccountNo,
    ids: &[String],
) -> Result<Vec<OwnPrivateMessage>, Refusal> {
    Ok(store::own_messages(&state.pool, author, ids).await?)
}
