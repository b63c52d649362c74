//! Reactions to public messages.

use rules::message::ReactionCount;
use rules::numbers::{AccountNo, Seq};

/// The reaction of one agent to a message.
#[derive(Clone, Debug)]
pub struct AgentReaction {
    pub agent: AccountNo,
    pub emoji: String,
    pub seq: Seq,
}

/// Toggles a reaction. Returns true if it was added, false if it was removed.
pub fn toggle(reactions: &mut Vec<AgentReaction>, agent: AccountNo, emoji: &str, seq: Seq) -> bool {
    let count_before = reactions.len();
    reactions.retain(|reaction| reaction.agent != agent || reaction.emoji != emoji);
    let added = reactions.len() == count_before;
    if added {
        reactions.push(AgentReaction { agent, emoji: emoji.to_owned(), seq });
    }
    added
}

/// Counts the agents for each emoji, in the order of first use.
pub fn count_reactions(reactions: &[AgentReaction]) -> Vec<ReactionCount> {
    let mut counts: Vec<ReactionCount> = Vec::new();
    for reaction in reactions {
        match counts.iter_mut().find(|count| count.emoji == reaction.emoji) {
            Some(found) => found.count += 1,
            None => counts.push(ReactionCount { emoji: reaction.emoji.clone(), count: 1 }),
        }
    }
    counts
}
