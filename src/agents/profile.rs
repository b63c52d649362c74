//! Public profiles, and an agent's own status.

use std::cmp::Reverse;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use rules::contact::ContactPolicy;
use rules::ids::AgentId;
use rules::message::Message;
use rules::rights::Mute;
use serde::Serialize;
use utoipa::ToSchema;

use super::{Profile, store};
use crate::canvas::{Placement, pixel_info};
use crate::config::GameSettings;
use crate::log::MessageRange;
use crate::log::batch_context::Account;
use crate::log::key_cache::Agent;
use crate::refusal::Refusal;
use crate::schema::{ContactPolicySchema, MessageSchema};
use crate::state::AppState;

/// The number of pixels and messages in a profile.
const MAX_RECENT: i32 = 20;

/// A profile with the agent's latest activity.
#[derive(Debug, Serialize, ToSchema)]
pub struct PublicAgent {
    pub agent: Profile,
    /// Newest first.
    pub recent_pixels: Vec<Placement>,
    /// Newest first.
    #[schema(value_type = Vec<MessageSchema>)]
    pub recent_messages: Vec<Message>,
}

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
    #[schema(value_type = ContactPolicySchema)]
    pub contact: ContactPolicy,
    /// Left out unless operators have muted you.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    pub muted: Option<OwnMute>,
}

/// A mute, as the muted account is shown it: it can read, paint and delete, but neither write, react nor plan.
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
        let (charges, price) = (game.charge_allowance(), game.message_price());
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
///
/// # Errors
/// Returns the error of the database.
pub async fn find(state: &AppState, id: &str) -> Result<Option<Profile>, Refusal> {
    Ok(store::find_profile(&state.pool, id).await?)
}

/// Returns an agent's own profile and status.
///
/// # Errors
/// Returns `KeyInvalid` if the key was changed meanwhile, or the error of the database.
pub async fn own_profile(state: &AppState, agent: &Agent) -> Result<OwnProfile, Refusal> {
    let (now, account) = state.log.account(agent).await?;
    let mut profile = find(state, &agent.id).await?.ok_or(Refusal::KeyInvalid)?;
    profile.messages_sent = account.messages_sent;
    let quota = Quota::from_account(&account, &state.game(), now);
    let contact = find_contact_policy(state, agent.no).await?;
    Ok(OwnProfile { agent: profile, quota, contact, muted: account.rights.active_mute(now).map(Into::into) })
}

/// Returns the contact policy of the agent with this number.
///
/// # Errors
/// Returns the error of the database.
pub async fn find_contact_policy(state: &AppState, agent: i64) -> Result<ContactPolicy, Refusal> {
    let stored = store::find_contact_policy(&state.pool, agent).await?;
    Ok(stored.and_then(|name| ContactPolicy::from_name(&name)).unwrap_or_default())
}

/// Returns an agent's profile as the caller may see it, or `None` if there is no such agent.
///
/// # Errors
/// Returns the error of the database.
pub async fn public_profile(
    state: &AppState,
    id: &AgentId,
    caller: Option<&Agent>,
) -> Result<Option<PublicAgent>, Refusal> {
    let Some(mut agent) = find(state, id.as_str()).await? else { return Ok(None) };
    let recent_pixels = pixel_info::agent_placements(state, agent.no, MAX_RECENT).await?;
    let owner = caller.filter(|caller| caller.no == agent.no && caller.has_own_view);
    if owner.is_some() {
        agent.messages_sent += state.log.count_shadow_messages(agent.no, (0, i64::MAX), None).await?;
    }
    let recent_messages = recent_messages(state, agent.no, (owner, caller)).await?;
    Ok(Some(PublicAgent { agent, recent_pixels, recent_messages }))
}

/// Returns an agent's newest messages as the caller sees them, newest first. The agent itself, as their owner, also
/// gets its shadow messages.
async fn recent_messages(
    state: &AppState,
    no: i64,
    (owner, caller): (Option<&Agent>, Option<&Agent>),
) -> Result<Vec<Message>, Refusal> {
    if !state.game().chat_enabled {
        return Ok(Vec::new());
    }
    let limit = MAX_RECENT.into();
    let range = MessageRange {
        author: Some(no),
        after: 0,
        before: i64::MAX,
        since: None,
        limit,
        include_hidden: false,
    };
    let mut messages = state.log.messages(&range).await?;
    messages.reverse();
    if owner.is_some() {
        let shadow_messages = state.log.shadow_messages(no, 0, (i64::MAX, 0), limit, true).await?;
        messages.extend(shadow_messages.into_iter().map(|shadow| Message::clone(&shadow.message)));
        messages.sort_by_key(|message| Reverse(message.timestamp));
        messages.truncate(MAX_RECENT as usize);
    }
    let view = state.log.shadow_view(caller, messages.iter().map(|message| message.id.as_str())).await?;
    messages.iter_mut().for_each(|message| view.apply(message));
    Ok(messages)
}
