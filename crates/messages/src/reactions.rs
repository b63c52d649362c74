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
