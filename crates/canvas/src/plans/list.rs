//! Lists plans: live ones from memory, with exact progress, and ended ones from their rows.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::slice;
use std::sync::Arc;

use caraplace_accounts::agents::accounts;
use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use caraplace_log::world::World;
use platform::refusal::{InputError, InputErrorKind, Refusal};
use rules::grid::{Corners, Point, Rect, Size};
use rules::ids::{CrewId, PlanId};
use rules::numbers::Seq;
use rules::plan::record::{PlanRecord, PlanView};
use rules::plan::{PlanState, Progress};
use serde::Serialize;
use utoipa::ToSchema;

use super::board::{LivePlan, PlanBoard};
use super::read::plan_as_seen_by;
use super::store::{PlanFilter, PlanRow};
use super::views::{find_stored_plan, find_stored_plans, plan_views};
use super::{PlanSummary, store};

/// The maximum number of plans in a page.
pub const MAX_LIMIT: usize = 100;
/// The maximum number of ended plans, and of plans that not everyone can see, that are sorted by distance:
/// the newest.
const MAX_SORTED_PLANS: usize = 2_000;

/// The selection of plans.
#[derive(Clone, Debug, Default)]
pub struct PlanQuery {
    /// `None` for plans in any state.
    pub state: Option<PlanState>,
    /// The point from which the nearest come first; without it, those that most painters help do.
    pub near: Option<Point>,
    /// The id or the name of an author; `None` for all authors.
    pub author: Option<String>,
    /// `None` for plans of all crews and of none.
    pub crew: Option<CrewId>,
    pub limit: usize,
    /// Only plans after this one in the order of the list.
    pub before: Option<PlanId>,
}

/// A page of plans.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct PlanPage {
    /// The nearest first if `near` was given, then those with right pixels of most painters other than their
    /// authors, then the newest first. Those of one author or one crew: only the newest first.
    pub plans: Vec<PlanSummary>,
    /// The `before` of the next page; null if there are no more plans.
    pub next_before: Option<String>,
}

/// The position of a plan in a list: by distance if that matters, then by the number of painters other than
/// the author if that matters, then the newest first. The newest has the highest number of an event; a plan
/// that not everyone can see comes after an event, by the number of such plans.
///
/// The painters of plans change, so a plan can be on two pages or on none. A plan that nobody paints can
/// never come before those that others paint, however many of its kind there are.
type ListPosition = (u16, Reverse<usize>, Reverse<(Seq, i64)>);

/// A plan in a list, with its progress if that is known in memory.
struct ListEntry {
    position: ListPosition,
    no: i64,
    id: String,
    live: Option<(Arc<PlanRecord>, Progress)>,
}

/// The selection of a page, with the author and the cursor looked up.
struct PageSelection<'a> {
    query: &'a PlanQuery,
    caller: Option<&'a Identity>,
    /// `None` for all authors.
    author_id: Option<String>,
    /// `None` for the first page.
    cursor: Option<ListPosition>,
}

/// Returns a page of the plans that the caller can see.
///
/// # Errors
/// `Input` if `before` is no such plan.
pub async fn list_plans(
    state: &AppState,
    caller: Option<&Identity>,
    query: &PlanQuery,
) -> Result<PlanPage, Refusal> {
    // As for a single plan, an instance that cannot catch up lists them as it knows them.
    state.log.catch_up_if_behind().await.ok();
    let author_id = match &query.author {
        Some(author) => match accounts::find_id(state, author).await? {
            Some(id) => Some(id),
            None => return Ok(PlanPage::default()),
        },
        None => None,
    };
    let cursor = find_cursor(state, caller, query).await?;
    let selection = PageSelection { query, caller, author_id, cursor };
    // Memory first: a plan that ends meanwhile is then in one of both.
    let mut entries = selection.live_entries(state).await?;
    let stored = selection.stored_entries(state).await?;
    let stored_numbers: HashSet<i64> = stored.iter().map(|entry| entry.no).collect();
    entries.retain(|entry| !stored_numbers.contains(&entry.no));
    entries.extend(stored);
    entries.retain(|entry| cursor.is_none_or(|cursor| entry.position > cursor));
    entries.sort_by_key(|entry| entry.position);
    let has_more = entries.len() > query.limit;
    entries.truncate(query.limit);
    let next_before = entries.last().filter(|_| has_more).map(|entry| entry.id.clone());
    Ok(PlanPage { plans: selection.read_summaries(state, entries).await?, next_before })
}

