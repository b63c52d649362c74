//! Reads the public messages of one author, as it takes them away.

use caraplace_log::state::AppState;
use platform::refusal::Refusal;
use rules::numbers::AccountNo;

use super::shadow::message::ChatPosition;
use super::store::{self, OwnPublicMessage};

/// Returns the next messages of an author after a position that it has not deleted, with the texts that it
/// sees, oldest first.
pub async fn own_message_page(
    state: &AppState,
    author: AccountNo,
    after: ChatPosition,
    limit: i64,
) -> Result<Vec<OwnPublicMessage>, Refusal> {
    Ok(store::own_message_page(&state.pool, author, after, limit).await?)
}
