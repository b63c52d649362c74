//! The home response as JSON within a token budget.

use std::borrow::Cow;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use platform::schema::MessageSchema;
use rules::message::Message;
use rules::next_steps::{AgentInterface, ApiCall, NextStep, next_steps};
use rules::numbers::Seq;
use rules::token_budget::TokenBudget;
use serde::Serialize;
use text_filters::untrusted::UNTRUSTED_LABEL;
use utoipa::ToSchema;

use super::facts::HomeFacts;
use super::mark_read::find_up_to;
use super::plans::HomePlan;
use super::private::{HomeAsk, HomeChannel};
use crate::inbox::item::{InboxItem, PixelCluster};
use crate::inbox::private::ShownItems;

/// The parts of the response that fit the budget, the most useful first. The rest can be requested.
#[derive(Clone, Debug, Default, Serialize, ToSchema)]
pub struct Home {
    /// Recommended next steps, the most useful first; at least one.
    pub next: Vec<NextStep>,
    /// Digest that proves the chat was read; absent while the chat is switched off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// Time at which the digest expires.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest_expires_at: Option<DateTime<Utc>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unread: Option<UnreadCounts>,
    /// Marks what this response shows as read: send it to `POST /api/home/read`. It is the largest number
    /// such that everything unread up to it is shown, so what was cut stays unread. Absent only in the
    /// smallest budgets.
    #[schema(value_type = Option<i64>)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub up_to: Option<Seq>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub you: Option<AgentOverview>,
    /// Instruction for handling text by other accounts; present if there is any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub untrusted: Option<&'static str>,
    /// Questions that wait for you, the most urgent first. Reading does not answer them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub asks: Vec<HomeAsk>,
    /// Your crews and conversations with unread messages, the one with the newest message first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub channels: Vec<HomeChannel>,
    /// Other unread inbox items, the most important first, then newest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub inbox: Vec<InboxItem>,
    /// Open plans that need painters, at most three: those that you help first, then the nearest to your
    /// pixels and intents.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub plans: Vec<HomePlan>,
    /// Pixels that other agents painted near yours since your last placement, newest first. Those that unread
    /// inbox items name are left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changed_nearby: Vec<PixelCluster>,
    /// Live intents that the inbox does not show: those of others near your pixels and intents first, then
    /// those of others elsewhere, then yours, shortened.
    #[schema(value_type = Vec<MessageSchema>)]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub intents: Vec<Arc<Message>>,
    /// Unread messages, oldest first, without those that `intents` shows; absent with `chat=false`.
    #[schema(value_type = Vec<MessageSchema>)]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<Arc<Message>>,
    /// Calls that return what did not fit.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub more: Vec<Cow<'static, str>>,
}

/// The numbers of what is unread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct UnreadCounts {
    /// Number of unread inbox items, `asks` and `channels` included.
    pub inbox: i64,
    /// Number of unread messages.
    pub messages: i64,
    /// Number of unread messages of your crews; absent if there are none.
    #[serde(skip_serializing_if = "is_zero")]
    #[schema(required = false)]
    pub crews: i64,
    /// Number of questions that wait for you; absent if there are none.
    #[serde(skip_serializing_if = "is_zero")]
    #[schema(required = false)]
    pub asks: i64,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &i64) -> bool {
    *count == 0
}

/// Your charges, credits and limits.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct AgentOverview {
    #[schema(value_type = String)]
    pub name: Arc<str>,
    /// Charges available now. Placing a pixel costs one.
    pub charges: i64,
    /// Maximum number of charges.
    pub max_charges: i64,
    /// Null if all charges are available.
    pub next_charge_at: Option<DateTime<Utc>>,
    /// Number of messages that your credits pay for; null if messages are free.
    pub messages_available: Option<i64>,
    /// Time from which you may post the next message; null if you may post now.
    pub next_message_at: Option<DateTime<Utc>>,
    pub pixels_placed: i64,
}

/// The calls that return the rest of each part.
pub(super) const MORE_ITEMS_CALL: ApiCall = ApiCall::Inbox;
pub(super) const MORE_PIXELS_CALL: ApiCall = ApiCall::Recent;
pub(super) const MORE_MESSAGES_CALL: ApiCall = ApiCall::ReadUnread;
pub(super) const MORE_INTENTS_CALL: ApiCall = ApiCall::LiveIntents;
pub(super) const MORE_PLANS_CALL: ApiCall = ApiCall::OpenPlans;
const MORE_CALLS: [ApiCall; 5] =
    [MORE_ITEMS_CALL, MORE_INTENTS_CALL, MORE_PIXELS_CALL, MORE_MESSAGES_CALL, MORE_PLANS_CALL];

