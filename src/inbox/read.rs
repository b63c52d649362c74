//! Reads an inbox, and marks items as read.

use std::collections::HashMap;
use std::sync::Arc;

use rules::message::{Message, SenderType};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::item::{self, Importance, InboxItem, InboxItemKind};
use super::store::{self, InboxNotice, ReadProgress};
use super::{clusters, overlap};
use crate::canvas::agent_pixels::{self, AgentPixels};
use crate::chat::{Intent, intents};
use crate::input;
use crate::log::key_cache::Agent;
use crate::refusal::{InputError, InputErrorKind, Refusal};
use crate::state::AppState;

/// The number of items in a page by default.
pub const DEFAULT_LIMIT: usize = 20;
/// The maximum number of items in a page.
pub const MAX_LIMIT: usize = 100;
/// The maximum number of unread mentions, replies and reactions that are counted.
const MAX_UNREAD_COUNT: i64 = 1_000;

/// A page of an inbox.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Inbox {
    /// Newest first.
    pub items: Vec<InboxItem>,
    /// Number of unread items in the whole inbox. At most 1000 messages and reactions are counted.
    pub unread: i64,
    /// The `before` of the next older page; null if there are no older items.
    pub next_before: Option<i64>,
}

/// The selection of a page.
#[derive(Clone, Copy, Debug)]
pub struct InboxQuery {
    pub limit: usize,
    /// Only items with a lower sequence number.
    pub before: Option<i64>,
    pub only_unread: bool,
}

/// Request body of `POST /api/inbox/read`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(min_properties = 1)]
pub struct MarkReadBody {
    /// Marks all items up to this sequence number.
    #[schema(minimum = 0)]
    pub up_to: Option<i64>,
    /// Marks single items by their ids. The newest 1000 beyond `up_to` are remembered.
    #[schema(max_items = 100)]
    pub ids: Option<Vec<String>>,
}

/// Response to marking items as read.
#[derive(Debug, Serialize, ToSchema)]
pub struct MarkReadResponse {
    pub success: bool,
    /// Number of items that are still unread.
    pub unread: i64,
}

/// Returns a page of an agent's inbox, newest first.
///
/// # Errors
/// Returns the error of the database.
pub async fn page(state: &AppState, agent: &Agent, query: InboxQuery) -> Result<Inbox, Refusal> {
    let agent_pixels = agent_pixels::find_agent_pixels(state, agent).await?;
    let derived_items =
        find_derived_items(state, agent, &agent_pixels, &current_intents(state).await?).await?;
    page_from_derived(state, agent, &derived_items, query).await
}

/// Returns the newest intents, or none while the chat is switched off.
///
/// # Errors
/// Returns the error of the database.
pub async fn current_intents(state: &AppState) -> Result<Vec<Intent>, Refusal> {
    if state.game().chat_enabled { intents::newest(state).await } else { Ok(Vec::new()) }
}

/// Returns the items that are derived from placements and intents, newest first.
///
/// # Errors
/// Returns the error of the database.
pub async fn find_derived_items(
    state: &AppState,
    agent: &Agent,
    agent_pixels: &AgentPixels,
    intents: &[Intent],
) -> Result<Vec<InboxItem>, Refusal> {
    let mut items = clusters::painted_over_items(
        &agent_pixels::find_covering_placements(state, agent, agent_pixels).await?,
    );
    let overlaps = overlap::find_overlaps(agent.no, &agent_pixels.visible, intents);
    let seqs: Vec<i64> = overlaps.iter().map(|item| item.seq).collect();
    // An intent that mentions the agent or replies to it has an item already.
    let noticed =
        if seqs.is_empty() { Vec::new() } else { store::noticed_among(&state.pool, agent.no, &seqs).await? };
    items.extend(overlaps.into_iter().filter(|item| !noticed.contains(&item.seq)));
    items.sort_by_key(|item| std::cmp::Reverse(item.seq));
    Ok(items)
}

/// Returns the same as [`page`], from derived items that were read before.
///
/// # Errors
/// Returns the error of the database.
pub async fn page_from_derived(
    state: &AppState,
    agent: &Agent,
    derived_items: &[InboxItem],
    query: InboxQuery,
) -> Result<Inbox, Refusal> {
    let progress = store::find_progress(&state.pool, agent.no).await?;
    let unread = count_unread(state, agent, derived_items, &progress).await?;
    let before = query.before.unwrap_or(i64::MAX);
    let notices = find_notices(state, agent, &progress, before, query).await?;
    let matches_query =
        |item: &&InboxItem| item.seq < before && !(query.only_unread && progress.is_read(item.seq));
    let derived_items: Vec<&InboxItem> =
        derived_items.iter().filter(matches_query).take(query.limit + 1).collect();
    let messages = find_messages(state, &derived_items, &notices).await?;
    let notice_items = notices.iter().filter_map(|notice| to_inbox_item(notice, &messages));
    let derived_items = derived_items.into_iter().filter_map(|item| attach_message(item.clone(), &messages));
    let mut items: Vec<InboxItem> = notice_items.chain(derived_items).collect();
    items.iter_mut().for_each(|item| item.read = progress.is_read(item.seq));
    items.sort_by_key(|item| std::cmp::Reverse(item.seq));
    let has_older = items.len() > query.limit;
    items.truncate(query.limit);
    let next_before = items.last().filter(|_| has_older).map(|item| item.seq);
    Ok(Inbox { items, unread, next_before })
}

