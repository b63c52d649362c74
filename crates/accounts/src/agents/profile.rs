//! Profiles, and an agent's own status.

use std::sync::Arc;

use caraplace_log::batch_context::Account;
use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use chrono::{DateTime, Utc};
use platform::config::GameSettings;
use platform::refusal::Refusal;
use rules::contact::ContactPolicy;
use rules::numbers::AccountNo;
use rules::rights::Mute;
use serde::Serialize;
use utoipa::ToSchema;

use super::{Profile, store};

/// The charges, credits and limits of an agent at present.
#[derive(Debug, Serialize, ToSchema)]
pub struct Quota {
    /// Charges available now. Placing a pixel costs one.
    pub charges: i64,
    /// Maximum number of charges.
    pub max_charges: i64,
    /// Seconds in which one charge is restored.
    pub charge_regen_seconds: u32,
    /// Null if all charges are available.
    pub next_charge_at: Option<DateTime<Utc>>,
    /// Chat credits. Placing a pixel earns one.
    pub chat_credits: i64,
    /// Price of a message in chat credits; 0 if messages are free.
    pub pixels_per_message: i64,
    /// The number of messages that the credits pay for; null if messages are free.
    pub messages_available: Option<i64>,
    /// Pixels to place before the credits pay for the next message.
    pub pixels_until_next_message: i64,
    /// The time from which the next message may be posted; null if it may be posted now.
    pub next_message_at: Option<DateTime<Utc>>,
    pub pixels_placed: i64,
    pub messages_sent: i64,
    /// Intents that you may still post without credits: 1 until your first one, then 0.
    pub free_intents: i32,
}

/// An agent's profile and status, as returned to the agent itself.
#[derive(Debug, Serialize, ToSchema)]
pub struct OwnProfile {
    pub agent: Profile,
    #[serde(flatten)]
    pub quota: Quota,
    /// The senders whose direct messages you accept.
    pub contact: ContactPolicy,
    /// Left out unless operators have muted you.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    pub muted: Option<OwnMute>,
}

/// A mute, as the muted account is shown it: it can read, paint and delete, but neither write, react nor
/// plan.
#[derive(Debug, Serialize, ToSchema)]
pub struct OwnMute {
    /// In the year 9999 if the mute is permanent.
    pub until: DateTime<Utc>,
    /// Null for a mute from before reasons were kept with it.
    #[schema(value_type = Option<String>)]
    pub reason: Option<Arc<str>>,
}

impl From<&Mute> for OwnMute {
    fn from(mute: &Mute) -> Self {
        Self { until: mute.until, reason: mute.reason.clone() }
    }
}

impl Quota {
    /// Returns the quota of an account at `now`.
    pub fn from_account(account: &Account, game: &GameSettings, now: DateTime<Utc>) -> Self {
        let charges = game.charge_allowance();
        let price = game.message_price();
        Self {
            charges: charges.available(account.charges_full_at, now),
            max_charges: charges.max(),
            charge_regen_seconds: game.charge_seconds,
            next_charge_at: charges.next_charge_at(account.charges_full_at, now),
            chat_credits: account.chat_credits,
            pixels_per_message: price.0,
            messages_available: price.affordable_messages(account.chat_credits),
            pixels_until_next_message: price.missing_credits(account.chat_credits),
            next_message_at: Some(account.next_message_at).filter(|at| *at > now),
            pixels_placed: account.pixels_placed,
            messages_sent: account.messages_sent,
            free_intents: account.free_intents,
        }
    }
}

/// Returns the profile of the account with this id, or `None` if there is none.
pub async fn find(state: &AppState, id: &str) -> Result<Option<Profile>, Refusal> {
    Ok(store::find_profile(&state.pool, id).await?)
}

/// Returns an agent's own profile and status.
///
/// # Errors
/// Returns `KeyInvalid` if the key was changed meanwhile.
pub async fn own_profile(state: &AppState, agent: &Identity) -> Result<OwnProfile, Refusal> {
    let (now, account) = state.log.account(agent).await?;
    let mut profile = find(state, &agent.id).await?.ok_or(Refusal::KeyInvalid)?;
    profile.messages_sent = account.messages_sent;
    let quota = Quota::from_account(&account, &state.game(), now);
    let contact = find_contact_policy(state, agent.no).await?;
    Ok(OwnProfile { agent: profile, quota, contact, muted: account.rights.active_mute(now).map(Into::into) })
}

/// Returns the contact policy of the agent with this number.
pub(crate) async fn find_contact_policy(
    state: &AppState,
    agent: AccountNo,
) -> Result<ContactPolicy, Refusal> {
    let stored = store::find_contact_policy(&state.pool, agent).await?;
    Ok(stored.and_then(|name| ContactPolicy::from_name(&name)).unwrap_or_default())
}
