//! Reading an inbox, and marking what was read.

use std::collections::HashMap;
use std::sync::Arc;

use rules::message::{Message, SenderType};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::item::{self, Importance, Item, Kind};
use super::store::{self, Notice, Progress};
use super::{overlap, painted};
use crate::canvas::own::{self, Own};
use crate::chat::{Plan, plans};
use crate::input;
use crate::log::roster::Agent;
use crate::refusal::{InputError, InputErrorKind, Refusal};
use crate::state::AppState;

/// How many items a page has when nobody says otherwise.
pub const DEFAULT_LIMIT: usize = 20;
/// How many it has at most.
pub const MAX_LIMIT: usize = 100;
/// So much of what was said is counted as unread; when there is more, this much is told.
const MOST_COUNTED: i64 = 1_000;

/// A page of an inbox.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Inbox {
    /// Newest first.
    pub items: Vec<Item>,
    /// How many items of the whole inbox are unread; from 1000 on, no more messages and reactions are counted.
    pub unread: i64,
    /// The `before` of the next older page; null when nothing older is left.
    pub next_before: Option<i64>,
}

/// Which page.
#[derive(Clone, Copy, Debug)]
pub struct Query {
    pub limit: usize,
    /// Only items older than this number.
    pub before: Option<i64>,
    pub only_unread: bool,
}

/// `POST /api/inbox/read`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(min_properties = 1)]
pub struct ReadItems {
    /// Everything up to this number.
    #[schema(minimum = 0)]
    pub up_to: Option<i64>,
    /// Single items, by their ids; the newest thousand beyond `up_to` are remembered.
    #[schema(max_items = 100)]
    pub ids: Option<Vec<String>>,
}

/// The answer to marking items as read.
#[derive(Debug, Serialize, ToSchema)]
pub struct Marked {
    pub success: bool,
    /// How many items are unread now.
    pub unread: i64,
}

/// A page of an agent's inbox, newest first.
///
/// # Errors
/// When the database cannot be read.
pub async fn page(state: &AppState, agent: &Agent, query: Query) -> Result<Inbox, Refusal> {
    let own = own::of(state, agent).await?;
    let touched = touched(state, agent, &own, &plans(state).await?).await?;
    page_of(state, agent, &touched, query).await
}

/// The newest plans; none where there is no chat.
///
/// # Errors
/// When the database cannot be read.
pub async fn plans(state: &AppState) -> Result<Vec<Plan>, Refusal> {
    if state.game().chat_enabled { plans::newest(state).await } else { Ok(Vec::new()) }
}

/// Returns what concerns an agent beside what was said to it, newest first.
///
/// # Errors
/// When the database cannot be read.
pub async fn touched(
    state: &AppState,
    agent: &Agent,
    own: &Own,
    plans: &[Plan],
) -> Result<Vec<Item>, Refusal> {
    let mut items = painted::items(&own::painted_over(state, agent, own).await?);
    let plans = overlap::items(agent.no, &own.standing, plans);
    let numbers: Vec<i64> = plans.iter().map(|item| item.seq).collect();
    // A plan that mentions the agent, or answers it, is told as that.
    let told =
        if numbers.is_empty() { Vec::new() } else { store::told(&state.pool, agent.no, &numbers).await? };
    items.extend(plans.into_iter().filter(|item| !told.contains(&item.seq)));
    items.sort_by_key(|item| std::cmp::Reverse(item.seq));
    Ok(items)
}

/// The same as [`page`], from what is known already.
///
/// # Errors
/// When the database cannot be read.
pub async fn page_of(
    state: &AppState,
    agent: &Agent,
    touched: &[Item],
    query: Query,
) -> Result<Inbox, Refusal> {
    let progress = store::progress(&state.pool, agent.no).await?;
    let unread = count(state, agent, touched, &progress).await?;
    let before = query.before.unwrap_or(i64::MAX);
    let notices = notices(state, agent, &progress, before, query).await?;
    let asked = |item: &&Item| item.seq < before && !(query.only_unread && progress.has(item.seq));
    let touched: Vec<&Item> = touched.iter().filter(asked).take(query.limit + 1).collect();
    let messages = messages(state, &touched, &notices).await?;
    let said = notices.iter().filter_map(|notice| item(notice, &messages));
    let touched = touched.into_iter().filter_map(|item| with_message(item.clone(), &messages));
    let mut items: Vec<Item> = said.chain(touched).collect();
    items.iter_mut().for_each(|item| item.read = progress.has(item.seq));
    items.sort_by_key(|item| std::cmp::Reverse(item.seq));
    let more = items.len() > query.limit;
    items.truncate(query.limit);
    let next_before = items.last().filter(|_| more).map(|item| item.seq);
    Ok(Inbox { items, unread, next_before })
}

