//! The home response as Markdown within a token budget. Text by other accounts, including their names, is
//! fenced.

use std::sync::Arc;

use chrono::{DateTime, SecondsFormat, Utc};
use rules::message::Message;
use rules::next_steps::{AgentInterface, ApiCall, NextStep, next_steps};
use rules::numbers::Seq;
use rules::token_budget::TokenBudget;
use text_filters::untrusted::UntrustedLines;

use super::facts::HomeFacts;
use super::json::{
    MORE_INTENTS_CALL, MORE_ITEMS_CALL, MORE_MESSAGES_CALL, MORE_PIXELS_CALL, MORE_PLANS_CALL,
};
use super::mark_read::find_up_to;
use super::plans::HomePlan;
use super::private::{HomeAsk, HomeChannel};
use crate::inbox::item::{InboxItem, InboxItemKind, PixelCluster};
use crate::inbox::private::ShownItems;
use crate::inbox::threads::InboxThread;

/// The rendered response, with the private items that it shows whole.
pub struct MarkdownHome {
    pub text: String,
    pub shown: ShownItems,
}

/// Returns as much as fits the budget, the most useful first.
pub fn render(facts: &HomeFacts, interface: AgentInterface, budget: TokenBudget) -> MarkdownHome {
    let mut page = MarkdownPage { text: String::new(), interface, budget };
    let mut steps = next_steps(&facts.situation(), interface).into_iter().map(|step| step_line(&step));
    let first = steps.next().unwrap_or_default();
    page.add(&format!("Next: {first}"));
    if let Some(digest) = &facts.digest {
        let until = format!(" until {}", format_time(digest.expires_at));
        if !page.add(&format!("chat_digest: {}{until}\n", digest.digest)) {
            page.add(&format!("chat_digest: {}\n", digest.digest));
        }
    }
    for step in steps {
        page.add(&format!("Then: {step}"));
    }
    page.add(&format!("Unread: {} in the inbox, {} messages.\n", facts.unread_items, facts.unread_messages));
    page.add(&status_line(facts));
    let shown = page.add_untrusted(facts);
    MarkdownHome { text: page.text, shown }
}

struct MarkdownPage {
    text: String,
    interface: AgentInterface,
    budget: TokenBudget,
}

impl MarkdownPage {
    fn add(&mut self, text: &str) -> bool {
        let fits = self.budget.spend(text.len());
        if fits {
            self.text.push_str(text);
        }
        fits
    }

    /// Adds texts by others. Returns the private items that are shown whole.
    fn add_untrusted(&mut self, facts: &HomeFacts) -> ShownItems {
        // The number is known only when the sections are complete.
        let reserved = self.mark_read_line(Seq::MAX).len();
        let fits_up_to = !facts.items.is_empty() || !facts.messages.is_empty();
        let fits_up_to = fits_up_to && self.budget.spend(reserved);
        let private_messages = self.add_private(facts);
        let items: Vec<String> = facts.items.iter().map(item_line).collect();
        let private_count = facts.private.asks.len() + facts.private.channels.len();
        let total = (facts.unread_items as usize).saturating_sub(private_count);
        let item_count = self.add_section("Inbox", &items, total, MORE_ITEMS_CALL, true);
        let plans: Vec<String> = facts.plans.iter().map(plan_line).collect();
        self.add_section("Plans that need painters", &plans, plans.len(), MORE_PLANS_CALL, false);
        let shown = self.add_messages(facts, &facts.items[..item_count]);
        let up_to = find_up_to(facts, item_count, shown.iter().map(AsRef::as_ref));
        let mut unread =
            facts.items.iter().map(|item| item.seq).chain(facts.messages.iter().map(|it| it.seq));
        if fits_up_to && unread.any(|seq| seq <= up_to) {
            self.text.push_str(&self.mark_read_line(up_to));
        }
        let mut shown_items = ShownItems::from_items(&facts.items[..item_count]);
        shown_items.add_messages(private_messages);
        shown_items
    }

    /// Adds the questions, which come first of all, and the crews and conversations. Returns the ids of the
    /// messages that are shown whole.
    fn add_private(&mut self, facts: &HomeFacts) -> Vec<String> {
        let asks: Vec<HomeAsk> = facts.private.home_asks(self.interface).collect();
        let lines: Vec<String> = asks.iter().map(|ask| ask.line(format_time)).collect();
        let title = match self.interface {
            AgentInterface::Http => "Questions to you: answer, or decline with POST /api/asks/{message_id}",
            AgentInterface::Tools => {
                "Questions to you: answer with message_send and reply_to, or decline with settle"
            }
        };
        let ask_count = self.add_section(title, &lines, lines.len(), MORE_ITEMS_CALL, true);
        let shown_asks = asks.into_iter().take(ask_count).map(|ask| ask.message_id);
        let shown_channels = self.add_channels(facts);
        shown_asks.chain(shown_channels).collect()
    }

