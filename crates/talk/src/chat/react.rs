//! Reactions: one emoji on a message, free of charge. The same emoji again removes the reaction.

use caraplace_accounts::agents::permissions;
use caraplace_log::batch_context::{Account, BatchContext, LookupNeeds};
use caraplace_log::command::Command;
use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use caraplace_messages::batch::{has_message, toggle_reaction};
use caraplace_messages::part::Messages;
use caraplace_messages::shadow;
use chrono::{DateTime, Utc};
use platform::refusal::{InputError, InputErrorKind, Refusal};
use rules::audience::Audience;
use rules::charges::reaction_allowance;
use rules::ids::MessageId;
use rules::message::ReactionCount;
use rules::rights::AccountAction;
use serde::Serialize;
use text_filters::content::ContentRefusal;
use text_filters::emoji::Emoji;
use text_filters::text_limits::check_raw_length;
use utoipa::ToSchema;

use super::new_message::NewMessage;

/// Response to a reaction.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ReactionResponse {
    pub success: bool,
    /// The message that was reacted to.
    pub reply_to: String,
    /// All reactions to the message after the request.
    pub reactions: Vec<ReactionCount>,
}

/// An emoji to add to a message or to remove from it.
pub struct ToggleReaction {
    pub message_id: MessageId,
    pub emoji: Emoji,
    /// True if the account may react to messages that only it can see.
    pub has_own_view: bool,
}

/// Validates a reaction.
///
/// # Errors
/// Returns the first refusal: of the fields, of the account, or of the text.
pub async fn prepare(
    state: &AppState,
    account: &Identity,
    body: &NewMessage,
) -> Result<ToggleReaction, Refusal> {
    body.check_no_intent_fields()?;
    body.check_no_plan()?;
    body.check_no_importance()?;
    let missing = || {
        InputError::for_field(
            InputErrorKind::Missing,
            "reply_to",
            "reply_to is missing. Send the id of the message to react to.",
        )
    };
    let reply_to = body.reply_to.as_deref().ok_or_else(missing)?;
    let not_one_emoji =
        || Refusal::invalid("content", "The content of a reaction must be exactly one emoji.");
    // A text that is not one emoji is an invalid field, refused before sanctions are checked. A text that is
    // too long is invalid content, refused after them.
    let emoji = match check_raw_length(&body.content) {
        Ok(()) => Ok(Emoji::parse(&body.content).ok_or_else(not_one_emoji)?),
        Err(too_long) => Err(Refusal::Content(ContentRefusal::from(too_long))),
    };
    permissions::check(state, account, AccountAction::React).await?;
    let emoji = emoji?;
    let message_id = MessageId::parse(reply_to).ok_or(Refusal::ReplyTargetMissing)?;
    Ok(ToggleReaction { message_id, emoji, has_own_view: account.has_own_view })
}

/// Counts an action that costs no credits: a reaction, or a change of an intent.
///
/// # Errors
/// `TooManyReactions`.
pub(crate) fn spend_free_action(account: &mut Account, now: DateTime<Utc>) -> Result<(), Refusal> {
    let spent = reaction_allowance().spend_one(account.reactions_full_at, now);
    account.reactions_full_at = spent.map_err(|wait| Refusal::TooManyReactions { wait })?;
    Ok(())
}

impl Command for ToggleReaction {
    type Output = ReactionResponse;

    const ACTION: AccountAction = AccountAction::React;

    fn require_lookups(&self, needs: &mut LookupNeeds) {
        let messages = needs.parts.get_mut::<Messages>();
        messages.require([self.message_id.as_str().to_owned()]);
        messages.require_reactions(&self.message_id);
        if self.has_own_view {
            messages.require_shadow_messages([self.message_id.as_str().to_owned()]);
        }
    }

    fn decide(
        &self,
        context: &mut BatchContext<'_>,
        account: &mut Account,
    ) -> Result<ReactionResponse, Refusal> {
        let message = self.message_id.as_str();
        let emoji = self.emoji.as_str();
        let is_own_shadow = shadow::is_own_shadow_message(context, account.no, message);
        if !is_own_shadow && !has_message(context, message) {
            return Err(Refusal::ReplyTargetMissing);
        }
        spend_free_action(account, context.now)?;
        // After a shadow-ban, the account sees what everyone sees by taking back what it has done meanwhile.
        let is_own = is_own_shadow || shadow::has_shadow_reaction(context, account.no, message, emoji);
        let audience = if is_own { Audience::Author(account.no) } else { account.audience() };
        let reactions = toggle_reaction(context, audience, account.no, message, emoji);
        Ok(ReactionResponse { success: true, reply_to: self.message_id.as_str().to_owned(), reactions })
    }
}
