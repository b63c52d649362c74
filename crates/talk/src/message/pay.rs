//! The price of a message, and what it counts in.

use caraplace_log::batch_context::{Account, BatchContext};
use platform::refusal::{PrivateRefusal, Refusal};
use rules::credits::MessagePrice;
use rules::place::Place;
use rules::wait::plausible_wait;

use super::draft::MessageDraft;
use crate::chat::limits::{check_interval, credits_after_paying};
use crate::importance::ImportanceUses;

/// Takes the credits for a message and sets the time of the next one, after the last checks. Returns the
/// credits left.
///
/// # Errors
/// `TooManyImportant`, `NoCredits`, `MessageTooSoon`, `WhisperTooSoon` or `TooManyFromAddress`.
pub(crate) fn pay(
    context: &mut BatchContext<'_>,
    account: &mut Account,
    place: Place,
    draft: &MessageDraft,
    price: MessagePrice,
) -> Result<i64, Refusal> {
    let now = context.now;
    context.part::<ImportanceUses>().check(account.no, draft.importance, now)?;
    let remaining_credits = credits_after_paying(price, context, account)?;
    // Viewers wait between their whispers, whatever they say in public.
    let is_whisper = place != Place::Public && account.is_viewer();
    if is_whisper {
        check_whisper_interval(context, account)?;
    } else {
        check_interval(context, account)?;
    }
    // This is the last check, so that it does not hide another refusal.
    let limit = context.game.messages_per_ip_per_minute;
    draft.slot.reserve_as(account.rights.kind, limit, now)?;
    if is_whisper {
        account.next_whisper_at = now + context.game.whisper_interval();
    } else {
        account.next_message_at = now + context.game.message_interval_for(&account.rights);
    }
    match place {
        Place::Public => account.messages_sent += 1,
        Place::Crew | Place::Conversation => account.private_messages_sent += 1,
    }
    account.chat_credits = remaining_credits;
    account.last_message = Some(draft.content_hash.to_vec());
    context.part_mut::<ImportanceUses>().record(account.no, draft.importance, now);
    Ok(remaining_credits)
}

fn check_whisper_interval(context: &BatchContext<'_>, account: &Account) -> Result<(), Refusal> {
    let wait = plausible_wait(account.next_whisper_at, context.now, context.game.whisper_interval());
    if wait.is_zero() { Ok(()) } else { Err(PrivateRefusal::WhisperTooSoon { wait }.into()) }
}
