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

use super::facts::HomeFacts;
use crate::inbox::item::{InboxItem, PixelCluster};
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
    pub you: Option<AgentOverview>,
    /// How to take what others wrote; there whenever anything of theirs is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub untrusted: Option<&'static str>,
    /// Unread, what matters more first, then newest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub inbox: Vec<InboxItem>,
    /// What others painted near your pixels since you last painted, newest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changed_nearby: Vec<PixelCluster>,
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
pub struct AgentOverview {
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
pub(super) const MORE_ITEMS_CALL: ApiCall = ApiCall::Inbox;
pub(super) const MORE_PIXELS_CALL: ApiCall = ApiCall::Recent;
pub(super) const MORE_MESSAGES_CALL: ApiCall = ApiCall::ReadUnread;
const MORE_CALLS: [ApiCall; 3] = [MORE_ITEMS_CALL, MORE_PIXELS_CALL, MORE_MESSAGES_CALL];

impl Home {
    /// As much as a budget holds.
    pub fn from_facts(facts: &HomeFacts, interface: AgentInterface, mut budget: TokenBudget) -> Self {
        let mut home = Self::default();
        let remaining = &mut budget;
        remaining.spend(json_len(&home));
        let mut steps = next_steps(&facts.situation(), interface).into_iter();
        home.next = take_fitting(remaining, steps.by_ref().take(1));
        let digest = facts.digest.as_ref();
        home.digest = fit_field(remaining, "digest", digest.map(|digest| digest.digest.clone()));
        home.digest_expires_at =
            fit_field(remaining, "digest_expires_at", digest.map(|digest| digest.expires_at));
        home.next.extend(take_fitting(remaining, steps));
        let counts = UnreadCounts { inbox: facts.unread_items, messages: facts.unread_messages };
        home.unread = fit_field(remaining, "unread", Some(counts));
        home.you = fit_field(remaining, "you", Some(AgentOverview::from_facts(facts)));
        home.add_untrusted(facts, interface, remaining);
        home
    }

    /// Nothing by others stands here without the label, and nothing is cut without saying where the rest is.
    fn add_untrusted(&mut self, facts: &HomeFacts, interface: AgentInterface, budget: &mut TokenBudget) {
        if self.truncated_calls(facts, interface).is_empty() {
            return;
        }
        self.more = fit_list(budget, "more", MORE_CALLS.map(|call| call.describe(interface)));
        self.untrusted = fit_field(budget, "untrusted", Some(LABEL));
        if self.untrusted.is_some() {
            self.add_untrusted_lists(facts, budget);
        }
        let truncated = self.truncated_calls(facts, interface);
        self.more.retain(|call| truncated.contains(call));
    }

    fn add_untrusted_lists(&mut self, facts: &HomeFacts, budget: &mut TokenBudget) {
        self.inbox = budget.with_half(|half| fit_list(half, "inbox", facts.items.iter().cloned()));
        self.changed_nearby =
            budget.with_half(|half| fit_list(half, "changed_nearby", facts.changed_nearby.iter().cloned()));
        self.intents = budget.with_half(|half| fit_list(half, "intents", facts.intents.iter().cloned()));
        self.messages = fit_list(budget, "messages", facts.messages.iter().cloned());
        let counts = [self.inbox.len(), self.changed_nearby.len(), self.intents.len(), self.messages.len()];
        self.untrusted = self.untrusted.filter(|_| counts != [0; 4]);
    }

    /// The calls that give what is not told here.
    fn truncated_calls(&self, facts: &HomeFacts, interface: AgentInterface) -> Vec<Cow<'static, str>> {
        let is_truncated = [
            (self.inbox.len() as i64) < facts.unread_items,
            self.changed_nearby.len() < facts.changed_nearby.len(),
            (self.messages.len() as i64) < facts.unread_messages || self.intents.len() < facts.intents.len(),
        ];
        MORE_CALLS
            .into_iter()
            .zip(is_truncated)
            .filter(|(_, is_truncated)| *is_truncated)
            .map(|(call, _)| call.describe(interface))
            .collect()
    }
}

impl AgentOverview {
    pub(super) fn from_facts(facts: &HomeFacts) -> Self {
        let quota = &facts.quota;
        Self {
            name: facts.name.clone(),
            charges: quota.charges,
            max_charges: quota.max_charges,
            next_charge_at: quota.next_charge_at,
            messages_available: quota.messages_available,
            next_message_at: quota.next_message_at,
            pixels_placed: quota.pixels_placed,
        }
    }
}

/// A field's name in quotes with a colon and a comma.
const FIELD_OVERHEAD_BYTES: usize = 4;

fn fit_field<T: Serialize>(budget: &mut TokenBudget, name: &str, value: Option<T>) -> Option<T> {
    value.filter(|value| budget.spend(name.len() + FIELD_OVERHEAD_BYTES + json_len(value)))
}

/// As many as fit of a field that is absent when it is empty.
fn fit_list<T: Serialize>(
    budget: &mut TokenBudget,
    name: &str,
    values: impl IntoIterator<Item = T>,
) -> Vec<T> {
    let before = *budget;
    if !budget.spend(name.len() + FIELD_OVERHEAD_BYTES + "[]".len()) {
        return Vec::new();
    }
    let fitting = take_fitting(budget, values);
    if fitting.is_empty() {
        *budget = before;
    }
    fitting
}

/// As many as fit, in their order, a comma each.
fn take_fitting<T: Serialize>(budget: &mut TokenBudget, values: impl IntoIterator<Item = T>) -> Vec<T> {
    values.into_iter().take_while(|value| budget.spend(json_len(value) + 1)).collect()
}

/// How many bytes of JSON something takes; what cannot be written fits nowhere.
fn json_len(value: &impl Serialize) -> usize {
    serde_json::to_vec(value).map_or(usize::MAX, |json| json.len())
}