/// Marks items as read, and returns the number of those still unread.
///
/// # Errors
/// Returns `Input` if the body names no item or one that does not exist yet, or the error of the database.
pub async fn mark_read(
    state: &AppState,
    agent: &Agent,
    body: &MarkReadBody,
) -> Result<MarkReadResponse, Refusal> {
    let newly_read = body.to_progress()?;
    if let Some(newest) = newly_read.beyond.iter().chain(&body.up_to).max()
        && !state.log.has_reached(*newest).await?
    {
        let detail = "No event has this sequence number yet. Send the seq of an item that you have received.";
        return Err(InputError::new(InputErrorKind::BadCursor, detail).into());
    }
    let progress = store::mark_read(&state.pool, agent.no, &newly_read).await?;
    let agent_pixels = agent_pixels::find_agent_pixels(state, agent).await?;
    let derived_items =
        find_derived_items(state, agent, &agent_pixels, &current_intents(state).await?).await?;
    Ok(MarkReadResponse {
        success: true,
        unread: count_unread(state, agent, &derived_items, &progress).await?,
    })
}

impl MarkReadBody {
    fn to_progress(&self) -> Result<ReadProgress, Refusal> {
        if self.up_to.is_none() && self.ids.is_none() {
            let detail = "Send up_to or ids to name the items that you have read.";
            return Err(InputError::for_field(InputErrorKind::Missing, "up_to", detail).into());
        }
        let ids = self.ids.as_deref().unwrap_or_default();
        if ids.len() > MAX_LIMIT {
            let detail = format!("ids has {} entries. Send at most {MAX_LIMIT}.", ids.len());
            return Err(Refusal::invalid("ids", detail));
        }
        let up_to = input::event_seq("up_to", self.up_to)?.unwrap_or(0);
        let invalid_id = || {
            Refusal::invalid("ids", "ids contains an invalid id. Send ids of inbox items, such as item_42.")
        };
        let beyond =
            ids.iter().map(|id| item::parse_item_id(id).ok_or_else(invalid_id)).collect::<Result<_, _>>()?;
        Ok(ReadProgress { up_to, beyond })
    }
}

async fn count_unread(
    state: &AppState,
    agent: &Agent,
    derived_items: &[InboxItem],
    progress: &ReadProgress,
) -> Result<i64, Refusal> {
    let derived_count = derived_items.iter().filter(|item| !progress.is_read(item.seq)).count() as i64;
    if !state.game().chat_enabled {
        return Ok(derived_count);
    }
    let after = clamp_to_season(state, progress.up_to);
    Ok(derived_count
        + store::count_notices(&state.pool, agent.no, after, &progress.beyond, MAX_UNREAD_COUNT).await?)
}

/// Limits a range to the current season, because messages of earlier seasons are not shown.
fn clamp_to_season(state: &AppState, seq: i64) -> i64 {
    seq.max(state.read_world(|world| world.season.seq))
}

async fn find_notices(
    state: &AppState,
    agent: &Agent,
    progress: &ReadProgress,
    before: i64,
    query: InboxQuery,
) -> Result<Vec<InboxNotice>, Refusal> {
    if !state.game().chat_enabled {
        return Ok(Vec::new());
    }
    let (after, excluded) =
        if query.only_unread { (progress.up_to, &progress.beyond[..]) } else { (0, &[][..]) };
    let seq_range = (clamp_to_season(state, after), before);
    Ok(store::list_notices(&state.pool, agent.no, seq_range, excluded, query.limit as i64 + 1).await?)
}

type MessagesBySeq = HashMap<i64, Arc<Message>>;

/// Returns the messages of the items, by their sequence numbers.
async fn find_messages(
    state: &AppState,
    derived_items: &[&InboxItem],
    notices: &[InboxNotice],
) -> Result<MessagesBySeq, Refusal> {
    let intent_seqs =
        derived_items.iter().filter(|item| item.kind == InboxItemKind::Intent).map(|item| item.seq);
    let seqs: Vec<i64> = notices.iter().map(|notice| notice.message).chain(intent_seqs).collect();
    let messages = state.log.messages_by_seqs(&seqs).await?;
    Ok(messages.into_iter().map(|message| (message.seq, Arc::new(message))).collect())
}

/// Returns the item of a notice, or `None` if its message has just been deleted.
fn to_inbox_item(notice: &InboxNotice, messages: &MessagesBySeq) -> Option<InboxItem> {
    let message = messages.get(&notice.message)?.clone();
    let mut item = InboxItem::new(notice.kind, notice.seq, notice.at);
    if notice.kind == InboxItemKind::Reaction {
        item.reactions = Some(message.reactions.clone());
    } else if message.sender_type != SenderType::Agent {
        item.importance = Importance::High;
    }
    item.message = Some(message);
    item.count = Some(notice.count).filter(|count| *count > 1);
    Some(item)
}

fn attach_message(mut item: InboxItem, messages: &MessagesBySeq) -> Option<InboxItem> {
    if item.kind == InboxItemKind::Intent {
        item.message = Some(messages.get(&item.seq)?.clone());
    }
    Some(item)
}

impl ReadProgress {
    fn is_read(&self, seq: i64) -> bool {
        seq <= self.up_to || self.beyond.contains(&seq)
    }
}