/// Returns the position after which the page begins; `None` for the first page.
async fn find_cursor(
    state: &AppState,
    caller: Option<&Identity>,
    query: &PlanQuery,
) -> Result<Option<ListPosition>, Refusal> {
    let Some(id) = &query.before else { return Ok(None) };
    let record = find_stored_plan(state, id).await?;
    let record = record.and_then(|record| plan_as_seen_by(&record, caller)).ok_or_else(bad_cursor)?;
    let painters = if record.no > 0 && !record.audience.is_everyone() {
        // Only the caller sees this picture, which is not in memory.
        let views = plan_views(state, slice::from_ref(&record), state.clock.now()).await?;
        views.first().map_or(0, count_other_helpers)
    } else {
        state.read_world(|world| count_other_painters(world, &record))
    };
    Ok(Some(query.position_of(&record, painters)))
}

/// Returns the refusal of a cursor.
pub fn bad_cursor() -> Refusal {
    let detail = "There is no plan with the id in before.";
    InputError::for_field(InputErrorKind::BadCursor, "before", detail).into()
}

/// Returns the number of painters other than the author of a plan. Those of plans that not everyone can see
/// are not counted.
fn count_other_painters(world: &World, record: &PlanRecord) -> usize {
    match &record.end {
        _ if record.no <= 0 => 0,
        Some(end) => end.helpers.iter().filter(|helper| helper.painter != record.author.no).count(),
        None => PlanBoard::of(world).get(record.no).map_or(0, LivePlan::other_painters),
    }
}

/// Returns the number of painters other than the author that have right pixels in a plan.
fn count_other_helpers(view: &PlanView) -> usize {
    view.helpers.iter().filter(|helper| helper.painter != view.record.author.no).count()
}

impl PlanQuery {
    /// Returns true if the number of painters matters. Strangers cannot fill the list of an author or of a
    /// crew.
    fn is_ranked(&self) -> bool {
        self.author.is_none() && self.crew.is_none()
    }

    fn position_of(&self, record: &PlanRecord, painters: usize) -> ListPosition {
        self.position(record.target.area(), painters, record.no, record.target_seq)
    }

    /// Returns the position of a plan with this area, number and number of the event that set its picture.
    fn position(&self, area: Rect, painters: usize, no: i64, target_seq: Seq) -> ListPosition {
        let number = if no > 0 { (Seq(no), 0) } else { (target_seq, -no) };
        let distance = self.near.map_or(0, |point| area.distance_to(point));
        (distance, Reverse(if self.is_ranked() { painters } else { 0 }), Reverse(number))
    }
}

