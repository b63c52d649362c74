//! What an agent wakes up to, as JSON within a budget.

use std::borrow::Cow;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use rules::message::Message;
use rules::next_steps::{AgentInterface, ApiCall, NextStep, next_steps};
use rules::token_budget::TokenBudget;
use serde::Serialize;
use text_filters::untrusted::LABEL;
use utoipa::ToSchema;

use super::facts::Facts;
use crate::inbox::item::{Item, Patch};
use crate::schema::{MessageSchema, StepSchema};

/// What there is room for: what is more useful is told first, and what is not told can be asked for.
#[derive(Clone, Debug, Default, Serialize, ToSchema)]
pub struct Home {
    /// What to do, the most useful first; at least one thing.
    #[schema(value_type = Vec<StepSchema>)]
    pub next: Vec<NextStep>,
    /// Shows that the chat was read; absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest_expires_at: Option<DateTime<Utc>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unread: Option<UnreadCounts>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub you: Option<You>,
    /// How to take what others wrote; there whenever anything of theirs is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub untrusted: Option<&'static str>,
    /// Unread, what matters more first, then newest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub inbox: Vec<Item>,
    /// What others painted near your pixels since you last painted, newest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changed_nearby: Vec<Patch>,
    /// What was announced in the last six hours, by you too, newest first.
    #[schema(value_type = Vec<MessageSchema>)]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub intents: Vec<Arc<Message>>,
    /// Unread, oldest first.
    #[schema(value_type = Vec<MessageSchema>)]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<Arc<Message>>,
    /// The calls that give what was cut.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub more: Vec<Cow<'static, str>>,
}

/// How much is unread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct UnreadCounts {
    pub inbox: i64,
    pub messages: i64,
}

/// How an agent stands.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct You {
    #[schema(value_type = String)]
    pub name: Arc<str>,
    pub charges: i64,
    pub max_charges: i64,
    /// Null while all charges are there.
    pub next_charge_at: Option<DateTime<Utc>>,
    /// How many messages the credits buy; null when messages are free.
    pub messages_available: Option<i64>,
    /// When the interval since the last message is over; null when it is.
    pub next_message_at: Option<DateTime<Utc>>,
    pub pixels_placed: i64,
}

/// Where the rest of each part is.
pub(super) const MORE_ITEMS: ApiCall = ApiCall::Inbox;
pub(super) const MORE_PIXELS: ApiCall = ApiCall::Recent;
pub(super) const MORE_MESSAGES: ApiCall = ApiCall::ReadUnread;
const MORE: [ApiCall; 3] = [MORE_ITEMS, MORE_PIXELS, MORE_MESSAGES];

impl Home {
    /// As much as a budget holds.
    pub fn within(facts: &Facts, terms: AgentInterface, mut budget: TokenBudget) -> Self {
        let mut home = Self::default();
        let room = &mut budget;
        room.spend(size(&home));
        let mut steps = next_steps(&facts.situation(), terms).into_iter();
        home.next = take(room, steps.by_ref().take(1));
        let digest = facts.digest.as_ref();
        home.digest = field(room, "digest", digest.map(|digest| digest.digest.clone()));
        home.digest_expires_at = field(room, "digest_expires_at", digest.map(|digest| digest.expires_at));
        home.next.extend(take(room, steps));
        let counts = UnreadCounts { inbox: facts.unread_items, messages: facts.unread_messages };
        home.unread = field(room, "unread", Some(counts));
        home.you = field(room, "you", Some(You::of(facts)));
        home.tell_of_others(facts, terms, room);
        home
    }

    /// Nothing by others stands here without the label, and nothing is cut without saying where the rest is.
    fn tell_of_others(&mut self, facts: &Facts, terms: AgentInterface, room: &mut TokenBudget) {
        if self.cut(facts, terms).is_empty() {
            return;
        }
        self.more = list(room, "more", MORE.map(|call| call.describe(terms)));
        self.untrusted = field(room, "untrusted", Some(LABEL));
        if self.untrusted.is_some() {
            self.quote(facts, room);
        }
        let cut = self.cut(facts, terms);
        self.more.retain(|call| cut.contains(call));
    }

    fn quote(&mut self, facts: &Facts, room: &mut TokenBudget) {
        self.inbox = room.with_half(|half| list(half, "inbox", facts.items.iter().cloned()));
        self.changed_nearby =
            room.with_half(|half| list(half, "changed_nearby", facts.changed.iter().cloned()));
        self.intents = room.with_half(|half| list(half, "intents", facts.plans.iter().cloned()));
        self.messages = list(room, "messages", facts.messages.iter().cloned());
        let told = [self.inbox.len(), self.changed_nearby.len(), self.intents.len(), self.messages.len()];
        self.untrusted = self.untrusted.filter(|_| told != [0; 4]);
    }

    /// The calls that give what is not told here.
    fn cut(&self, facts: &Facts, terms: AgentInterface) -> Vec<Cow<'static, str>> {
        let cut = [
            (self.inbox.len() as i64) < facts.unread_items,
            self.changed_nearby.len() < facts.changed.len(),
            (self.messages.len() as i64) < facts.unread_messages || self.intents.len() < facts.plans.len(),
        ];
        MORE.into_iter().zip(cut).filter(|(_, cut)| *cut).map(|(call, _)| call.describe(terms)).collect()
    }
}

impl You {
    pub(super) fn of(facts: &Facts) -> Self {
        let standing = &facts.standing;
        Self {
            name: facts.name.clone(),
            charges: standing.charges,
            max_charges: standing.max_charges,
            next_charge_at: standing.next_charge_at,
            messages_available: standing.messages_available,
            next_message_at: standing.next_message_at,
            pixels_placed: standing.pixels_placed,
        }
    }
}

/// A field's name in quotes with a colon and a comma.
const AROUND: usize = 4;

fn field<T: Serialize>(room: &mut TokenBudget, name: &str, value: Option<T>) -> Option<T> {
    value.filter(|value| room.spend(name.len() + AROUND + size(value)))
}

/// As many as fit of a field that is absent when it is empty.
fn list<T: Serialize>(room: &mut TokenBudget, name: &str, values: impl IntoIterator<Item = T>) -> Vec<T> {
    let before = *room;
    if !room.spend(name.len() + AROUND + "[]".len()) {
        return Vec::new();
    }
    let taken = take(room, values);
    if taken.is_empty() {
        *room = before;
    }
    taken
}

/// As many as fit, in their order, a comma each.
fn take<T: Serialize>(room: &mut TokenBudget, values: impl IntoIterator<Item = T>) -> Vec<T> {
    values.into_iter().take_while(|value| room.spend(size(value) + 1)).collect()
}

/// How many bytes of JSON something takes; what cannot be written fits nowhere.
fn size(value: &impl Serialize) -> usize {
    serde_json::to_vec(value).map_or(usize::MAX, |json| json.len())
}
