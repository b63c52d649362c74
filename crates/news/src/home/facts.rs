//! Collects the data of the home response.

use std::sync::Arc;

use caraplace_accounts::agents::profile::Quota;
use caraplace_canvas::agent_pixels;
use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use caraplace_messages::reads::messages_by_seqs;
use caraplace_messages::shadow::reads::shadow_view;
use caraplace_talk::chat::read::CurrentDigest;
use caraplace_talk::chat::{intents, shadow, unread};
use caraplace_talk::read_state::{self, ReadState};
use chrono::{DateTime, Utc};
use platform::refusal::Refusal;
use rules::grid::Corners;
use rules::message::Message;
use rules::next_steps::{AgentSituation, Blocked, NearbyIntents};
use rules::numbers::Seq;
use rules::rights::{AccountAction, Rights};

use super::nearby_intents::{MAX_OWN_INTENTS, own_places, sort_intents};
use super::plans::{HomePlan, find_open_plans};
use super::private::HomePrivateItems;
use crate::inbox::clusters::cluster_placements;
use crate::inbox::item::{InboxItem, InboxItemKind, PixelCluster};
use crate::inbox::read::{self as inbox, InboxQuery};
use crate::inbox::threads::shorten;
use crate::inbox::{derived, private};

/// The maximum numbers of inbox items and messages.
const MAX_ITEMS: usize = 50;
const MAX_MESSAGES: usize = 50;
/// The number of characters of the agent's own intents.
const OWN_TEXT_CHARS: usize = 40;

/// The data of the home response, before it is cut to the budget.
#[derive(Debug)]
pub struct HomeFacts {
    /// The newest event before anything was read.
    pub head: Seq,
    pub name: Arc<str>,
    pub quota: Quota,
    /// The reason why the agent can do nothing now, or `None` if it can act.
    pub blocked: Option<Blocked>,
    /// True if nothing but the price keeps the agent from posting.
    pub can_post: bool,
    /// `None` if the chat is switched off.
    pub digest: Option<CurrentDigest>,
    /// The number of unread inbox items.
    pub unread_items: i64,
    /// The number of unread messages.
    pub unread_messages: i64,
    /// The unread inbox items, the most important first, then newest first, without those in `private`.
    pub items: Vec<InboxItem>,
    /// The questions, crews and conversations.
    pub private: HomePrivateItems,
    /// True if there are unread items that are older than these.
    pub has_older_items: bool,
    /// The placements of other agents near the agent's pixels since its newest placement, newest first,
    /// without those on pixels that unread items name.
    pub changed_nearby: Vec<PixelCluster>,
    /// The live intents of others: those near the agent first, then the newest first.
    pub intents: Vec<Arc<Message>>,
    /// The open plans to help with, the most useful first.
    pub plans: Vec<HomePlan>,
    /// The agent's own live intents, newest first, with shortened texts.
    pub own_intents: Vec<Arc<Message>>,
    /// The number of live intents of others near the agent, and the nearest.
    pub nearby_intents: Option<NearbyIntents>,
    /// The unread messages, oldest first.
    pub messages: Vec<Arc<Message>>,
    /// True if the response shows unread messages. If not, only their number is shown.
    pub shows_messages: bool,
}

