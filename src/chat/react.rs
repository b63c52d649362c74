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
use crate::log::batch_context::{Account, BatchContext, LookupNeeds};
use crate::log::command::Command;
use crate::log::key_cache::Agent;
use crate::moderation::permissions;
use crate::refusal::{InputError, InputErrorKind, Refusal};
use crate::schema::ReactionCountSchema;
use crate::state::AppState;

/// The answer to a reaction.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ReactionResponse {
    pub success: bool,
    /// The message that was reacted to.
    pub reply_to: String,
    /// All reactions to it now.
    #[schema(value_type = Vec<ReactionCountSchema>)]
    pub reactions: Vec<ReactionCount>,
}

/// An emoji to be put on a message or taken back.
pub struct ToggleReaction {
    pub message_id: MessageId,
    pub emoji: Emoji,
}

/// Checks a reaction.
///
/// # Errors
/// Why it cannot be made.
pub async fn prepare(state: &AppState, agent: &Agent, body: &NewMessage) -> Result<ToggleReaction, Refusal> {
    body.check_no_intent_fields()?;
    let missing = || InputError::for_field(InputErrorKind::Missing, "reply_to", "A reaction needs reply_to.");
    let reply_to = body.reply_to.as_deref().ok_or_else(missing)?;
    let not_one_emoji = || Refusal::invalid("content", "The content of a reaction is exactly one emoji.");
    // That it is no emoji is told with the fields, before a ban; that it is too long with the content, behind it.
    let emoji = match check_raw_length(&body.content) {
        Ok(()) => Ok(Emoji::parse(&body.content).ok_or_else(not_one_emoji)?),
        Err(too_long) => Err(Refusal::Content(ContentRefusal::from(too_long))),
    };
    permissions::check(state, agent, AccountAction::React).await?;
    let emoji = emoji?;
    let message_id = MessageId::parse(reply_to).ok_or(Refusal::ReplyTargetMissing)?;
    Ok(ToggleReaction { message_id, emoji })
}

impl Command for ToggleReaction {
    type Output = ReactionResponse;

    const ACT: AccountAction = AccountAction::React;

    fn require_lookups(&self, needs: &mut LookupNeeds) {
        needs.messages.push(self.message_id.as_str().to_owned());
        needs.reactions.push(self.message_id.as_str().to_owned());
    }

    fn decide(
        &self,
        context: &mut BatchContext<'_>,
        account: &mut Account,
    ) -> Result<ReactionResponse, Refusal> {
        if !context.has_message(self.message_id.as_str()) {
            return Err(Refusal::ReplyTargetMissing);
        }
        let (limit, now) = (context.game.reaction_allowance(), context.now);
        let wait = limit.wait_for(account.reactions_full_at, now, 1);
        let full_at = limit.spend(account.reactions_full_at, now, 1);
        account.reactions_full_at = full_at.ok_or(Refusal::TooManyReactions { wait })?;
        let (message, emoji) = (self.message_id.as_str(), self.emoji.as_str());
        // Nobody else hears of what the shadow-banned think either.
        let reactions = if account.rights.shadowed {
            context.preview_reaction(account.no, message, emoji)
        } else {
            context.toggle_reaction(account.no, message, emoji)
        };
        Ok(ReactionResponse { success: true, reply_to: self.message_id.as_str().to_owned(), reactions })
    }
}
