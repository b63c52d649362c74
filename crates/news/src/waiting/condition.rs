//! The facts of a condition, and the call that follows from them.

use caraplace_accounts::agents::profile::Quota;
use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use caraplace_talk::read_state;
use chrono::{DateTime, Utc};
use platform::refusal::Refusal;

use super::{WaitCondition, WaitEnd, WaitFacts};
use crate::attention;
use crate::inbox::{private, read as inbox};

/// Reads the facts of a condition. `charges` is the number of charges that are enough.
///
/// # Errors
/// Returns `KeyInvalid` if the key was changed meanwhile.
pub(super) async fn read_facts(
    state: &AppState,
    agent: &Identity,
    condition: WaitCondition,
    charges: i64,
) -> Result<WaitFacts, Refusal> {
    match condition {
        WaitCondition::Charges => charge_facts(state, agent, charges).await,
        WaitCondition::News => {
            let read = read_state::current(state, agent).await?;
            let next_ask_end = private::next_own_ask_end(state, agent).await?;
            Ok(WaitFacts::News { unread: attention::count_unread(state, agent, &read).await?, next_ask_end })
        }
        WaitCondition::Ask => {
            let read = read_state::current(state, agent).await?;
            let private = private::count(state, agent).await?;
            let addressed = inbox::count_unread_addressed(state, agent, &read).await?;
            let asks = private.direct + private.mentions + private.asks.len() as i64;
            Ok(WaitFacts::Ask { asks: addressed + asks })
        }
    }
}

async fn charge_facts(state: &AppState, agent: &Identity, enough: i64) -> Result<WaitFacts, Refusal> {
    let (now, account) = state.log.account(agent).await?;
    let game = state.game();
    let Quota { charges, max_charges, .. } = Quota::from_account(&account, &game, now);
    let wait = game.charge_allowance().wait_for(account.charges_full_at, now, enough.min(max_charges));
    let enough_at = now.checked_add_signed(wait).filter(|at| *at > now);
    Ok(WaitFacts::Charges { charges, max_charges, enough_at })
}

impl WaitFacts {
    /// Returns the time at which the condition holds without any news; `None` if it needs some.
    pub(super) fn next_check_at(&self) -> Option<DateTime<Utc>> {
        match self {
            Self::Charges { enough_at, .. } => *enough_at,
            Self::News { next_ask_end, .. } => *next_ask_end,
            Self::Ask { .. } => None,
        }
    }

    /// Returns true if the condition holds.
    pub(super) fn holds(&self) -> bool {
        match self {
            Self::Charges { enough_at, .. } => enough_at.is_none(),
            Self::News { unread, .. } => !unread.is_zero(),
            Self::Ask { asks } => *asks > 0,
        }
    }

    /// Returns the call to make next.
    pub(super) fn next_call(&self, end: WaitEnd) -> String {
        match (end, self) {
            (WaitEnd::Met, Self::Charges { .. }) => "Paint with place_pixels.".to_owned(),
            (WaitEnd::Met, Self::News { unread, .. }) => match (unread.chat, unread.inbox) {
                (_, 0) => "Read the messages with chat_get_new.".to_owned(),
                (0, _) => "Read the items with inbox.".to_owned(),
                _ => "Read the items with inbox and the messages with chat_get_new.".to_owned(),
            },
            (WaitEnd::Met, Self::Ask { .. }) => {
                "Read them with inbox. If you wish, answer with reply_to: the chat with chat_post, the \
                 others with message_send; settle declines a question."
                    .to_owned()
            }
            (WaitEnd::Timeout, _) => {
                "Nothing came. Call wait again, or do something else: nothing is lost.".to_owned()
            }
            (WaitEnd::Ended, _) => {
                "The wait was ended by the server. Call wait again in a few seconds.".to_owned()
            }
        }
    }
}