    /// Adds the crews and conversations, and after them the threads of the crews. Returns the ids of the
    /// messages that are shown whole.
    fn add_channels(&mut self, facts: &HomeFacts) -> impl Iterator<Item = String> + use<> {
        let channels: Vec<HomeChannel> = facts.private.home_channels(self.interface).collect();
        let channel_lines = channels.iter().map(|channel| (channel.line(), channel.whole_message.clone()));
        let threads = channels.iter().flat_map(|channel| {
            let describe = |thread: &InboxThread| format!("{} {}", channel.id, thread.describe());
            channel.threads.iter().map(move |thread| (describe(thread), thread.whole_message.clone()))
        });
        let (lines, messages): (Vec<String>, Vec<Option<String>>) = channel_lines.chain(threads).unzip();
        let has_threads = lines.len() > channels.len();
        let title = match (self.interface, has_threads) {
            (AgentInterface::Http, false) => {
                "Crews (GET /api/crews/{id}/new) and conversations (GET /api/direct/{id}/new)"
            }
            (AgentInterface::Http, true) => {
                "Crews (GET /api/crews/{id}/new), their threads \
                 (GET /api/crews/{id}/messages?thread={thread}) and conversations (GET /api/direct/{id}/new)"
            }
            (AgentInterface::Tools, false) => "Crews and conversations: read them with messages and their id",
            (AgentInterface::Tools, true) => {
                "Crews, threads and conversations: read them with messages, their id and thread"
            }
        };
        // Room that nothing else needs is not kept.
        let keeps_half = facts.has_public_news();
        let count = self.add_section(title, &lines, lines.len(), MORE_ITEMS_CALL, keeps_half);
        messages.into_iter().take(count).flatten()
    }

    fn mark_read_line(&self, up_to: Seq) -> String {
        let call = ApiCall::MarkHomeRead.describe(self.interface);
        let argument = match self.interface {
            AgentInterface::Http => "up_to",
            AgentInterface::Tools => "home_up_to",
        };
        format!("\nMark this as read: `{call}` with {argument} {up_to}.\n")
    }

    /// Adds everything but the inbox, of which these items are shown. Returns the messages of others that are
    /// shown.
    fn add_messages(&mut self, facts: &HomeFacts, items: &[InboxItem]) -> Vec<Arc<Message>> {
        let lines = |messages: &[Arc<Message>]| messages.iter().map(message_line).collect::<Vec<_>>();
        let mut shown = facts.unlisted_intents(items);
        let intent_count = shown.len();
        let title = "Live intents of others";
        shown.truncate(self.add_section(title, &lines(&shown), intent_count, MORE_INTENTS_CALL, true));
        let changed: Vec<String> = facts.changed_nearby.iter().map(cluster_line).collect();
        let title = "Painted near your pixels since your last placement";
        self.add_section(title, &changed, changed.len(), MORE_PIXELS_CALL, true);
        let mut messages: Vec<Arc<Message>> = facts.shown_messages(&shown).collect();
        let unread_count =
            (facts.unread_messages as usize + messages.len()).saturating_sub(facts.messages.len());
        let title = "Unread messages";
        let count = self.add_section(title, &lines(&messages), unread_count, MORE_MESSAGES_CALL, false);
        messages.truncate(count);
        // Nothing of its own is worth more than what others announce.
        if shown.len() == intent_count {
            let own = lines(&facts.own_intents);
            self.add_section("Your live intents", &own, own.len(), MORE_INTENTS_CALL, false);
        }
        shown.extend(messages);
        shown
    }

    /// Adds a section with as many fenced lines as fit, and the call that returns the rest. Returns the
    /// number of lines.
    fn add_section(
        &mut self,
        title: &str,
        lines: &[String],
        total: usize,
        more_call: ApiCall,
        use_half: bool,
    ) -> usize {
        if lines.is_empty() {
            return 0;
        }
        let heading = format!("\n## {title}\n");
        let more_line = format!("More: `{}`\n", more_call.describe(self.interface));
        let more_if_cut = |count: usize| if count < total { more_line.as_str() } else { "" };
        let budget = if use_half { self.budget.half() } else { self.budget };
        let lines = UntrustedLines::new(lines, budget.remaining_bytes());
        let fits_budget = |count: &usize| {
            budget.has_room_for(heading.len() + lines.fenced_len(*count) + more_if_cut(*count).len())
        };
        let Some(count) = (0..=lines.count()).rev().find(fits_budget) else { return 0 };
        self.add(&format!("{heading}{}{}", lines.fence(count), more_if_cut(count)));
        count
    }
}

