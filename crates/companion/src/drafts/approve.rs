//! Approves a draft: claims it, carries it out once, and stores the outcome.
//!
//! A process that dies, or loses the database, while it carries a draft out leaves it claimed. After a minute
//! the approval counts as interrupted: if the change was made, the entry in the audit log or the stored
//! response of the command says so, and the draft is approved; else it waits again. A command has the draft
//! as its idempotency key, so that the log executes it once even if it was slow and the draft is approved
//! again.

use std::time::Duration;

use caraplace_log::state::AppState;
use chrono::{DateTime, Utc};
use platform::database;
use platform::refusal::{DraftRefusal, Refusal};
use serde_json::Value;
use tokio::time::timeout;

use super::access::DraftPerson;
pub use super::carry_out::CountReport;
use super::carry_out::carry_out;
use super::decision::{Decision, settle};
use super::list::find_visible;
use super::store::decisions;
use super::{Draft, DraftState, INTERRUPTED_AFTER, StoredDraft};
use crate::app::App;

/// The time that a change may take. It is shorter than that after which an approval counts as interrupted.
const APPROVAL_TIMEOUT: Duration = Duration::from_secs(30);

/// A claimed draft.
struct ClaimedDraft {
    draft: Draft,
    at: DateTime<Utc>,
    /// True if an earlier approval was interrupted.
    is_repeated: bool,
}

/// Approves a draft and carries it out, in the name of the person and with its rights. Approving an approved
/// draft again returns it.
///
/// # Errors
/// `Draft` if the person can see no such draft, may not approve it, or it was decided otherwise or is being
/// carried out; or the refusal of the change, after which the draft waits as before.
pub async fn approve(
    app: &App,
    person: DraftPerson<'_>,
    id: &str,
    count_report: CountReport<'_>,
) -> Result<Draft, Refusal> {
    let now = app.state.clock.now();
    let stored = find_settled(&app.state, person, id, now).await?;
    if stored.draft.state == DraftState::Approved {
        return Ok(stored.draft);
    }
    person.check_may_approve(stored.draft.kind, stored.draft.decider)?;
    if let Some(claimed) = claim(&app.state, person, stored.draft, now).await? {
        let carried_out = Box::pin(carry_out(app, person, &claimed.draft, count_report));
        let outcome = timeout(APPROVAL_TIMEOUT, carried_out).await.unwrap_or(Err(Refusal::Uncertain));
        store_outcome(&app.state, person, &claimed, outcome).await?;
    }
    find_visible(&app.state, person, id).await.map(|stored| stored.seen_at(app.state.clock.now()))
}

/// Returns a draft that a person can see, after an interrupted approval has got its outcome.
pub(super) async fn find_settled(
    state: &AppState,
    person: DraftPerson<'_>,
    id: &str,
    now: DateTime<Utc>,
) -> Result<StoredDraft, Refusal> {
    let stored = find_visible(state, person, id).await?;
    if !stored.is_interrupted(now) {
        return Ok(stored);
    }
    settle(state, Some(id), now - INTERRUPTED_AFTER).await?;
    find_visible(state, person, id).await
}

/// Claims a draft. `None` if it was approved meanwhile.
async fn claim(
    state: &AppState,
    person: DraftPerson<'_>,
    draft: Draft,
    now: DateTime<Utc>,
) -> Result<Option<ClaimedDraft>, Refusal> {
    if let Some(claims) = decisions::claim(&state.pool, &draft.id, person, now).await? {
        return Ok(Some(ClaimedDraft { draft, at: now, is_repeated: claims > 1 }));
    }
    match find_visible(state, person, &draft.id).await?.seen_at(now).state {
        DraftState::Approved => Ok(None),
        DraftState::Approving => Err(DraftRefusal::BeingApproved.into()),
        // It was claimed by the other side.
        DraftState::Pending => Err(DraftRefusal::Interrupted.into()),
        DraftState::Rejected => Err(DraftRefusal::Rejected.into()),
        DraftState::Expired => Err(DraftRefusal::Expired.into()),
    }
}

/// Stores the outcome of an approval. If it is not known whether the change was made, the draft stays claimed
/// until it counts as interrupted.
async fn store_outcome(
    state: &AppState,
    person: DraftPerson<'_>,
    claimed: &ClaimedDraft,
    outcome: Result<Option<Value>, Refusal>,
) -> Result<(), Refusal> {
    match outcome {
        Ok(result) => finish(state, person, claimed, result.as_ref()).await,
        // The interrupted approval has filed the report.
        Err(Refusal::AlreadyReported) if claimed.is_repeated => finish(state, person, claimed, None).await,
        Err(Refusal::Uncertain) => Err(Refusal::Uncertain),
        Err(refusal) => {
            // The change may have been made before something else failed, such as reading it again.
            if decisions::was_made(&state.pool, &claimed.draft.id, claimed.at).await? {
                return finish(state, person, claimed, None).await;
            }
            decisions::release(&state.pool, &claimed.draft.id, claimed.at, &refusal.to_string()).await?;
            Err(refusal)
        }
    }
}

/// Marks a draft as approved. The decision of an operator is audited in the same transaction.
async fn finish(
    state: &AppState,
    person: DraftPerson<'_>,
    claimed: &ClaimedDraft,
    result: Option<&Value>,
) -> Result<(), Refusal> {
    let mut transaction = state.pool.begin().await?;
    let now = state.clock.now();
    let is_finished = decisions::finish(&mut transaction, &claimed.draft.id, claimed.at, result, now).await?;
    if is_finished && let Some(operator) = person.operator() {
        let decision = Decision::new(operator, &claimed.draft, DraftState::Approved);
        Decision { result, ..decision }.record(state, &mut transaction).await?;
    }
    database::commit(transaction).await
}