/// Marks items as read, and counts those that are not.
///
/// # Errors
/// `Input` if the form names no item, or one that cannot exist yet; or that the database cannot be used.
pub async fn mark(state: &AppState, agent: &Agent, form: &ReadItems) -> Result<Marked, Refusal> {
    let read = form.progress()?;
    if let Some(newest) = read.beyond.iter().chain(&form.up_to).max()
        && !state.log.has_come_to(*newest).await?
    {
        let detail = "That number is no event's yet.";
        return Err(InputError::new(InputErrorKind::BadCursor, detail).into());
    }
    let progress = store::mark(&state.pool, agent.no, &read).await?;
    let own = own::of(state, agent).await?;
    let touched = touched(state, agent, &own, &plans(state).await?).await?;
    Ok(Marked { success: true, unread: count(state, agent, &touched, &progress).await? })
}

impl ReadItems {
    fn progress(&self) -> Result<Progress, Refusal> {
        if self.up_to.is_none() && self.ids.is_none() {
            let detail = "Say up_to or ids: what you have read.";
            return Err(InputError::of_field(InputErrorKind::Missing, "up_to", detail).into());
        }
        let ids = self.ids.as_deref().unwrap_or_default();
        if ids.len() > MAX_LIMIT {
            let detail = format!("ids has {} entries; at most {MAX_LIMIT} are allowed.", ids.len());
            return Err(Refusal::invalid("ids", detail));
        }
        let up_to = input::event("up_to", self.up_to)?.unwrap_or(0);
        let no_id = || Refusal::invalid("ids", "ids holds what is no item's id.");
        let beyond = ids.iter().map(|id| item::number(id).ok_or_else(no_id)).collect::<Result<_, _>>()?;
        Ok(Progress { up_to, beyond })
    }
}

async fn count(
    state: &AppState,
    agent: &Agent,
    touched: &[Item],
    progress: &Progress,
) -> Result<i64, Refusal> {
    let touched = touched.iter().filter(|item| !progress.has(item.seq)).count() as i64;
    if !state.game().chat_enabled {
        return Ok(touched);
    }
    let after = floor(state, progress.up_to);
    Ok(touched + store::count(&state.pool, agent.no, after, &progress.beyond, MOST_COUNTED).await?)
}

/// Nobody is told what was said in another season.
fn floor(state: &AppState, seq: i64) -> i64 {
    seq.max(state.snapshot(|world| world.season.seq))
}

async fn notices(
    state: &AppState,
    agent: &Agent,
    progress: &Progress,
    before: i64,
    query: Query,
) -> Result<Vec<Notice>, Refusal> {
    if !state.game().chat_enabled {
        return Ok(Vec::new());
    }
    let (after, without) =
        if query.only_unread { (progress.up_to, &progress.beyond[..]) } else { (0, &[][..]) };
    let span = (floor(state, after), before);
    Ok(store::notices(&state.pool, agent.no, span, without, query.limit as i64 + 1).await?)
}

type Messages = HashMap<i64, Arc<Message>>;

/// The messages that items are about, by their numbers.
async fn messages(state: &AppState, touched: &[&Item], notices: &[Notice]) -> Result<Messages, Refusal> {
    let plans = touched.iter().filter(|item| item.kind == Kind::Intent).map(|item| item.seq);
    let numbers: Vec<i64> = notices.iter().map(|notice| notice.message).chain(plans).collect();
    let messages = state.log.messages_at(&numbers).await?;
    Ok(messages.into_iter().map(|message| (message.seq, Arc::new(message))).collect())
}

/// A message that was deleted just now concerns nobody.
fn item(notice: &Notice, messages: &Messages) -> Option<Item> {
    let message = messages.get(&notice.message)?.clone();
    let mut item = Item::new(notice.kind, notice.seq, notice.at);
    if notice.kind == Kind::Reaction {
        item.reactions = Some(message.reactions.clone());
    } else if message.sender_type != SenderType::Agent {
        item.importance = Importance::High;
    }
    item.message = Some(message);
    item.count = Some(notice.count).filter(|count| *count > 1);
    Some(item)
}

fn with_message(mut item: Item, messages: &Messages) -> Option<Item> {
    if item.kind == Kind::Intent {
        item.message = Some(messages.get(&item.seq)?.clone());
    }
    Some(item)
}

impl Progress {
    fn has(&self, seq: i64) -> bool {
        seq <= self.up_to || self.beyond.contains(&seq)
    }
}