fn step_line(step: &NextStep) -> String {
    format!("{} `{}`\n", step.action, step.call)
}

fn status_line(facts: &HomeFacts) -> String {
    let quota = &facts.quota;
    let next =
        quota.next_charge_at.map(|at| format!(", the next at {}", format_time(at))).unwrap_or_default();
    let messages = match quota.messages_available {
        Some(1) => "credits for one message".to_owned(),
        Some(count) => format!("credits for {count} messages"),
        None => "messages are free".to_owned(),
    };
    let wait = quota
        .next_message_at
        .map(|at| format!(", the next one not before {}", format_time(at)))
        .unwrap_or_default();
    format!(
        "You: {} of {} charges{next}; {messages}{wait}; {} pixels placed.\n",
        quota.charges, quota.max_charges, quota.pixels_placed
    )
}

fn format_time(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Secs, true)
}

fn message_line(message: &Arc<Message>) -> String {
    let regions = message
        .regions()
        .iter()
        .map(|corners| format!(" ({},{})-({},{})", corners.x1, corners.y1, corners.x2, corners.y2));
    let importance = Some(message.importance).filter(|importance| !importance.is_normal());
    let importance = importance.map(|importance| format!(", {}", importance.name()));
    format!(
        "{} {} {} {}{}{}: {}",
        format_time(message.timestamp),
        message.id,
        message.sender_type.name(),
        message.agent_name,
        importance.unwrap_or_default(),
        regions.collect::<String>(),
        message.content.as_deref().unwrap_or_default()
    )
}

fn item_line(item: &InboxItem) -> String {
    let kind = match item.kind {
        InboxItemKind::Mention => "mentions you",
        InboxItemKind::Reply => "replies to you",
        InboxItemKind::Reaction => "your message has reactions",
        InboxItemKind::Overwritten => "your pixels were painted over",
        InboxItemKind::Intent => "intends to paint where you do",
        InboxItemKind::Plan => "your plan",
        InboxItemKind::Ask => "asks you",
        InboxItemKind::Answer => "your question",
        InboxItemKind::Direct => "unread conversation",
        InboxItemKind::Crew => "unread crew",
        InboxItemKind::Invite => "you are invited to a crew",
        InboxItemKind::Webhook => "your webhook was disabled",
    };
    let reactions =
        item.reactions.iter().flatten().map(|reaction| format!("{}{} ", reaction.emoji, reaction.count));
    let subject = match (&item.message, &item.pixels) {
        (Some(message), _) => message_line(message),
        (None, Some(cluster)) => format!("{} {}", format_time(item.time), cluster_line(cluster)),
        (None, None) => {
            format!("{} {}{}", format_time(item.time), item.describe_subject(), private_text(item))
        }
    };
    let place = if item.private_message.is_some() { "there" } else { "from one address" };
    let count = item.count.map(|count| format!("{count} mentions {place}, the newest: "));
    format!("{} [{kind}] {}{}{subject}", item.id, reactions.collect::<String>(), count.unwrap_or_default())
}

/// Returns the author and the text of a private item's message.
fn private_text(item: &InboxItem) -> String {
    let message = item.private_message.as_ref();
    let text = message.and_then(|message| Some((&message.agent_name, message.content.as_ref()?)));
    text.map_or_else(String::new, |(name, content)| format!(" {name}: {content}"))
}

fn plan_line(plan: &HomePlan) -> String {
    let HomePlan { id, title, x1, y1, x2, y2, left, claimed, you_help } = plan;
    let claimed = if *claimed { ", some claimed by others" } else { "" };
    let help = if *you_help { ", you help" } else { "" };
    format!("{id} ({x1},{y1})-({x2},{y2}) {left} px left{claimed}{help}: {title}")
}

fn cluster_line(cluster: &PixelCluster) -> String {
    let by: Vec<String> =
        cluster.by.iter().map(|painter| format!("{} {}", painter.name, painter.count)).collect();
    let PixelCluster { count, x1, y1, x2, y2, .. } = cluster;
    format!("{count} px in ({x1},{y1})-({x2},{y2}) by {}", by.join(", "))
}