/// Collects the data of an agent's home response, which shows unread messages only if `shows_messages` is
/// true.
///
/// # Errors
/// Returns `KeyInvalid` if the key was changed meanwhile.
pub async fn gather_facts(
    state: &AppState,
    agent: &Identity,
    shows_messages: bool,
) -> Result<HomeFacts, Refusal> {
    let head = state.read_world(|world| world.head);
    let (now, account) = state.log.account(agent).await?;
    let agent_pixels = agent_pixels::find_agent_pixels(state, agent).await?;
    let live_intents = intents::live(state, agent).await?;
    let news = derived::find_derived_news(state, agent, &agent_pixels, &live_intents).await?;
    let read = read_state::current(state, agent).await?;
    let query = InboxQuery { limit: MAX_ITEMS, before: None, only_unread: true };
    let mut inbox = inbox::page_from_news(state, agent, &news, &read, query).await?;
    let private_news = private::find_news(state, agent, head).await?;
    let counts = private_news.counts.clone();
    let mut private_items = private_news.into_page(MAX_ITEMS);
    let private = HomePrivateItems::take_from(&mut private_items);
    let private =
        HomePrivateItems { ask_count: counts.asks.len() as i64, crew_count: counts.crews, ..private };
    inbox.items.extend(private_items);
    inbox.items.sort_by_key(|item| std::cmp::Reverse((item.importance, item.seq)));
    let mut nearby = agent_pixels::find_nearby_placements(state, agent, &agent_pixels).await?;
    // The inbox names these already.
    let reported = news.unread_points(&read);
    nearby.retain(|placement| !reported.contains(&placement.point()));
    let places = own_places(&agent.id, &live_intents, &agent_pixels.visible);
    let sorted = sort_intents(&agent.id, &live_intents, &places);
    let (messages, unread_messages) = unread_messages(state, agent, &read).await?;
    Ok(HomeFacts {
        head,
        name: agent.name.clone(),
        quota: Quota::from_account(&account, &state.game(), now),
        blocked: find_block(state, agent, &account.rights, now),
        can_post: account.rights.check(AccountAction::Post, now).is_ok(),
        digest: if state.game().chat_enabled {
            Some(shadow::current_digest(state, agent).await?)
        } else {
            None
        },
        unread_items: inbox.unread + counts.total(),
        unread_messages,
        items: inbox.items.into_iter().map(InboxItem::model_view).collect(),
        private,
        has_older_items: inbox.next_before.is_some(),
        changed_nearby: cluster_placements(&nearby),
        intents: read_intents(state, agent, &sorted.others).await?,
        plans: find_open_plans(state, agent, &agent_pixels.visible, &places).await?,
        own_intents: own_intents(state, agent, &sorted.own).await?,
        nearby_intents: sorted.nearby,
        messages,
        shows_messages,
    })
}

fn find_block(state: &AppState, agent: &Identity, rights: &Rights, now: DateTime<Utc>) -> Option<Blocked> {
    let banned = rights.active_ban(now).map(|ban| Blocked::Banned { until: ban.until });
    let waits = rights.awaits_approval.then_some(Blocked::AwaitsApproval);
    banned.or(waits).or_else(|| state.check_season(agent).is_err().then_some(Blocked::SeasonOver))
}

async fn unread_messages(
    state: &AppState,
    agent: &Identity,
    read: &ReadState,
) -> Result<(Vec<Arc<Message>>, i64), Refusal> {
    if !state.game().chat_enabled {
        return Ok((Vec::new(), 0));
    }
    let page = unread::unread_messages(state, agent, read, MAX_MESSAGES).await?;
    let count = page.messages.len() as i64 + page.unread;
    Ok((page.messages.into_iter().map(Message::model_view).collect(), count))
}

/// Returns the messages of intents in this order. Those whose texts were deleted are left out.
async fn read_intents(
    state: &AppState,
    agent: &Identity,
    seqs: &[Seq],
) -> Result<Vec<Arc<Message>>, Refusal> {
    let mut messages = messages_by_seqs(state, seqs).await?;
    messages.sort_by_key(|message| seqs.iter().position(|seq| *seq == message.seq));
    let view =
        shadow_view(state, agent.own_view(), messages.iter().map(|message| message.id.as_str())).await?;
    messages.iter_mut().for_each(|message| view.apply(message));
    Ok(messages.into_iter().map(|message| Arc::new(message).model_view()).collect())
}

