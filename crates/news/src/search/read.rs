//! Runs searches.

use std::time::Duration;

use caraplace_accounts::agents::accounts;
use caraplace_canvas::history::point_in_time::PointInTime;
use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use caraplace_talk::channels::read_marks;
use chrono::{DateTime, Utc};
use platform::concurrency::join;
use platform::refusal::Refusal;
use platform::work_shares::WorkCaller;
use rules::numbers::{AccountNo, Seq};

use super::matches::find_ranges;
use super::shares::SearchShares;
use super::store::{self, FoundResult, SearchScope};
use super::{SearchCursor, SearchKind, SearchPage, SearchRequest, SearchResult};

/// The time that the database may take for all kinds of results together.
const TIME_LIMIT: Duration = Duration::from_secs(3);

/// Returns a page of results that the caller may see. Messages are not found while the chat is switched off.
/// Private messages on the page count as delivered to the caller.
///
/// # Errors
/// `SearchTooSlow`, `Work` or `Overloaded` if too many searches run.
pub async fn search(
    state: &AppState,
    work_caller: &WorkCaller,
    caller: Option<&Identity>,
    request: &SearchRequest,
) -> Result<SearchPage, Refusal> {
    if !request.terms.is_searchable() {
        return Ok(SearchPage::default());
    }
    let Some(scope) = find_scope(state, caller, request).await? else { return Ok(SearchPage::default()) };
    let is_chat_enabled = state.game().chat_enabled;
    let is_message = |kind: &SearchKind| matches!(kind, SearchKind::Chat | SearchKind::Messages);
    let can_find = |kind: &SearchKind| is_chat_enabled || !is_message(kind);
    let kinds: Vec<SearchKind> = request.kinds.iter().copied().filter(can_find).collect();
    let permit = state.service::<SearchShares>().acquire(work_caller).await?;
    let pool = state.pool.clone();
    // The database goes on if the client disconnects, so the permit is held until it has ended.
    let task = tokio::spawn(async move {
        let found = store::find(&pool, &kinds, &scope, TIME_LIMIT).await;
        drop(permit);
        found
    });
    let found = join("searching", task).await?.map_err(|error| match error {
        error if store::is_timeout(&error) => Refusal::SearchTooSlow,
        error => error.into(),
    })?;
    let page = build_page(request, found);
    if let Some(account) = caller {
        let private = page.results.iter().filter(|result| result.kind == SearchKind::Messages);
        let ids: Vec<String> = private.map(|result| result.id.clone()).collect();
        read_marks::record_delivery(state, account, &ids).await?;
    }
    Ok(page)
}

/// Returns the conditions of a search; `None` if nothing can meet them.
async fn find_scope(
    state: &AppState,
    caller: Option<&Identity>,
    request: &SearchRequest,
) -> Result<Option<SearchScope>, Refusal> {
    let author = match &request.author {
        Some(id_or_name) => match find_author(state, id_or_name).await? {
            Some(author) => Some(author),
            None => return Ok(None),
        },
        None => None,
    };
    let Some((first_seq, first_time)) = find_start(state, request.from).await? else { return Ok(None) };
    let Some((last_seq, last_time)) = find_end(state, request.to).await? else { return Ok(None) };
    Ok(Some(SearchScope {
        wanted: request.terms.to_tsquery(),
        exact: request.terms.to_exact_tsquery(),
        words: request.terms.wanted_words(),
        caller: caller.map(|caller| caller.no),
        own_view: caller.and_then(Identity::own_view),
        author,
        seqs: (first_seq, last_seq),
        times: (first_time, last_time),
        near: request.near.map(|point| (f64::from(point.x), f64::from(point.y))).unzip(),
        before: request.before.clone().map(|cursor| (cursor.score, cursor.id)).unzip(),
        season: state.read_world(|world| world.season.seq),
        now: state.clock.now(),
        limit: request.limit + 1,
    }))
}

async fn find_author(state: &AppState, id_or_name: &str) -> Result<Option<AccountNo>, Refusal> {
    let Some(id) = accounts::find_id(state, id_or_name).await? else { return Ok(None) };
    Ok(accounts::find(state, &id).await?.map(|account| account.no))
}

/// An end of a period: an event's number, and a time for what has no number.
type PeriodEnd = (Seq, Option<DateTime<Utc>>);

/// Returns the start of a period; `None` if it is after the newest event.
async fn find_start(state: &AppState, from: Option<PointInTime>) -> Result<Option<PeriodEnd>, Refusal> {
    Ok(match from {
        None | Some(PointInTime::Seq(Seq::ZERO)) => Some((Seq::ZERO, None)),
        Some(PointInTime::Time(time)) => Some((Seq::ZERO, Some(time))),
        Some(PointInTime::Seq(seq)) => {
            store::event_time(&state.pool, seq).await?.map(|time| (seq, Some(time)))
        }
    })
}

/// Returns the end of a period; `None` if it is before the first event.
async fn find_end(state: &AppState, to: Option<PointInTime>) -> Result<Option<PeriodEnd>, Refusal> {
    Ok(match to {
        None => Some((Seq::MAX, None)),
        Some(PointInTime::Seq(Seq::ZERO)) => None,
        Some(PointInTime::Time(time)) => Some((Seq::MAX, Some(time))),
        Some(PointInTime::Seq(seq)) => Some((seq, store::event_time(&state.pool, seq).await?)),
    })
}

/// Merges the results of all kinds into a page.
fn build_page(request: &SearchRequest, mut found: Vec<FoundResult>) -> SearchPage {
    found.sort_by(|FoundResult { row: a, .. }, FoundResult { row: b, .. }| {
        b.score.total_cmp(&a.score).then_with(|| b.id.cmp(&a.id))
    });
    let has_more = found.len() as i64 > request.limit;
    found.truncate(request.limit as usize);
    let result = |FoundResult { kind, row, crew_id, thread_id, conversation_id }: FoundResult| SearchResult {
        kind,
        ranges: find_ranges(&request.terms, &row.text),
        id: row.id,
        score: row.score,
        text: row.text,
        at: row.at,
        x: row.x,
        y: row.y,
        crew_id,
        thread_id,
        conversation_id,
    };
    let results: Vec<SearchResult> = found.into_iter().map(result).collect();
    let next_before = results.last().filter(|_| has_more).map(|last| SearchCursor::after(last).format());
    SearchPage { results, next_before }
}