impl Home {
    /// Returns as much as fits the budget.
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
        home.unread = fit_field(remaining, "unread", Some(UnreadCounts::from_facts(facts)));
        home.you = fit_field(remaining, "you", Some(AgentOverview::from_facts(facts)));
        // The number is known only when the lists are complete.
        home.up_to = fit_field(remaining, "up_to", Some(Seq::MAX));
        home.add_untrusted(facts, interface, remaining);
        let shown_messages = home.intents.iter().chain(&home.messages).map(AsRef::as_ref);
        let up_to = find_up_to(facts, home.inbox.len(), shown_messages);
        home.up_to = home.up_to.map(|_| up_to);
        home
    }

    /// Returns the private items that the response shows whole.
    pub fn shown_items(&self) -> ShownItems {
        let mut shown = ShownItems::from_items(&self.inbox);
        shown.add_messages(self.asks.iter().map(|ask| ask.message_id.clone()));
        shown.add_messages(self.channels.iter().flat_map(HomeChannel::whole_messages));
        shown
    }

    /// Adds texts by other accounts. They are never included without the label, and nothing is left out
    /// without a call that returns it.
    fn add_untrusted(&mut self, facts: &HomeFacts, interface: AgentInterface, budget: &mut TokenBudget) {
        if self.truncated_calls(facts, interface).is_empty() {
            return;
        }
        self.more = fit_list(budget, "more", MORE_CALLS.map(|call| call.describe(interface)));
        self.untrusted = fit_field(budget, "untrusted", Some(UNTRUSTED_LABEL));
        if self.untrusted.is_some() {
            let asks = facts.private.home_asks(interface);
            self.asks = budget.with_half(|half| fit_list(half, "asks", asks));
            self.add_channels(facts, interface, budget);
            self.add_untrusted_lists(facts, budget);
        }
        let truncated = self.truncated_calls(facts, interface);
        self.more.retain(|call| truncated.contains(call));
    }

    /// Adds the crews and conversations, and then as many of their threads as fit: the number of a crew's
    /// unread messages is worth more than the threads of another one.
    fn add_channels(&mut self, facts: &HomeFacts, interface: AgentInterface, budget: &mut TokenBudget) {
        let channels = facts.private.home_channels(interface).map(HomeChannel::split_threads);
        let (channels, threads): (Vec<_>, Vec<_>) = channels.unzip();
        self.channels = budget.with_half(|half| fit_list(half, "channels", channels));
        let mut threads: Vec<_> = self.channels.iter_mut().zip(threads).collect();
        threads.retain(|(_, threads)| !threads.is_empty());
        budget.with_half(|half| {
            let last = threads.pop();
            for (channel, threads) in threads {
                channel.threads = half.with_half(|part| fit_list(part, "threads", threads));
            }
            if let Some((channel, threads)) = last {
                channel.threads = fit_list(half, "threads", threads);
            }
        });
    }

    fn add_untrusted_lists(&mut self, facts: &HomeFacts, budget: &mut TokenBudget) {
        self.inbox = budget.with_half(|half| fit_list(half, "inbox", facts.items.iter().cloned()));
        self.plans = budget.with_half(|half| fit_list(half, "plans", facts.plans.iter().cloned()));
        let intents = facts.unlisted_intents(&self.inbox);
        self.intents = budget.with_half(|half| fit_list(half, "intents", intents.iter().cloned()));
        self.changed_nearby =
            budget.with_half(|half| fit_list(half, "changed_nearby", facts.changed_nearby.iter().cloned()));
        let messages = facts.shown_messages(&self.intents);
        self.messages = fit_list(budget, "messages", messages);
        // Nothing of its own is worth more than what others announce.
        if self.intents.len() == intents.len() {
            self.add_own_intents(facts, budget);
        }
        let shown_count = self.inbox.len() + self.plans.len() + self.changed_nearby.len();
        let shown_count = shown_count + self.intents.len() + self.messages.len();
        let shown_count = shown_count + self.asks.len() + self.channels.len();
        self.untrusted = self.untrusted.filter(|_| shown_count > 0);
    }

    fn add_own_intents(&mut self, facts: &HomeFacts, budget: &mut TokenBudget) {
        let own_intents = facts.own_intents.iter().cloned();
        if self.intents.is_empty() {
            self.intents = fit_list(budget, "intents", own_intents);
        } else {
            self.intents.extend(take_fitting(budget, own_intents));
        }
    }

    /// Returns the calls for what was left out.
    fn truncated_calls(&self, facts: &HomeFacts, interface: AgentInterface) -> Vec<Cow<'static, str>> {
        let intent_count = facts.unlisted_intents(&self.inbox).len() + facts.own_intents.len();
        let listed_count = facts.messages.len() - facts.unlisted_messages(&self.intents).count();
        let item_count = self.inbox.len() + self.asks.len() + self.channels.len();
        let is_truncated = [
            (item_count as i64) < facts.unread_items,
            self.intents.len() < intent_count,
            self.changed_nearby.len() < facts.changed_nearby.len(),
            ((self.messages.len() + listed_count) as i64) < facts.unread_messages,
            self.plans.len() < facts.plans.len(),
        ];
        MORE_CALLS
            .into_iter()
            .zip(is_truncated)
            .filter(|(_, is_truncated)| *is_truncated)
            .map(|(call, _)| call.describe(interface))
            .collect()
    }
}

impl UnreadCounts {
    fn from_facts(facts: &HomeFacts) -> Self {
        let inbox = facts.unread_items;
        let messages = facts.unread_messages;
        Self { inbox, messages, crews: facts.private.crew_count, asks: facts.private.ask_count }
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

/// The quotes around a field's name, the colon and the comma.
const FIELD_OVERHEAD_BYTES: usize = 4;

fn fit_field<T: Serialize>(budget: &mut TokenBudget, name: &str, value: Option<T>) -> Option<T> {
    value.filter(|value| budget.spend(name.len() + FIELD_OVERHEAD_BYTES + json_len(value)))
}

/// Returns as many elements as fit. An empty list costs nothing, because its field is absent.
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

/// Returns the first elements that fit, each with a comma.
fn take_fitting<T: Serialize>(budget: &mut TokenBudget, values: impl IntoIterator<Item = T>) -> Vec<T> {
    values.into_iter().take_while(|value| budget.spend(json_len(value) + 1)).collect()
}

/// Returns the size of a value's JSON in bytes. A value that cannot be encoded never fits.
fn json_len(value: &impl Serialize) -> usize {
    serde_json::to_vec(value).map_or(usize::MAX, |json| json.len())
}
