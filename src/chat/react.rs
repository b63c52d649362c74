//! Reacting: one emoji on a message, free, and the same one again takes it back.

use rules::ids::MessageId;
use rules::message::ReactionCount;
use rules::rights::AccountAction;
use serde::Serialize;
use text_filters::content::ContentRefusal;
use text_filters::emoji::Emoji;
use text_filters::text_limits::check_raw_length;
use utoipa::ToSchema;

use super::new_message::NewMessage;
use crate::log::deed::Deed;
use crate::log::ground::{Account, Ground, Needs};
use crate::log::roster::Agent;
use crate::moderation::sanctions;
use crate::refusal::{InputError, InputErrorKind, Refusal};
use crate::schema::ReactionCountSchema;
use crate::state::AppState;

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

/// Checks a reaction.
///
/// # Errors
/// Why it cannot be made.
pub async fn draft(state: &AppState, agent: &Agent, form: &NewMessage) -> Result<React, Refusal> {
    form.check_no_plan()?;
    let missing = || InputError::of_field(InputErrorKind::Missing, "reply_to", "A reaction needs reply_to.");
    let reply_to = form.reply_to.as_deref().ok_or_else(missing)?;
    let not_one = || Refusal::invalid("content", "The content of a reaction is exactly one emoji.");
    // That it is no emoji is told with the fields, before a ban; that it is too long with the content, behind it.
    let emoji = match check_raw_length(&form.content) {
        Ok(()) => Ok(Emoji::parse(&form.content).ok_or_else(not_one)?),
        Err(too_long) => Err(Refusal::Content(ContentRefusal::from(too_long))),
    };
    sanctions::check(state, agent, AccountAction::React).await?;
    let emoji = emoji?;
    let message_id = MessageId::parse(reply_to).ok_or(Refusal::ReplyTargetMissing)?;
    Ok(React { message_id, emoji })
}

impl Deed for React {
    type Done = Reacted;

    const ACT: AccountAction = AccountAction::React;

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
        let reactions = if account.rights.shadowed {
            ground.with_reaction(account.no, message, emoji)
        } else {
            ground.toggle_reaction(account.no, message, emoji)
        };
        Ok(Reacted { success: true, reply_to: self.message_id.as_str().to_owned(), reactions })
    }
}
