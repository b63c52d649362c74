//! Finds what only its author sees in a batch, and makes shadow messages public.

use std::sync::Arc;

use caraplace_log::batch_context::BatchContext;
use rules::audience::Audience;
use rules::message::Message;
use rules::numbers::AccountNo;

use super::message::ShadowMessage;
use crate::batch::append_message;
use crate::known::ExistingMessage;
use crate::part::Messages;

/// Returns true if an account alone can see a message of the season, and has not deleted it.
pub fn is_own_shadow_message(context: &BatchContext<'_>, account: AccountNo, id: &str) -> bool {
    let is_visible = |shadow: &ShadowMessage| {
        shadow.author == account && !shadow.message.deleted && shadow.after_seq >= context.season.seq
    };
    context.part::<Messages>().known.shadow_messages.get(id).is_some_and(is_visible)
}

/// Makes a shadow message public as it is now; `None` if it is no shadow message, or deleted. A reply to a
/// message that is not public becomes a message without a target; likewise, only a public plan stays named.
pub fn release_shadow_message(context: &mut BatchContext<'_>, id: &str) -> Option<Arc<Message>> {
    let messages = context.part_mut::<Messages>();
    let shadow = messages.known.shadow_messages.remove(id);
    let ShadowMessage { author, message, names_shadow_plan, .. } =
        shadow.filter(|shadow| !shadow.message.deleted)?;
    let mut current =
        messages.known.intents.remove(id).map_or_else(|| Message::clone(&message), |stored| stored.message);
    current.reply_to = current.reply_to.filter(|target| messages.is_hidden(target).is_some());
    current.plan_id = current.plan_id.filter(|_| !names_shadow_plan);
    let message = append_message(context, Audience::Everyone, Some(author), current);
    let released = ExistingMessage { seq: message.seq, is_hidden: false };
    let messages = context.part_mut::<Messages>();
    messages.known.messages.insert(message.id.clone(), released);
    messages.changes.shadow.released.push((message.id.clone(), message.seq));
    Some(message)
}

/// Returns true if an account sees its own reaction otherwise than everyone else.
pub fn has_shadow_reaction(
    context: &BatchContext<'_>,
    account: AccountNo,
    message_id: &str,
    emoji: &str,
) -> bool {
    let known = &context.part::<Messages>().known;
    let mut reactions = known.shadow_reactions.get(message_id).into_iter().flatten();
    reactions.any(|reaction| reaction.agent == account && reaction.emoji == emoji)
}
