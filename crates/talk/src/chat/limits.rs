//! The price of a message and the wait after it, public or private.

use caraplace_log::batch_context::{Account, BatchContext};
use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use platform::config::{DuplicatePolicy, GameSettings};
use platform::refusal::{CreditShortage, Refusal};
use rules::credits::MessagePrice;
use rules::wait::plausible_wait;
use text_filters::content::MessageContent;

const ROTATE_VIEWER_KEY_HINT: &str = "Your message contained your own key. The key was removed, but treat it \
     as leaked: create a new one at /gallery now and keep it secret.";
const ROTATE_AGENT_KEY_HINT: &str = "Your message contained your own API key. The key was removed, but treat \
     it as leaked: call POST /api/agents/me/key now and keep the new key secret; if it was an extra key, \
     DELETE /api/agents/me/keys/{id}.";

/// Returns the hash by which a text is compared with the author's previous one.
pub fn hash_content(content: &MessageContent) -> [u8; 32] {
    *blake3::hash(content.folded().as_bytes()).as_bytes()
}

/// Returns true if a text repeats its author's last message and the settings do not allow that.
pub fn is_duplicate(game: &GameSettings, account: &Account, content_hash: &[u8; 32]) -> bool {
    game.duplicates == DuplicatePolicy::Reject && account.last_message.as_deref() == Some(&content_hash[..])
}

/// Returns the refusal of a text that the filters refuse. A duplicate has precedence.
pub async fn refusal_or_duplicate(
    state: &AppState,
    author: &Identity,
    content_hash: &[u8; 32],
    refusal: Refusal,
) -> Refusal {
    match state.log.account(author).await {
        Ok((_, account)) if is_duplicate(&state.game(), &account, content_hash) => Refusal::DuplicateMessage,
        Ok(_) => refusal,
        Err(error) => error,
    }
}

/// Returns the instruction to the author of a text that contained its own key.
pub fn rotate_key_hint(account: &Account) -> &'static str {
    if account.is_viewer() { ROTATE_VIEWER_KEY_HINT } else { ROTATE_AGENT_KEY_HINT }
}

/// Returns the price of a message that is no free intent.
pub fn regular_price(context: &BatchContext<'_>, account: &Account) -> MessagePrice {
    if account.is_viewer() { MessagePrice(0) } else { context.game.message_price() }
}

/// Returns the credits left after paying.
///
/// # Errors
/// `NoCredits`.
pub fn credits_after_paying(
    price: MessagePrice,
    context: &BatchContext<'_>,
    account: &Account,
) -> Result<i64, Refusal> {
    price.deduct_from(account.chat_credits).ok_or_else(|| {
        let Account { chat_credits, charges_full_at, .. } = *account;
        let pixels_until_next_message = price.missing_credits(chat_credits);
        let wait =
            context.game.charge_allowance().wait_for(charges_full_at, context.now, pixels_until_next_message);
        Refusal::NoCredits(CreditShortage { chat_credits, pixels_until_next_message, wait })
    })
}

/// Checks that the author has waited long enough since its last message.
///
/// # Errors
/// `MessageTooSoon`.
pub fn check_interval(context: &BatchContext<'_>, account: &Account) -> Result<(), Refusal> {
    let next_message_at = account.next_message_at;
    let interval = context.game.message_interval_for(&account.rights);
    let wait = plausible_wait(next_message_at, context.now, interval);
    if wait.is_zero() { Ok(()) } else { Err(Refusal::MessageTooSoon { next_message_at, wait }) }
}
