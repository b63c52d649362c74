//! Lists intents. They are advice for agents; no rule depends on them.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use caraplace_messages::chat::Chat;
use caraplace_messages::live_intents::LiveIntent;
use caraplace_messages::reads::messages_by_seqs;
use caraplace_messages::shadow::message::ShadowMessage;
use caraplace_messages::shadow::reads::{shadow_intent_messages, shadow_intents, shadow_view};
use chrono::{DateTime, TimeDelta};
use platform::refusal::Refusal;
use platform::schema::MessageSchema;
use rules::grid::{Corners, Point, Size};
use rules::ids::MessageId;
use rules::intent::{IntentDetails, MAX_LIFETIME_SECONDS};
use rules::message::Message;
use rules::numbers::{AccountNo, Seq};
use serde::Serialize;
use utoipa::ToSchema;

use super::read::bad_cursor;
use super::store::{self, IntentRow, SeasonRange};

/// The maximum number of intents that are sorted by distance, and of those that only their author can see:
/// the newest.
const MAX_SORTED_INTENTS: i64 = 2_000;
/// The longest time for which an intent is live after a change.
const MAX_LIFETIME: TimeDelta = TimeDelta::seconds(MAX_LIFETIME_SECONDS);

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

/// The position of an intent in a list: by distance if that matters, then the newest first. The last number
/// is that of a shadow message, or 0.
type ListPosition = (u16, Reverse<(Seq, i64)>);

/// An entry of a list with its position.
struct ListEntry {
    position: ListPosition,
    id: String,
    text: EntryText,
}

/// The message of an entry, or the number by which it is read.
enum EntryText {
    Seq(Seq),
    Shadow(Arc<Message>),
}

/// Returns the position of an intent with these regions. `seq` is the number of its event, or of the event
/// before it if it is a shadow message; `shadow_no` is the number of a shadow message, or 0.
fn list_position(
    size: Size,
    near: Option<Point>,
    regions: impl Iterator<Item = Corners>,
    seq: Seq,
    shadow_no: i64,
) -> ListPosition {
    let distances = regions.filter_map(|corners| Some(size.rect(corners)?.distance_to(near?)));
    // Intents without a region come last.
    (near.map_or(0, |_| distances.min().unwrap_or(u16::MAX)), Reverse((seq, shadow_no)))
}

impl IntentRow {
    fn position(&self, size: Size, near: Option<Point>) -> ListPosition {
        let sides = self.regions.as_deref().unwrap_or_default().as_chunks::<4>().0.iter();
        let regions = sides.map(|sides| {
            let [x1, y1, x2, y2] = sides.map(i64::from);
            Corners { x1, y1, x2, y2 }
        });
        list_position(size, near, regions, self.seq, 0)
    }
}

/// Returns the live intents as the caller sees them, newest first, or none while the chat is switched off.
///
/// # Errors
/// Returns the error of the database, which is queried for callers that are or were shadow-banned only.
pub async fn live(state: &AppState, caller: &Identity) -> Result<Vec<Arc<LiveIntent>>, Refusal> {
    if !state.game().chat_enabled {
        return Ok(Vec::new());
    }
    let now = state.clock.now();
    let mut live: Vec<_> = state.read_world(|world| Chat::of(world).live_intents(now).cloned().collect());
    if let Some(author) = caller.own_view() {
        add_own_view(state, author, &mut live).await?;
    }
    Ok(live)
}

/// Changes live intents to what their author sees of its own, and adds those that only it can see.
async fn add_own_view(
    state: &AppState,
    author: AccountNo,
    live: &mut Vec<Arc<LiveIntent>>,
) -> Result<(), Refusal> {
    let size = state.read_world(|world| world.season.size);
    let now = state.clock.now();
    let changed = shadow_intents(state, author, state.clock.now() - MAX_LIFETIME).await?;
    let own_view = |intent: &Arc<LiveIntent>| match changed.get(&intent.message.id) {
        Some(details) => {
            let message = Message { intent: Some(details.clone()), ..Message::clone(&intent.message) };
            LiveIntent::new(&message.into(), size).filter(|intent| now < intent.expires_at).map(Arc::new)
        }
        None => Some(intent.clone()),
    };
    let public = live.iter().filter_map(own_view).collect::<Vec<_>>();
    let own = own_shadow_messages(state, author, current_season(state), true).await?.into_iter();
    *live = own.filter_map(|shadow| LiveIntent::new(&shadow.message, size).map(Arc::new)).collect();
    live.extend(public);
    live.sort_by_key(|intent| Reverse(intent.message.seq));
    Ok(())
}

/// Returns a page of the season's intents. A shadow-banned caller finds its own among them.
///
/// # Errors
/// Returns `Input` if `before` is no message.
pub async fn page(
    state: &AppState,
    caller: Option<&Identity>,
    query: &IntentQuery,
) -> Result<IntentPage, Refusal> {
    let own_view = caller.and_then(Identity::own_view);
    let mut entries = match own_view {
        Some(author) => shadow_entries(state, author, query).await?,
        None => Vec::new(),
    };
    let cursor = find_cursor(state, query, &entries).await?;
    let changed = match own_view {
        Some(author) => shadow_intents(state, author, DateTime::UNIX_EPOCH).await?,
        None => HashMap::new(),
    };
    entries.extend(public_entries(state, query, cursor, &changed).await?);
    entries.retain(|entry| cursor.is_none_or(|cursor| entry.position > cursor));
    entries.sort_by_key(|entry| entry.position);
    let has_more = entries.len() > query.limit;
    entries.truncate(query.limit);
    let next_before = entries.last().filter(|_| has_more).map(|entry| entry.id.clone());
    let mut intents = read_texts(state, entries).await?;
    let view = shadow_view(state, own_view, intents.iter().map(|intent| intent.id.as_str())).await?;
    intents.iter_mut().for_each(|intent| view.apply(intent));
    Ok(IntentPage { intents, next_before })
}

