//! Reads an inbox, and marks items as read.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

use caraplace_canvas::agent_pixels::{self, AgentPixels};
use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use caraplace_messages::reads::messages_by_seqs;
use caraplace_messages::shadow::reads::shadow_view;
use caraplace_talk::chat::intents;
use caraplace_talk::read_state::{self, ReadItems, ReadState};
use chrono::{DateTime, Utc};
use platform::input;
use platform::refusal::{InputError, InputErrorKind, Refusal};
use rules::message::{Message, SenderType};
use rules::numbers::Seq;
use rules::rights::AccountKind;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::derived::{self, DerivedNews};
use super::item::{self, Importance, InboxItem, InboxItemKind, ItemSubject};
use super::private::{self, PrivateReads, ShownItems};
use super::store::{self, InboxNotice, UnreadNotices};

/// The maximum number of items in a page.
pub const MAX_LIMIT: usize = 100;
/// The maximum number of unread mentions, replies and reactions that are counted.
const MAX_UNREAD_COUNT: i64 = 1_000;

/// A page of an inbox.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Inbox {
    /// First the questions that wait for you, the most urgent first, then everything else, newest first.
    /// Private items are in the first page only, at most 20, until they are read; questions leave half of
    /// that to other ones.
    pub items: Vec<InboxItem>,
    /// Number of unread items in the whole inbox. At most 1000 messages and reactions are counted.
    pub unread: i64,
    /// The `before` of the next older page; null if there are no older items.
    #[schema(value_type = Option<i64>)]
    pub next_before: Option<Seq>,
}

/// The selection of a page.
#[derive(Clone, Copy, Debug)]
pub struct InboxQuery {
    pub limit: usize,
    /// Only items with a lower sequence number.
    pub before: Option<Seq>,
    pub only_unread: bool,
}

