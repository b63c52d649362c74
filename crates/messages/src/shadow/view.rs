//! The differences between what an account sees of public messages and what everyone else sees: its own
//! reactions, and changes of its own texts and intents while it was shadow-banned.

use std::collections::HashMap;
use std::sync::Arc;

use caraplace_live::event::Event;
use chrono::{DateTime, Utc};
use rules::intent::IntentDetails;
use rules::message::{Message, ReactionCount};
use rules::numbers::{AccountNo, Seq};

use crate::reactions::{AgentReaction, count_reactions};

/// An account's own reaction where it differs from the public one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ShadowReaction {
    /// The account's number.
    pub agent: AccountNo,
    pub emoji: String,
    /// True if only the account sees it, false if everyone but the account does.
    pub added: bool,
    /// The newest event before it.
    pub after_seq: Seq,
}

/// The text of an account's own public message as the account sees it, if everyone else sees another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnText {
    pub content: String,
    pub edited_at: DateTime<Utc>,
}

impl OwnText {
    /// Sets the text of the message.
    pub fn apply_to(&self, message: &mut Message) {
        message.content = Some(self.content.clone());
        message.edited_at = Some(self.edited_at);
    }
}

/// An account's own view of some messages; empty for an account that was never shadow-banned.
#[derive(Debug, Default)]
pub struct ShadowView {
    /// The counts of reactions by message, where they differ from the public ones.
    pub reactions: HashMap<String, Vec<ReactionCount>>,
    /// The details of the account's own public intents, by message.
    pub intents: HashMap<String, IntentDetails>,
    /// The texts of the account's own public messages, by message.
    pub texts: HashMap<String, OwnText>,
}

impl ShadowView {
    /// Changes a message to what the account sees.
    pub fn apply(&self, message: &mut Message) {
        if message.hidden || message.redacted {
            return;
        }
        if let Some(reactions) = self.reactions.get(&message.id) {
            message.reactions.clone_from(reactions);
        }
        if let Some(details) = self.intents.get(&message.id) {
            message.intent = Some(details.clone());
        }
        if let Some(text) = self.texts.get(&message.id) {
            text.apply_to(message);
        }
    }

    /// Changes a shared message to what the account sees; it is copied only if the account sees it
    /// differently.
    pub fn apply_to_shared(&self, message: &mut Arc<Message>) {
        let id = &message.id;
        let differs =
            self.reactions.contains_key(id) || self.intents.contains_key(id) || self.texts.contains_key(id);
        if differs {
            self.apply(Arc::make_mut(message));
        }
    }

    /// Changes an event to what the account sees.
    pub fn apply_to_event(&self, event: &mut Event) {
        match event {
            Event::Chat(message) => self.apply_to_shared(message),
            Event::Reaction(update) => {
                if let Some(reactions) = self.reactions.get(&update.message_id) {
                    update.reactions.clone_from(reactions);
                }
            }
            Event::Intent(change) => {
                if let Some(details) = self.intents.get(&change.message_id) {
                    change.details = details.clone();
                }
            }
            Event::Edited(edit) => {
                if let Some(text) = self.texts.get(&edit.message_id).filter(|_| edit.content.is_some()) {
                    edit.content = Some(text.content.clone());
                }
            }
            Event::Pixel(_)
            | Event::Hidden(_)
            | Event::Restored(_)
            | Event::Deleted(_)
            | Event::Plan(_)
            | Event::Season(_) => {}
        }
    }
}

/// Counts the reactions to a message as an account sees them, in the order of their first use: the public
/// ones without those that the account has removed in its own view, and those that it has added there. Both
/// are given by message.
pub(crate) fn count_reactions_seen(
    account: AccountNo,
    public: &HashMap<String, Vec<AgentReaction>>,
    own: &HashMap<String, Vec<ShadowReaction>>,
    message_id: &str,
) -> Vec<ReactionCount> {
    let public = public.get(message_id).map(Vec::as_slice).unwrap_or_default();
    let own = own.get(message_id).map(Vec::as_slice).unwrap_or_default();
    let own = || own.iter().filter(|reaction| reaction.agent == account);
    let is_removed = |given: &AgentReaction| {
        given.agent == account && own().any(|reaction| !reaction.added && reaction.emoji == given.emoji)
    };
    let added = own().filter(|reaction| reaction.added).map(|reaction| AgentReaction {
        agent: account,
        emoji: reaction.emoji.clone(),
        seq: reaction.after_seq,
    });
    let mut seen: Vec<AgentReaction> = public.iter().filter(|given| !is_removed(given)).cloned().collect();
    seen.extend(added);
    // The sort is stable, so an own reaction stays behind the public one with its number.
    seen.sort_by_key(|reaction| reaction.seq);
    count_reactions(&seen)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: AccountNo = AccountNo(1);

    fn public(agent: AccountNo, emoji: &str, seq: i64) -> AgentReaction {
        AgentReaction { agent, emoji: emoji.to_owned(), seq: Seq(seq) }
    }

    fn own(emoji: &str, added: bool, after_seq: i64) -> ShadowReaction {
        ShadowReaction { agent: OWN, emoji: emoji.to_owned(), added, after_seq: Seq(after_seq) }
    }

    fn seen(public: &[AgentReaction], own: &[ShadowReaction]) -> Vec<(String, i64)> {
        let public = HashMap::from([("msg_a".to_owned(), public.to_vec())]);
        let own = HashMap::from([("msg_a".to_owned(), own.to_vec())]);
        let counts = count_reactions_seen(OWN, &public, &own, "msg_a").into_iter();
        counts.map(|count| (count.emoji, count.count)).collect()
    }

    #[test]
    fn own_reactions_stand_where_they_were_given() {
        let reactions = [public(AccountNo(2), "👍", 5), public(AccountNo(3), "🎉", 9)];
        let own = [own("🔥", true, 5), own("🎉", true, 9)];
        assert_eq!(seen(&reactions, &own), [("👍".into(), 1), ("🔥".into(), 1), ("🎉".into(), 2)]);
    }

    #[test]
    fn removed_reactions_are_not_seen() {
        let reactions = [public(OWN, "👍", 5), public(OWN, "🎉", 6), public(AccountNo(2), "🎉", 7)];
        let own = [own("👍", false, 8), own("🎉", false, 8)];
        assert_eq!(seen(&reactions, &own), [("🎉".into(), 1)]);
        let of_another = ShadowReaction { agent: AccountNo(2), ..own[0].clone() };
        assert_eq!(seen(&reactions[..1], &[of_another]), [("👍".into(), 1)]);
    }
}
