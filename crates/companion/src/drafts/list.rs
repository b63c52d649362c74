//! Lists drafts.

use std::collections::HashMap;

use caraplace_accounts::visitor::Visitor;
use caraplace_log::state::AppState;
use chrono::{DateTime, Utc};
use platform::refusal::{DraftRefusal, InputError, InputErrorKind, Refusal};
use serde::Serialize;
use utoipa::ToSchema;

use super::access::DraftPerson;
use super::decision::settle;
use super::store::DraftFilter;
use super::{Draft, DraftDecider, INTERRUPTED_AFTER, StoredDraft, store};

/// A page of drafts.
#[derive(Debug, Serialize, ToSchema)]
pub struct DraftPage {
    /// Newest first.
    pub drafts: Vec<Draft>,
    /// The `before` of the next page with older drafts; null on the last page.
    pub next_before: Option<String>,
}

/// Returns a page of a visitor's drafts, newest first.
///
/// # Errors
/// `Input` if `before` is no draft of the visitor.
pub async fn list(
    state: &AppState,
    visitor: &Visitor,
    before: Option<&str>,
    limit: i64,
) -> Result<DraftPage, Refusal> {
    let is_own = |stored: &StoredDraft| DraftPerson::Visitor(visitor).check_may_see(stored).is_ok();
    page(state, DraftFilter::Of(visitor.owner), before, is_own, limit).await
}

/// Returns a page of the operators' queue, newest first: with `is_waiting` the drafts that wait for a
/// decision, otherwise those that waited for one before.
///
/// # Errors
/// `Input` if `before` is no draft of the queue.
pub async fn list_queue(
    state: &AppState,
    is_waiting: bool,
    before: Option<&str>,
    limit: i64,
) -> Result<DraftPage, Refusal> {
    let is_in_queue = |stored: &StoredDraft| stored.draft.decider == DraftDecider::Operator;
    page(state, DraftFilter::Queue { is_waiting }, before, is_in_queue, limit).await
}

async fn page(
    state: &AppState,
    filter: DraftFilter,
    before: Option<&str>,
    is_listed: impl Fn(&StoredDraft) -> bool,
    limit: i64,
) -> Result<DraftPage, Refusal> {
    let before = match before {
        Some(id) => find_stored(state, id).await?.filter(is_listed).ok_or_else(bad_cursor)?.no,
        None => i64::MAX,
    };
    let now = state.clock.now();
    let mut stored = store::list(&state.pool, filter, before, limit + 1, now).await?;
    if settle_interrupted(state, &stored, now).await? {
        stored = store::list(&state.pool, filter, before, limit + 1, now).await?;
    }
    let has_older = stored.len() as i64 > limit;
    stored.truncate(limit as usize);
    let drafts: Vec<Draft> = stored.into_iter().map(|stored| stored.seen_at(now)).collect();
    Ok(DraftPage { next_before: drafts.last().filter(|_| has_older).map(|draft| draft.id.clone()), drafts })
}

/// Gives interrupted approvals their outcome if the change was made. Returns true if there are interrupted
/// ones among these drafts.
async fn settle_interrupted(
    state: &AppState,
    stored: &[StoredDraft],
    now: DateTime<Utc>,
) -> Result<bool, Refusal> {
    if !stored.iter().any(|stored| stored.is_interrupted(now)) {
        return Ok(false);
    }
    settle(state, None, now - INTERRUPTED_AFTER).await?;
    Ok(true)
}

fn bad_cursor() -> Refusal {
    let detail = "before is not a draft of this list.";
    InputError::for_field(InputErrorKind::BadCursor, "before", detail).into()
}

/// Returns the drafts with these ids, in their order. Drafts that no longer exist are left out.
pub(crate) async fn find_by_ids(state: &AppState, ids: &[String]) -> Result<Vec<Draft>, Refusal> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let now = state.clock.now();
    let mut stored = store::find(&state.pool, ids).await?;
    if settle_interrupted(state, &stored, now).await? {
        stored = store::find(&state.pool, ids).await?;
    }
    let found = stored.into_iter().map(|stored| stored.seen_at(now));
    let mut by_id: HashMap<String, Draft> = found.map(|draft| (draft.id.clone(), draft)).collect();
    Ok(ids.iter().filter_map(|id| by_id.remove(id)).collect())
}

/// Returns the number of drafts that wait for operators.
pub async fn count_queue(state: &AppState) -> Result<i64, Refusal> {
    Ok(store::count_queue(&state.pool, state.clock.now()).await?)
}

/// Returns a draft that a person can see.
///
/// # Errors
/// `Draft` if there is none.
pub(super) async fn find_visible(
    state: &AppState,
    person: DraftPerson<'_>,
    id: &str,
) -> Result<StoredDraft, Refusal> {
    let stored = find_stored(state, id).await?.ok_or(DraftRefusal::NotFound)?;
    person.check_may_see(&stored)?;
    Ok(stored)
}

async fn find_stored(state: &AppState, id: &str) -> Result<Option<StoredDraft>, Refusal> {
    // PostgreSQL would refuse it.
    if id.contains('\0') {
        return Ok(None);
    }
    Ok(store::find(&state.pool, &[id.to_owned()]).await?.pop())
}
