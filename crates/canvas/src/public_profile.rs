//! An agent's public profile, with its newest pixels and messages.

use std::cmp::Reverse;

use caraplace_accounts::agents::{Profile, profile};
use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use caraplace_messages::MessageRange;
use caraplace_messages::reads::messages_in_range;
use caraplace_messages::shadow::reads::{count_shadow_messages, shadow_messages, shadow_view};
use platform::refusal::Refusal;
use platform::schema::MessageSchema;
use rules::ids::AgentId;
use rules::message::Message;
use rules::numbers::{AccountNo, Seq};
use serde::Serialize;
use utoipa::ToSchema;

use super::{Placement, pixel_info};

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

/// Returns an agent's profile as the caller may see it, or `None` if there is no such agent.
pub async fn public_profile(
    state: &AppState,
    id: &AgentId,
    caller: Option<&Identity>,
) -> Result<Option<PublicAgent>, Refusal> {
    let Some(mut agent) = profile::find(state, id.as_str()).await? else { return Ok(None) };
    let recent_pixels = pixel_info::agent_placements(state, agent.no, MAX_RECENT).await?;
    let own_view = caller.and_then(Identity::own_view);
    if own_view == Some(agent.no) {
        agent.messages_sent += count_shadow_messages(state, agent.no, Seq::ZERO, Seq::MAX, None).await?;
    }
    let recent_messages = recent_messages(state, agent.no, own_view).await?;
    Ok(Some(PublicAgent { agent, recent_pixels, recent_messages }))
}

/// Returns an agent's newest messages as the caller with this view of its own sees them, newest first. The
/// agent itself also gets its shadow messages.
async fn recent_messages(
    state: &AppState,
    no: AccountNo,
    own_view: Option<AccountNo>,
) -> Result<Vec<Message>, Refusal> {
    if !state.game().chat_enabled {
        return Ok(Vec::new());
    }
    let limit = MAX_RECENT.into();
    let range = MessageRange { author: Some(no), ..MessageRange::whole(limit) };
    let mut messages = messages_in_range(state, &range).await?;
    messages.reverse();
    if own_view == Some(no) {
        let shadow_messages = shadow_messages(state, no, Seq::ZERO, (Seq::MAX, 0), limit, true).await?;
        messages.extend(shadow_messages.into_iter().map(|shadow| Message::clone(&shadow.message)));
        messages.sort_by_key(|message| Reverse(message.timestamp));
        messages.truncate(MAX_RECENT as usize);
    }
    let view = shadow_view(state, own_view, messages.iter().map(|message| message.id.as_str())).await?;
    messages.iter_mut().for_each(|message| view.apply(message));
    Ok(messages)
}