/// Request body of `POST /api/inbox/read`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(min_properties = 1)]
pub struct MarkReadBody {
    /// Marks all items up to this sequence number. Their messages are read in the chat, too. Private messages
    /// are marked as far as they were delivered to you.
    #[schema(value_type = Option<i64>, minimum = 0)]
    pub up_to: Option<Seq>,
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

/// Returns a page of an account's inbox: first the questions that wait, then everything else, newest first.
/// The first page has the private items, whose messages are delivered with it.
pub async fn page(state: &AppState, account: &Identity, query: InboxQuery) -> Result<Inbox, Refusal> {
    // Everything up to this number is in the page or older, so marking up to it loses nothing.
    let head = state.read_world(|world| world.head);
    let mut inbox = public_page(state, account, query).await?;
    if query.before.is_some() {
        inbox.unread += private::count(state, account).await?.total();
        return Ok(inbox);
    }
    let news = private::find_news(state, account, head).await?;
    inbox.unread += news.counts.total();
    let items = news.into_page(query.limit);
    private::record_delivery(state, account, &ShownItems::from_items(&items)).await?;
    Ok(inbox.with_private_items(items, query.limit))
}

/// Returns a page of the items that have events, newest first.
pub(crate) async fn public_page(
    state: &AppState,
    account: &Identity,
    query: InboxQuery,
) -> Result<Inbox, Refusal> {
    let news = find_news(state, account).await?;
    let read = read_state::current(state, account).await?;
    page_from_news(state, account, &news, &read, query).await
}

async fn find_news(state: &AppState, account: &Identity) -> Result<DerivedNews, Refusal> {
    let agent_pixels = match account.rights.kind {
        // A viewer paints nothing.
        AccountKind::Viewer => AgentPixels::default(),
        _ => agent_pixels::find_agent_pixels(state, account).await?,
    };
    derived::find_derived_news(state, account, &agent_pixels, &intents::live(state, account).await?).await
}

/// Returns the same as [`public_page`], from news and a read state that were found before.
pub(crate) async fn page_from_news(
    state: &AppState,
    account: &Identity,
    news: &DerivedNews,
    read: &ReadState,
    query: InboxQuery,
) -> Result<Inbox, Refusal> {
    let derived_items = news.items(read);
    let unread = count_unread(state, account, &derived_items, read).await?;
    let before = query.before.unwrap_or(Seq::MAX);
    let notices = find_notices(state, account, read, before, query).await?;
    let matches_query = |item: &&InboxItem| item.seq < before && !(query.only_unread && item.read);
    let derived_items: Vec<&InboxItem> =
        derived_items.iter().filter(matches_query).take(query.limit + 1).collect();
    let messages = find_messages(state, account, &derived_items, &notices).await?;
    let notice_items = notices.iter().filter_map(|notice| to_inbox_item(notice, &messages, read));
    let derived_items = derived_items.into_iter().filter_map(|item| attach_message(item.clone(), &messages));
    let mut items: Vec<InboxItem> = notice_items.chain(derived_items).collect();
    items.sort_by_key(|item| Reverse(item.seq));
    let has_older = items.len() > query.limit;
    items.truncate(query.limit);
    let next_before = items.last().filter(|_| has_older).map(|item| item.seq);
    Ok(Inbox { items, unread, next_before })
}

/// Marks items as read, and returns the number of those still unread. Private messages are marked as far as
/// they were delivered; a question stays until it is answered or declined.
///
/// # Errors
/// Returns `Input` if the body names no item or one that does not exist yet.
pub async fn mark_read(
    state: &AppState,
    account: &Identity,
    body: &MarkReadBody,
) -> Result<MarkReadResponse, Refusal> {
    let MarkedItems { up_to, seqs: items, subjects } = body.parse()?;
    let private_reads = if up_to.is_some() { PrivateReads::All } else { PrivateReads::Subjects(subjects) };
    if let Some(newest) = items.iter().chain(&up_to).max()
        && !state.log.has_reached(*newest).await?
    {
        let detail = "No event has this sequence number yet. Send the seq of an item that you have received.";
        return Err(InputError::new(InputErrorKind::BadCursor, detail).into());
    }
    let up_to = up_to.unwrap_or(Seq::ZERO);
    let news = find_news(state, account).await?;
    let messages = news.messages_among(|seq| seq <= up_to || items.contains(&seq));
    let read = read_state::mark_items(state, account, &ReadItems { up_to, items, messages }).await?;
    private::mark_read(state, account, &private_reads).await?;
    let public = count_unread(state, account, &news.items(&read), &read).await?;
    let unread = public + private::count(state, account).await?.total();
    Ok(MarkReadResponse { success: true, unread })
}

impl Inbox {
    /// Adds private items to the first page, which has at most `limit` items.
    fn with_private_items(mut self, private_items: Vec<InboxItem>, limit: usize) -> Self {
        let room = limit.saturating_sub(private_items.len());
        if let Some(first_cut) = self.items.get(room) {
            let last_shown = self.items.get(room.wrapping_sub(1));
            self.next_before = Some(last_shown.map_or(first_cut.seq.next(), |item| item.seq));
        }
        self.items.truncate(room);
        self.items.extend(private_items);
        // The questions stay in their own order, the most urgent first.
        self.items.sort_by_key(|item| match item.kind {
            InboxItemKind::Ask => (0, Reverse(DateTime::<Utc>::MIN_UTC)),
            _ => (1, Reverse(item.time)),
        });
        self
    }
}

/// The items that a request marks as read.
#[derive(Debug, PartialEq, Eq)]
struct MarkedItems {
    /// All items up to this number; `None` if single items only.
    up_to: Option<Seq>,
    /// The numbers of single items.
    seqs: Vec<Seq>,
    /// The subjects of single private items.
    subjects: Vec<String>,
}

impl MarkReadBody {
    fn parse(&self) -> Result<MarkedItems, Refusal> {
        if self.up_to.is_none() && self.ids.is_none() {
            let detail = "Send up_to or ids to name the items that you have read.";
            return Err(InputError::for_field(InputErrorKind::Missing, "up_to", detail).into());
        }
        let ids = self.ids.as_deref().unwrap_or_default();
        if ids.len() > MAX_LIMIT {
            let detail = format!("ids has {} entries. Send at most {MAX_LIMIT}.", ids.len());
            return Err(Refusal::invalid("ids", detail));
        }
        let up_to = input::event_seq("up_to", self.up_to)?;
        let invalid_id = || {
            Refusal::invalid("ids", "ids contains an invalid id. Send ids of inbox items, such as item_42.")
        };
        let mut marked = MarkedItems { up_to, seqs: Vec::new(), subjects: Vec::new() };
        for id in ids {
            match item::parse_item_id(id).ok_or_else(invalid_id)? {
                ItemSubject::Event(seq) => marked.seqs.push(seq),
                ItemSubject::Private(subject) => marked.subjects.push(subject),
            }
        }
        Ok(marked)
    }
}

/// Returns the number of unread items with events in an account's whole inbox.
pub(crate) async fn count_public_unread(
    state: &AppState,
    account: &Identity,
    read: &ReadState,
) -> Result<i64, Refusal> {
    let news = find_news(state, account).await?;
    count_unread(state, account, &news.items(read), read).await
}

/// Returns the number of unread mentions and replies; 0 while the chat is switched off.
pub(crate) async fn count_unread_addressed(
    state: &AppState,
    account: &Identity,
    read: &ReadState,
) -> Result<i64, Refusal> {
    if !state.game().chat_enabled {
        return Ok(0);
    }
    let unread = UnreadNotices { after: clamp_to_season(state, read.up_to), read };
    Ok(store::count_notices(&state.pool, account.no, &unread, true, MAX_UNREAD_COUNT).await?)
}

/// Returns the number of unread items, these and the stored ones.
async fn count_unread(
    state: &AppState,
    account: &Identity,
    derived_items: &[InboxItem],
    read: &ReadState,
) -> Result<i64, Refusal> {
    let derived_count = derived_items.iter().filter(|item| !item.read).count() as i64;
    if !state.game().chat_enabled {
        return Ok(derived_count);
    }
    let unread = UnreadNotices { after: clamp_to_season(state, read.up_to), read };
    Ok(derived_count
        + store::count_notices(&state.pool, account.no, &unread, false, MAX_UNREAD_COUNT).await?)
}

/// Limits a range to the current season, because messages of earlier seasons are not shown.
fn clamp_to_season(state: &AppState, seq: Seq) -> Seq {
    seq.max(state.read_world(|world| world.season.seq))
}

async fn find_notices(
    state: &AppState,
    account: &Identity,
    read: &ReadState,
    before: Seq,
    query: InboxQuery,
) -> Result<Vec<InboxNotice>, Refusal> {
    if !state.game().chat_enabled {
        return Ok(Vec::new());
    }
    let nothing_read = ReadState::default();
    let read = if query.only_unread { read } else { &nothing_read };
    let wanted = UnreadNotices { after: clamp_to_season(state, read.up_to), read };
    Ok(store::list_notices(&state.pool, account.no, &wanted, before, query.limit as i64 + 1).await?)
}

type MessagesBySeq = HashMap<Seq, Arc<Message>>;

/// Returns the messages of the items, by their sequence numbers.
async fn find_messages(
    state: &AppState,
    account: &Identity,
    derived_items: &[&InboxItem],
    notices: &[InboxNotice],
) -> Result<MessagesBySeq, Refusal> {
    let intent_seqs =
        derived_items.iter().filter(|item| item.kind == InboxItemKind::Intent).map(|item| item.seq);
    let seqs: Vec<Seq> = notices.iter().map(|notice| notice.message).chain(intent_seqs).collect();
    let mut messages = messages_by_seqs(state, &seqs).await?;
    let ids = messages.iter().map(|message| message.id.as_str());
    let view = shadow_view(state, account.own_view(), ids).await?;
    messages.iter_mut().for_each(|message| view.apply(message));
    Ok(messages.into_iter().map(|message| (message.seq, Arc::new(message))).collect())
}

/// Returns the item of a notice, or `None` if its message has just been deleted.
fn to_inbox_item(notice: &InboxNotice, messages: &MessagesBySeq, read: &ReadState) -> Option<InboxItem> {
    let message = messages.get(&notice.message)?.clone();
    let mut item = InboxItem::new(notice.kind, notice.seq, notice.at);
    if notice.kind == InboxItemKind::Reaction {
        item.reactions = Some(message.reactions.clone());
    } else if message.sender_type != SenderType::Agent || !message.importance.is_normal() {
        item.importance = Importance::High;
    }
    item.message = Some(message);
    item.count = Some(notice.count).filter(|count| *count > 1);
    item.set_read(read);
    Some(item)
}

fn attach_message(mut item: InboxItem, messages: &MessagesBySeq) -> Option<InboxItem> {
    if item.kind == InboxItemKind::Intent {
        item.message = Some(messages.get(&item.seq)?.clone());
    }
    Some(item)
}