impl PageSelection<'_> {
    /// Returns the public live plans that may be on the page.
    async fn live_entries(&self, state: &AppState) -> Result<Vec<ListEntry>, Refusal> {
        let query = self.query;
        let now = state.clock.now();
        let crew = query.crew.as_ref().map(CrewId::as_str);
        let is_by_author = |plan: &&LivePlan| {
            self.author_id.as_deref().is_none_or(|author| *plan.record.author.id == *author)
        };
        let is_of_crew = |plan: &&LivePlan| {
            crew.is_none_or(|crew| plan.record.crew.as_ref().is_some_and(|known| known.id == crew))
        };
        // Everything else happens outside the lock, for which placements wait.
        let mut plans: Vec<(Arc<PlanRecord>, Progress, usize)> = state.read_world(|world| {
            let plans = PlanBoard::of(world).iter().rev().filter(is_by_author).filter(is_of_crew);
            plans.map(|plan| (plan.record.clone(), plan.progress(), plan.other_painters())).collect()
        });
        self.replace_own_plans(state, &mut plans).await?;
        let has_state = |(record, progress, _): &(Arc<PlanRecord>, Progress, usize)| {
            query.state.is_none_or(|state| record.state_with(*progress, now) == state)
        };
        let to_entry = |(record, progress, painters): (Arc<PlanRecord>, Progress, usize)| ListEntry {
            position: query.position_of(&record, painters),
            no: record.no,
            id: record.id.clone(),
            live: Some((record, progress)),
        };
        Ok(plans.into_iter().filter(has_state).map(to_entry).collect())
    }

    /// Replaces the plans of a shadow-banned caller with what it sees, which is not in memory.
    async fn replace_own_plans(
        &self,
        state: &AppState,
        plans: &mut [(Arc<PlanRecord>, Progress, usize)],
    ) -> Result<(), Refusal> {
        let Some(caller) = self.caller.filter(|caller| caller.rights.shadowed) else { return Ok(()) };
        // Of the plans of its crews, the caller has changed few.
        let changed = store::plans_changed_by_member(&state.pool, caller.no).await?;
        let may_differ = |record: &PlanRecord| record.author.no == caller.no || changed.contains(&record.id);
        let own = plans.iter().filter(|(record, _, _)| may_differ(record));
        let ids: Vec<String> = own.map(|(record, _, _)| record.id.clone()).collect();
        let records = find_stored_plans(state, &ids).await?;
        let seen: Vec<_> =
            records.values().filter_map(|record| plan_as_seen_by(record, self.caller)).collect();
        for view in plan_views(state, &seen, state.clock.now()).await? {
            if let Some(plan) = plans.iter_mut().find(|(record, _, _)| record.no == view.record.no) {
                plan.2 = count_other_helpers(&view);
                plan.1 = view.progress;
                plan.0 = view.record;
            }
        }
        Ok(())
    }

    /// Returns the ended plans that may be on the page, and those that the caller can see and not everyone.
    async fn stored_entries(&self, state: &AppState) -> Result<Vec<ListEntry>, Refusal> {
        let query = self.query;
        let filter = PlanFilter {
            state: query.state.map(PlanState::name),
            author: self.author_id.as_deref(),
            crew: query.crew.as_ref().map(CrewId::as_str),
        };
        let mut rows = Vec::new();
        if query.state != Some(PlanState::Open) {
            let ((painters, before), count) = match (query.near, self.cursor) {
                (Some(_), _) => ((i32::MAX, Seq::MAX), MAX_SORTED_PLANS),
                (None, None) => ((i32::MAX, Seq::MAX), query.limit + 1),
                (None, Some((_, Reverse(painters), Reverse((seq, shadow_no))))) => {
                    let before = if shadow_no > 0 { seq.next() } else { seq };
                    ((i32::try_from(painters).unwrap_or(i32::MAX), before), query.limit + 1)
                }
            };
            rows = if query.is_ranked() {
                store::ended_ranked_rows(&state.pool, filter.state, painters, before, count as i64).await?
            } else {
                store::ended_rows(&state.pool, filter, before, count as i64).await?
            };
        }
        if let Some(caller) = self.caller {
            rows.extend(self.unlisted_rows(state, caller, filter).await?);
        }
        Ok(rows.into_iter().filter_map(|row| row.into_entry(query)).collect())
    }

    /// Returns the plans that may be on the page and that the caller can see and not everyone.
    async fn unlisted_rows(
        &self,
        state: &AppState,
        caller: &Identity,
        filter: PlanFilter<'_>,
    ) -> Result<Vec<PlanRow>, Refusal> {
        let ((mut target_seq, mut shadow_no), count) = match (self.query.near, self.cursor) {
            (Some(_), _) => ((Seq::MAX, 0), MAX_SORTED_PLANS),
            // Their painters are not counted, so that all come after plans with painters.
            (None, None | Some((_, Reverse(1..), _))) => ((Seq::MAX, 0), self.query.limit + 1),
            (None, Some((_, _, Reverse(position)))) => (position, self.query.limit + 1),
        };
        let mut found = Vec::new();
        // Live plans may be in another state, and others come after them.
        loop {
            let rows =
                store::unlisted_rows(&state.pool, caller.no, filter, target_seq, shadow_no, count as i64)
                    .await?;
            let is_last = rows.len() < count;
            if let Some(last) = rows.last() {
                target_seq = last.target_seq;
                shadow_no = -last.no;
            }
            found.extend(self.with_state(state, rows).await?);
            if is_last || found.len() >= count {
                return Ok(found);
            }
        }
    }

    /// Returns those of these rows whose plans are in the wanted state. Ended ones are.
    async fn with_state(&self, state: &AppState, mut rows: Vec<PlanRow>) -> Result<Vec<PlanRow>, Refusal> {
        let Some(wanted) = self.query.state else { return Ok(rows) };
        let live = rows.iter().filter(|row| row.is_live);
        let ids: Vec<String> = live.map(|row| row.id.clone()).collect();
        let records: Vec<_> = find_stored_plans(state, &ids).await?.into_values().collect();
        let views = plan_views(state, &records, state.clock.now()).await?;
        let in_state = views.iter().filter(|view| view.state == wanted);
        let ids: HashSet<&str> = in_state.map(|view| &*view.record.id).collect();
        rows.retain(|row| !row.is_live || ids.contains(&*row.id));
        Ok(rows)
    }

    /// Returns the plans of these entries, in the same order. Those that were just hidden are left out.
    async fn read_summaries(
        &self,
        state: &AppState,
        entries: Vec<ListEntry>,
    ) -> Result<Vec<PlanSummary>, Refusal> {
        let stored = entries.iter().filter(|entry| entry.live.is_none());
        let ids: Vec<String> = stored.map(|entry| entry.id.clone()).collect();
        let records = find_stored_plans(state, &ids).await?.into_values();
        let records: Vec<_> = records.filter_map(|record| plan_as_seen_by(&record, self.caller)).collect();
        let now = state.clock.now();
        let views = plan_views(state, &records, now).await?.into_iter();
        let mut stored: HashMap<String, PlanView> =
            views.map(|view| (view.record.id.clone(), view)).collect();
        let to_view = |entry: ListEntry| match entry.live {
            Some((record, progress)) => {
                let state = record.state_with(progress, now);
                Some(PlanView { record, state, progress, helpers: Vec::new() })
            }
            None => stored.remove(&entry.id),
        };
        Ok(entries.into_iter().filter_map(to_view).map(|view| PlanSummary::from_view(&view)).collect())
    }
}

impl PlanRow {
    /// Returns the plan's entry in a list; `None` if the row was damaged outside of this program.
    fn into_entry(self, query: &PlanQuery) -> Option<ListEntry> {
        let x1 = i64::from(self.x);
        let y1 = i64::from(self.y);
        let x2 = x1 + i64::from(self.width) - 1;
        let y2 = y1 + i64::from(self.height) - 1;
        // The canvas of its season may have been larger than the present one.
        let everywhere = Size { width: u16::MAX, height: u16::MAX };
        let area = everywhere.rect(Corners { x1, y1, x2, y2 })?;
        let painters = usize::try_from(self.painters).unwrap_or_default();
        let position = query.position(area, painters, self.no, self.target_seq);
        Some(ListEntry { position, no: self.no, id: self.id, live: None })
    }
}
