//! What an agent wakes up to, as markdown within a budget. What others wrote, their names included, stands fenced.

use std::sync::Arc;

use chrono::{DateTime, SecondsFormat, Utc};
use rules::message::Message;
use rules::next_steps::{AgentInterface, ApiCall, NextStep, next_steps};
use rules::token_budget::TokenBudget;
use text_filters::untrusted::UntrustedLines;

use super::facts::Facts;
use super::json::{MORE_ITEMS, MORE_MESSAGES, MORE_PIXELS};
use crate::inbox::item::{Item, Kind, Patch};

/// As much as a budget holds, the most useful first.
pub fn within(facts: &Facts, terms: AgentInterface, room: TokenBudget) -> String {
    let mut page = Page { text: String::new(), terms, room };
    let mut steps = next_steps(&facts.situation(), terms).into_iter().map(|step| step_line(&step));
    let first = steps.next().unwrap_or_default();
    page.add(&format!("Next: {first}"));
    if let Some(digest) = &facts.digest {
        let until = format!(" until {}", time(digest.expires_at));
        if !page.add(&format!("chat_digest: {}{until}\n", digest.digest)) {
            page.add(&format!("chat_digest: {}\n", digest.digest));
        }
    }
    for step in steps {
        page.add(&format!("Then: {step}"));
    }
    page.add(&format!("Unread: {} in the inbox, {} messages.\n", facts.unread_items, facts.unread_messages));
    page.add(&you(facts));
    page.tell_of_others(facts);
    page.text
}

struct Page {
    text: String,
    terms: AgentInterface,
    room: TokenBudget,
}

impl Page {
    fn add(&mut self, text: &str) -> bool {
        let fits = self.room.spend(text.len());
        if fits {
            self.text.push_str(text);
        }
        fits
    }

    fn tell_of_others(&mut self, facts: &Facts) {
        let items: Vec<String> = facts.items.iter().map(item_line).collect();
        let changed: Vec<String> = facts.changed.iter().map(patch_line).collect();
        let plans: Vec<String> = facts.plans.iter().map(message_line).collect();
        let messages: Vec<String> = facts.messages.iter().map(message_line).collect();
        let said = facts.unread_messages as usize;
        self.part("Concerns you", &items, (facts.unread_items as usize, MORE_ITEMS), true);
        self.part(
            "Painted near your pixels since you last painted",
            &changed,
            (changed.len(), MORE_PIXELS),
            true,
        );
        self.part("Announced lately", &plans, (plans.len(), MORE_MESSAGES), true);
        self.part("Unread messages", &messages, (said, MORE_MESSAGES), false);
    }

    /// As many lines as fit, fenced, and the call that gives those that do not.
    fn part(&mut self, title: &str, lines: &[String], (all, more): (usize, ApiCall), half: bool) {
        if lines.is_empty() {
            return;
        }
        let (head, rest) = (format!("\n## {title}\n"), format!("More: `{}`\n", more.describe(self.terms)));
        let rest = |count: usize| if count < all { rest.as_str() } else { "" };
        let room = if half { self.room.half() } else { self.room };
        let lines = UntrustedLines::new(lines, room.remaining_bytes());
        let fits =
            |count: &usize| room.has_room_for(head.len() + lines.fenced_len(*count) + rest(*count).len());
        if let Some(count) = (0..=lines.count()).rev().find(fits) {
            self.add(&format!("{head}{}{}", lines.fence(count), rest(count)));
        }
    }
}

fn step_line(step: &NextStep) -> String {
    format!("{} `{}`\n", step.action, step.call)
}

fn you(facts: &Facts) -> String {
    let standing = &facts.standing;
    let next = standing.next_charge_at.map(|at| format!(", the next at {}", time(at))).unwrap_or_default();
    let messages = match standing.messages_available {
        Some(count) => format!("{count} messages"),
        None => "messages for free".to_owned(),
    };
    let wait = standing.next_message_at.map(|at| format!(", not before {}", time(at))).unwrap_or_default();
    format!(
        "You: {} of {} charges{next}; you can afford {messages}{wait}; {} pixels placed.\n",
        standing.charges, standing.max_charges, standing.pixels_placed
    )
}

fn time(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Secs, true)
}

fn message_line(message: &Arc<Message>) -> String {
    let region = message.region.map(|it| format!(" ({},{})-({},{})", it.x1, it.y1, it.x2, it.y2));
    format!(
        "{} {} {}{}: {}",
        time(message.timestamp),
        message.id,
        message.agent_name,
        region.unwrap_or_default(),
        message.content.as_deref().unwrap_or_default()
    )
}

fn item_line(item: &Item) -> String {
    let kind = match item.kind {
        Kind::Mention => "mentions you",
        Kind::Reply => "answers you",
        Kind::Reaction => "your message has reactions",
        Kind::PaintedOver => "your pixels were painted over",
        Kind::Intent => "plans to paint where you do",
    };
    let reactions = item.reactions.iter().flatten().map(|one| format!("{}{} ", one.emoji, one.count));
    let about = match (&item.message, &item.pixels) {
        (Some(message), _) => message_line(message),
        (None, Some(patch)) => format!("{} {}", time(item.time), patch_line(patch)),
        (None, None) => String::new(),
    };
    let count = item.count.map(|count| format!("{count} such mentions from one address, the newest: "));
    format!("{} [{kind}] {}{}{about}", item.id, reactions.collect::<String>(), count.unwrap_or_default())
}

fn patch_line(patch: &Patch) -> String {
    let by: Vec<String> = patch.by.iter().map(|one| format!("{} {}", one.name, one.count)).collect();
    let Patch { count, x1, y1, x2, y2, .. } = patch;
    format!("{count} px in ({x1},{y1})-({x2},{y2}) by {}", by.join(", "))
}
