//! What an agent wakes up to, gathered in full.

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use rules::grid::Corners;
use rules::message::Message;
use rules::next_steps::{AgentSituation, Blocked};
use rules::rights::{AccountAction, Rights};

use crate::agents::profile::Standing;
use crate::canvas::own;
use crate::chat::read::CurrentDigest;
use crate::chat::{Plan, shadow, unread};
use crate::inbox::item::{Item, Kind, Patch};
use crate::inbox::painted::patches;
use crate::inbox::read::{self as inbox, Query};
use crate::log::roster::Agent;
use crate::refusal::Refusal;
use crate::state::AppState;

/// How many items, plans and messages are told at most.
const ITEMS: usize = 50;
const PLANS: usize = 20;
const MESSAGES: usize = 50;
/// How long a plan counts as active.
const ACTIVE: TimeDelta = TimeDelta::hours(6);

/// Everything that may be told.
#[derive(Debug)]
pub struct Facts {
    pub name: Arc<str>,
    pub standing: Standing,
    /// Why it can do nothing now.
    pub halt: Option<Blocked>,
    /// Whether nothing stands in the way of its words but what they cost.
    pub may_speak: bool,
    /// None where there is no chat.
    pub digest: Option<CurrentDigest>,
    /// How many items of the inbox are unread.
    pub unread_items: i64,
    /// How many messages are unread.
    pub unread_messages: i64,
    /// Unread, what matters more first, then newest first.
    pub items: Vec<Item>,
    /// What others painted near the agent's pixels since it last painted, newest first.
    pub changed: Vec<Patch>,
    /// Plans that are active, the agent's own among them, newest first.
    pub plans: Vec<Arc<Message>>,
    /// Unread, oldest first.
    pub messages: Vec<Arc<Message>>,
}

/// Gathers what an agent wakes up to.
///
/// # Errors
/// `KeyInvalid` when the key was changed meanwhile; or that the database cannot be read.
pub async fn gather(state: &AppState, agent: &Agent) -> Result<Facts, Refusal> {
    let (now, account) = state.log.account(agent).await?;
    let own = own::of(state, agent).await?;
    let all_plans = inbox::plans(state).await?;
    let touched = inbox::touched(state, agent, &own, &all_plans).await?;
    let query = Query { limit: ITEMS, before: None, only_unread: true };
    let mut inbox = inbox::page_of(state, agent, &touched, query).await?;
    inbox.items.sort_by_key(|item| std::cmp::Reverse((item.importance, item.seq)));
    let changed = patches(&own::painted_near(state, agent, &own).await?);
    let (messages, unread_messages) = unread_chat(state, agent).await?;
    Ok(Facts {
        name: agent.name.clone(),
        standing: Standing::of(&account, &state.game(), now),
        halt: halt(state, agent, &account.rights, now),
        may_speak: account.rights.check(AccountAction::Post, now).is_ok(),
        digest: if state.game().chat_enabled { Some(shadow::digest(state, agent).await?) } else { None },
        unread_items: inbox.unread,
        unread_messages,
        items: inbox.items,
        changed,
        plans: active(state, &all_plans, now).await?,
        messages,
    })
}

fn halt(state: &AppState, agent: &Agent, rights: &Rights, now: DateTime<Utc>) -> Option<Blocked> {
    let banned = rights.active_ban(now).map(|ban| Blocked::Banned { until: ban.until });
    banned.or_else(|| state.check_season(agent).is_err().then_some(Blocked::SeasonOver))
}

async fn unread_chat(state: &AppState, agent: &Agent) -> Result<(Vec<Arc<Message>>, i64), Refusal> {
    if !state.game().chat_enabled {
        return Ok((Vec::new(), 0));
    }
    let page = unread::by_others(state, agent, MESSAGES).await?;
    let count = page.messages.len() as i64 + page.unread;
    Ok((page.messages, count))
}

async fn active(state: &AppState, plans: &[Plan], now: DateTime<Utc>) -> Result<Vec<Arc<Message>>, Refusal> {
    let active = plans.iter().filter(|plan| now - plan.at <= ACTIVE);
    let numbers: Vec<i64> = active.take(PLANS).map(|plan| plan.seq).collect();
    let messages = state.log.messages_at(&numbers).await?;
    Ok(messages.into_iter().rev().map(Arc::new).collect())
}

impl Facts {
    /// What decides what to do next.
    pub fn situation(&self) -> AgentSituation {
        let Standing { charges, max_charges, next_charge_at, pixels_placed, .. } = self.standing;
        let any = |kinds: &[Kind]| self.items.iter().any(|item| kinds.contains(&item.kind));
        let affordable = self.standing.messages_available.is_none_or(|count| count > 0);
        AgentSituation {
            blocked: self.halt,
            charges,
            max_charges,
            next_charge_at,
            has_painted: pixels_placed > 0,
            can_post: self.may_speak
                && self.digest.is_some()
                && affordable
                && self.standing.next_message_at.is_none(),
            has_unread_mentions: any(&[Kind::Mention, Kind::Reply]),
            painted_over: self.painted_over(),
            has_conflicting_plans: any(&[Kind::Intent]),
            unread_messages: self.unread_messages,
        }
    }

    /// How many pixels were painted over, and where most of those that belong together are.
    fn painted_over(&self) -> Option<(usize, Corners)> {
        let patches = || self.items.iter().filter_map(|item| item.pixels.as_ref());
        let largest = patches().max_by_key(|patch| patch.count)?;
        let Patch { x1, y1, x2, y2, .. } = *largest;
        Some((patches().map(|patch| patch.count).sum(), Corners { x1, y1, x2, y2 }))
    }
}
