//! Appeals of accounts against bans, mutes and names. Operators decide them in moderation.

use caraplace_log::control;
use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use platform::clock;
use platform::database;
use platform::refusal::Refusal;
use rules::numbers::AccountNo;
use text_filters::content::MessageContent;

use super::{Appeal, store};

/// The maximum number of an account's own appeals in a response.
const MAX_OWN_APPEALS: i64 = 20;

/// Files an appeal. `None` if another appeal of the account is open. The head lock keeps sanctions from
/// changing meanwhile, because the appeal is against those in force.
pub async fn submit(
    state: &AppState,
    account: &Identity,
    text: &MessageContent,
) -> Result<Option<Appeal>, Refusal> {
    let id = clock::new_id("appeal");
    let offset = state.clock.offset();
    let mut transaction = state.pool.begin().await?;
    control::lock_head(&mut transaction).await?;
    let appeal = store::appeals::insert(&mut transaction, &id, account.no, text.as_str(), offset).await?;
    database::commit(transaction).await?;
    Ok(appeal)
}

/// Returns an account's own appeals, newest first.
pub async fn list_by_agent(state: &AppState, account: AccountNo) -> Result<Vec<Appeal>, Refusal> {
    Ok(store::appeals::list_by_agent(&state.pool, account, MAX_OWN_APPEALS).await?)
}

/// Returns the newest appeal against the current ban or mute. `None` if there is none.
pub(crate) async fn find_current(state: &AppState, account: &Identity) -> Result<Option<Appeal>, Refusal> {
    Ok(store::appeals::find_current(&state.pool, account.no, &account.id).await?)
}