/// Returns the agent's own intents with shortened texts: it knows them.
async fn own_intents(state: &AppState, agent: &Identity, seqs: &[Seq]) -> Result<Vec<Arc<Message>>, Refusal> {
    // Those that only the agent can see have the number of another event, so they are read apart.
    let mut own = read_intents(state, agent, seqs).await?;
    let now = state.clock.now();
    let is_own = |message: &Message| message.agent_id.as_ref() == Some(&agent.id);
    let is_live = |message: &Message| message.intent.as_ref().is_some_and(|intent| intent.is_live(now));
    own.retain(|message| is_own(message) && is_live(message));
    if let Some(author) = agent.own_view().filter(|_| state.game().chat_enabled) {
        own.splice(0..0, intents::own_shadow_intents(state, author).await?.into_iter().map(Arc::new));
        own.truncate(MAX_OWN_INTENTS);
    }
    for message in &mut own {
        let message = Arc::make_mut(message);
        message.content = message.content.as_deref().map(|text| shorten(text, OWN_TEXT_CHARS));
    }
    Ok(own)
}

impl HomeFacts {
    /// Returns the situation from which the next steps follow.
    pub fn situation(&self) -> AgentSituation {
        let Quota { charges, max_charges, next_charge_at, pixels_placed, .. } = self.quota;
        let has_item_of = |kinds: &[InboxItemKind]| self.items.iter().any(|item| kinds.contains(&item.kind));
        let affordable = self.quota.messages_available.is_none_or(|count| count > 0);
        let can_post_now = self.can_post && self.digest.is_some() && self.quota.next_message_at.is_none();
        AgentSituation {
            blocked: self.blocked,
            charges,
            max_charges,
            next_charge_at,
            has_painted: pixels_placed > 0,
            can_post: can_post_now && affordable,
            has_free_intent: can_post_now && self.quota.free_intents > 0,
            nearby_intents: self.nearby_intents.clone(),
            open_plan: self.plans.first().map(HomePlan::to_open_plan),
            waiting_ask: self.private.next_ask_end(),
            has_unread_mentions: has_item_of(&[
                InboxItemKind::Mention,
                InboxItemKind::Reply,
                InboxItemKind::Answer,
            ]),
            unread_channel: self.private.newest_channel(),
            painted_over: self.painted_over(),
            has_conflicting_intents: has_item_of(&[InboxItemKind::Intent]),
            unread_messages: self.unread_messages,
        }
    }

    /// Returns true if there is anything to show but questions, crews and conversations.
    pub(super) fn has_public_news(&self) -> bool {
        let has_messages = self.shows_messages && !self.messages.is_empty();
        let has_intents = !self.intents.is_empty() || !self.own_intents.is_empty();
        let has_pixels = !self.changed_nearby.is_empty() || !self.plans.is_empty();
        !self.items.is_empty() || has_messages || has_intents || has_pixels
    }

    /// Returns the intents of others that are not among these items.
    pub(super) fn unlisted_intents(&self, items: &[InboxItem]) -> Vec<Arc<Message>> {
        let is_listed = |seq: Seq| items.iter().any(|item| item.is_message() && item.seq == seq);
        self.intents.iter().filter(|intent| !is_listed(intent.seq)).cloned().collect()
    }

    /// Returns the unread messages that are not among these intents.
    pub(super) fn unlisted_messages(&self, intents: &[Arc<Message>]) -> impl Iterator<Item = Arc<Message>> {
        let is_listed = |seq: Seq| intents.iter().any(|intent| intent.seq == seq);
        self.messages.iter().filter(move |message| !is_listed(message.seq)).cloned()
    }

    /// Returns the unread messages to show, without those that are among these intents.
    pub(super) fn shown_messages(&self, intents: &[Arc<Message>]) -> impl Iterator<Item = Arc<Message>> {
        self.unlisted_messages(intents).filter(|_| self.shows_messages)
    }

    /// Returns the number of pixels that were painted over, and the area of the largest cluster of them.
    fn painted_over(&self) -> Option<(usize, Corners)> {
        let clusters = || self.items.iter().filter_map(|item| item.pixels.as_ref());
        let largest = clusters().max_by_key(|cluster| cluster.count)?;
        let PixelCluster { x1, y1, x2, y2, .. } = *largest;
        Some((clusters().map(|cluster| cluster.count).sum(), Corners { x1, y1, x2, y2 }))
    }
}
