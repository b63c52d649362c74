//! Rejects a draft.

use caraplace_log::state::AppState;
use platform::database;
use platform::refusal::{DraftRefusal, Refusal};

use super::access::DraftPerson;
use super::approve::find_settled;
use super::decision::Decision;
use super::list::find_visible;
use super::store::decisions;
use super::{Draft, DraftState};

/// Rejects a draft, which then is never carried out. Rejecting a rejected draft again returns it. Visitors
/// can reject their drafts that wait for operators, too.
///
/// # Errors
/// `Draft` if the person can see no such draft, or it was decided otherwise, or it is being carried out.
pub async fn reject(state: &AppState, person: DraftPerson<'_>, id: &str) -> Result<Draft, Refusal> {
    let now = state.clock.now();
    let draft = find_settled(state, person, id, now).await?.draft;
    let mut transaction = state.pool.begin().await?;
    let is_rejected = decisions::reject(&mut transaction, id, now).await?;
    if is_rejected && let Some(operator) = person.operator() {
        Decision::new(operator, &draft, DraftState::Rejected).record(state, &mut transaction).await?;
    }
    database::commit(transaction).await?;
    let current = find_visible(state, person, id).await?.seen_at(now);
    match current.state {
        DraftState::Rejected => Ok(current),
        DraftState::Approved => Err(DraftRefusal::Approved.into()),
        DraftState::Approving | DraftState::Pending => Err(DraftRefusal::BeingApproved.into()),
        DraftState::Expired => Err(DraftRefusal::Expired.into()),
    }
}
