//! Closes the plans of erased accounts, and deletes their texts.

use caraplace_accounts::agents::accounts;
use caraplace_log::head_lock::HeadLock;
use caraplace_log::state::AppState;
use platform::database;
use platform::refusal::Refusal;
use rules::ids::PlanId;
use rules::numbers::AccountNo;

use super::close::close_erased;
use super::store;

/// Closes the plans of an erased account, deletes their notes, and the titles of those that were never
/// finished. Returns true if that is done with all of them: one whose time has just passed is ended by
/// another task first.
///
/// # Errors
/// The refusal of the log. What was closed before stays closed.
pub async fn erase_plans(state: &AppState, author: AccountNo) -> Result<bool, Refusal> {
    let operator = accounts::find_operator(state).await?;
    for id in store::erased::unended_plan_ids(&state.pool, author).await? {
        if let Some(id) = PlanId::parse(&id) {
            close_erased(state, &operator, id).await?;
        }
    }
    let mut transaction = state.pool.begin().await?;
    // The writer may be changing these plans.
    HeadLock::acquire(&mut transaction, &state.clock).await?;
    store::erased::clear_texts(&mut transaction, author).await?;
    database::commit(transaction).await?;
    Ok(store::erased::unended_plan_ids(&state.pool, author).await?.is_empty())
}
