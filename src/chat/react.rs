//! Reacting: one emoji on a message, free, and the same one again takes it back.

use rules::ids::MessageId;
use rules::message::ReactionCount;
use rules::rights::Act;
use serde::Serialize;
use text_filters::emoji::Emoji;
use utoipa::ToSchema;

use crate::log::deed::Deed;
use crate::log::ground::{Account, Ground, Needs};
use crate::refusal::Refusal;
use crate::schema::ReactionCountSchema;

/// The answer to a reaction.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Reacted {
    pub success: bool,
    /// The message that was reacted to.
    pub reply_to: String,
    /// All reactions to it now.
    #[schema(value_type = Vec<ReactionCountSchema>)]
    pub reactions: Vec<ReactionCount>,
}

/// An emoji to be put on a message or taken back.
pub struct React {
    pub message_id: MessageId,
    pub emoji: Emoji,
}

impl Deed for React {
    type Done = Reacted;

    const ACT: Act = Act::React;

    fn needs(&self, needs: &mut Needs) {
        needs.messages.push(self.message_id.as_str().to_owned());
        needs.reactions.push(self.message_id.as_str().to_owned());
    }

    fn decide(&self, ground: &mut Ground<'_>, account: &mut Account) -> Result<Reacted, Refusal> {
        if !ground.has_message(self.message_id.as_str()) {
            return Err(Refusal::ReplyTargetMissing);
        }
        let (limit, now) = (ground.game.reactions(), ground.now);
        let wait = limit.wait_for(account.reactions_full_at, now, 1);
        let spent = limit.spend(account.reactions_full_at, now, 1);
        account.reactions_full_at = spent.ok_or(Refusal::TooManyReactions { wait })?;
        let (message, emoji) = (self.message_id.as_str(), self.emoji.as_str());
        // Nobody else hears of what the shadow-banned think either.
        let reactions = match account.rights.shadowed {
            true => ground.with_reaction(account.no, message, emoji),
            false => ground.toggle_reaction(account.no, message, emoji),
        };
        Ok(Reacted { success: true, reply_to: self.message_id.as_str().to_owned(), reactions })
    }
}