/// Returns the position after which the page begins, or `None` for the first page.
async fn find_cursor(
    state: &AppState,
    query: &IntentQuery,
    own: &[ListEntry],
) -> Result<Option<ListPosition>, Refusal> {
    let Some(id) = &query.before else { return Ok(None) };
    if let Some(entry) = own.iter().find(|entry| entry.id == id.as_str()) {
        return Ok(Some(entry.position));
    }
    let row = store::find_intent_cursor(&state.pool, id).await?.ok_or_else(bad_cursor)?;
    Ok(Some(row.position(state.read_world(|world| world.season.size), query.near)))
}

/// Returns the public intents that may be on the page, given the details of those that the caller has changed
/// for itself alone.
async fn public_entries(
    state: &AppState,
    query: &IntentQuery,
    cursor: Option<ListPosition>,
    changed: &HashMap<String, IntentDetails>,
) -> Result<Vec<ListEntry>, Refusal> {
    let (season, size) = state.read_world(|world| (world.season.seq, world.season.size));
    let live_at = query.only_open.then(|| state.clock.now());
    // In the order of distance, the cursor is not a number up to which the database could search.
    let page_rows = (query.limit + 1 + changed.len()) as i64;
    let (before, max_rows) = match (query.near, cursor) {
        (Some(_), _) => (Seq::MAX, MAX_SORTED_INTENTS),
        (None, None) => (Seq::MAX, page_rows),
        (None, Some((_, Reverse((seq, shadow_no))))) => {
            (if shadow_no > 0 { seq.next() } else { seq }, page_rows)
        }
    };
    let rows = store::intent_rows(&state.pool, season, before, live_at, max_rows).await?;
    let to_entry = |row: IntentRow| {
        let own_details = changed.get(&row.id);
        // The caller has ended an intent that everyone else still sees open.
        own_details.filter(|_| query.only_open).is_none_or(|details| details.is_live(state.clock.now())).then(
            || {
                let position = match own_details {
                    Some(details) => {
                        list_position(size, query.near, details.regions.iter().copied(), row.seq, 0)
                    }
                    None => row.position(size, query.near),
                };
                ListEntry { position, id: row.id, text: EntryText::Seq(row.seq) }
            },
        )
    };
    Ok(rows.into_iter().filter_map(to_entry).collect())
}

/// Returns the intents that only their author can see.
async fn shadow_entries(
    state: &AppState,
    author: AccountNo,
    query: &IntentQuery,
) -> Result<Vec<ListEntry>, Refusal> {
    let size = state.read_world(|world| world.season.size);
    let to_entry = |shadow: ShadowMessage| {
        let message = shadow.message;
        let regions = message.regions().iter().copied();
        let position = list_position(size, query.near, regions, shadow.after_seq, shadow.no);
        ListEntry { position, id: message.id.clone(), text: EntryText::Shadow(message) }
    };
    let intents = own_shadow_messages(state, author, current_season(state), query.only_open).await?;
    Ok(intents.into_iter().map(to_entry).collect())
}

/// Returns the messages of these entries, in the same order. Those that were just hidden are left out.
async fn read_texts(state: &AppState, entries: Vec<ListEntry>) -> Result<Vec<Message>, Refusal> {
    let seqs: Vec<Seq> = entries
        .iter()
        .filter_map(|entry| match entry.text {
            EntryText::Seq(seq) => Some(seq),
            EntryText::Shadow(_) => None,
        })
        .collect();
    let messages = messages_by_seqs(state, &seqs).await?;
    let mut by_seq: HashMap<Seq, Message> =
        messages.into_iter().map(|message| (message.seq, message)).collect();
    let texts = entries.into_iter().filter_map(|entry| match entry.text {
        EntryText::Seq(seq) => by_seq.remove(&seq),
        EntryText::Shadow(message) => Some(Arc::unwrap_or_clone(message)),
    });
    Ok(texts.collect())
}

/// Returns an author's live intents that only it can see, newest first.
pub async fn own_shadow_intents(state: &AppState, author: AccountNo) -> Result<Vec<Message>, Refusal> {
    let shadow_messages = own_shadow_messages(state, author, current_season(state), true).await?;
    Ok(shadow_messages.into_iter().map(|shadow| Message::clone(&shadow.message)).collect())
}

/// Returns the range of events of the current season.
fn current_season(state: &AppState) -> SeasonRange {
    SeasonRange { opening: state.read_world(|world| world.season.seq), last: Seq::MAX }
}

/// Returns an author's newest intents of a season that only it can see, newest first: all, or the live ones.
pub(super) async fn own_shadow_messages(
    state: &AppState,
    author: AccountNo,
    season: SeasonRange,
    only_live: bool,
) -> Result<Vec<ShadowMessage>, Refusal> {
    let SeasonRange { opening, last } = season;
    let live_at = only_live.then(|| state.clock.now());
    shadow_intent_messages(state, author, opening, last, live_at, MAX_SORTED_INTENTS).await
}
