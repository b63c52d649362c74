//! Lists intents. They are advice for agents; no rule depends on them.

use std::cmp::Reverse;

use rules::grid::{Corners, Point, Size};
use rules::ids::MessageId;
use rules::message::Message;
use serde::Serialize;
use utoipa::ToSchema;

use super::store;
use crate::log::key_cache::Agent;
use crate::log::live_intents::LiveIntent;
use crate::refusal::{InputError, InputErrorKind, Refusal};
use crate::schema::MessageSchema;
use crate::state::AppState;

/// The number of intents in a page by default.
pub const DEFAULT_LIMIT: usize = 50;
/// The maximum number of intents in a page.
pub const MAX_LIMIT: usize = 100;
/// The maximum number of shadow messages that are searched for live intents.
const MAX_SHADOW_MESSAGES: i64 = 200;
/// The maximum number of intents that are sorted by distance: the newest.
const MAX_SORTED_INTENTS: i64 = 2_000;

/// The selection of intents.
#[derive(Clone, Debug)]
pub struct IntentQuery {
    /// The point from which the nearest come first; without it, the newest do.
    pub near: Option<Point>,
    /// True for live intents only.
    pub only_open: bool,
    pub limit: usize,
    /// Only intents after this one in the order of the list.
    pub before: Option<MessageId>,
}

/// A page of intents.
#[derive(Debug, Serialize, ToSchema)]
pub struct IntentPage {
    /// The nearest first if `near` was given, otherwise the newest first.
    #[schema(value_type = Vec<MessageSchema>)]
    pub intents: Vec<Message>,
    /// The `before` of the next page; null if there are no more intents.
    pub next_before: Option<String>,
}

/// An intent before its text is read.
pub(super) struct IntentRow {
    pub id: String,
    pub seq: i64,
    /// Four numbers per region: x1, y1, x2, y2.
    pub regions: Option<Vec<i32>>,
}

/// The position of an intent in a list: by distance if that matters, then the newest first.
type ListPosition = (u16, Reverse<i64>);

impl IntentRow {
    fn position(&self, size: Size, near: Option<Point>) -> ListPosition {
        let distances = self.regions.as_deref().unwrap_or_default().as_chunks::<4>().0.iter();
        let distances = distances.filter_map(|sides| {
            let [x1, y1, x2, y2] = sides.map(i64::from);
            Some(size.rect(Corners { x1, y1, x2, y2 })?.distance_to(near?))
        });
        // Intents without a region come last.
        (near.map_or(0, |_| distances.min().unwrap_or(u16::MAX)), Reverse(self.seq))
    }
}

/// Returns the live intents, newest first, or none while the chat is switched off.
pub fn live(state: &AppState) -> Vec<LiveIntent> {
    if !state.game().chat_enabled {
        return Vec::new();
    }
    let now = state.clock.now();
    state.read_world(|world| world.live_intents(now).cloned().collect())
}

/// Returns a page of the season's intents. A shadow-banned caller also gets its own live ones.
///
/// # Errors
/// Returns `Input` if `before` is no message, or the error of the database.
pub async fn page(
    state: &AppState,
    caller: Option<&Agent>,
    query: &IntentQuery,
) -> Result<IntentPage, Refusal> {
    let mut rows = find_rows(state, query).await?;
    let has_more = rows.len() > query.limit;
    rows.truncate(query.limit);
    let next_before = rows.last().filter(|_| has_more).map(|row| row.id.clone());
    let seqs: Vec<i64> = rows.iter().map(|row| row.seq).collect();
    let mut intents = state.log.messages_by_seqs(&seqs).await?;
    intents.sort_by_key(|message| seqs.iter().position(|seq| *seq == message.seq));
    if let Some(author) = caller.filter(|caller| caller.rights.shadowed && query.before.is_none()) {
        intents.splice(0..0, own_shadow_intents(state, author).await?);
    }
    Ok(IntentPage { intents, next_before })
}

/// Returns the rows of a page in the order of the list, and one more if there are more.
async fn find_rows(state: &AppState, query: &IntentQuery) -> Result<Vec<IntentRow>, Refusal> {
    let (season, size) = state.read_world(|world| (world.season.seq, world.season.size));
    let cursor = match &query.before {
        Some(id) => Some(store::find_intent_cursor(&state.pool, id).await?.ok_or_else(bad_cursor)?),
        None => None,
    };
    let live_at = query.only_open.then(|| state.clock.now());
    let page_limit = query.limit as i64 + 1;
    // In the order of distance, the cursor is not a number up to which the database could search.
    let (before_seq, max_rows) = match query.near {
        Some(_) => (i64::MAX, MAX_SORTED_INTENTS),
        None => (cursor.as_ref().map_or(i64::MAX, |row| row.seq), page_limit),
    };
    let mut rows = store::intent_rows(&state.pool, (season, before_seq), live_at, max_rows).await?;
    let position = |row: &IntentRow| row.position(size, query.near);
    let cursor_position = cursor.as_ref().map(position);
    rows.retain(|row| cursor_position.is_none_or(|cursor| position(row) > cursor));
    rows.sort_by_key(position);
    rows.truncate(query.limit + 1);
    Ok(rows)
}

fn bad_cursor() -> InputError {
    let detail = "There is no message with the id in before.";
    InputError::for_field(InputErrorKind::BadCursor, "before", detail)
}

/// Returns an author's live intents that only it can see, newest first.
///
/// # Errors
/// Returns the error of the database.
pub async fn own_shadow_intents(state: &AppState, author: &Agent) -> Result<Vec<Message>, Refusal> {
    let (season, now) = (state.read_world(|world| world.season.seq), state.clock.now());
    let shadow_messages =
        state.log.shadow_messages(author.no, season, (i64::MAX, 0), MAX_SHADOW_MESSAGES).await?;
    let is_live = |message: &Message| message.intent.as_ref().is_some_and(|intent| intent.is_live(now));
    let messages = shadow_messages.into_iter().map(|shadow| Message::clone(&shadow.message));
    Ok(messages.filter(is_live).collect())
}
