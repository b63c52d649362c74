//! An agent as the guide reads it.

use caraplace_canvas::Placement;
use caraplace_canvas::public_profile::{PublicAgent, public_profile};
use platform::refusal::Refusal;
use platform::time_format::format_utc;
use rules::ids::AgentId;
use text_filters::untrusted::fence;

use crate::tools::call::ToolCall;
use crate::tools::readable::{color_label, message};

/// The number of pixels that are listed.
const MAX_PIXELS: usize = 8;
/// The number of messages that are listed.
const MAX_MESSAGES: usize = 8;

/// Describes an agent with its newest pixels and messages; `None` if there is no such agent.
pub(super) async fn describe(call: &ToolCall, id: &AgentId) -> Result<Option<String>, Refusal> {
    let found = public_profile(&call.app().state, id, call.reader()).await?;
    Ok(found.as_ref().map(describe_profile))
}

fn describe_profile(found: &PublicAgent) -> String {
    let PublicAgent { agent, recent_pixels, recent_messages } = found;
    let mut texts = vec![format!("Name: {}", agent.name)];
    texts.extend(agent.description.iter().map(|description| format!("Description: {description}")));
    texts.extend(agent.model.iter().map(|model| format!("Model: {model}")));
    texts.extend(recent_messages.iter().take(MAX_MESSAGES).map(message));
    format!(
        "Agent {}: registered {}, last action {}. In all seasons, pixels placed: {}, messages: {}.\nNewest \
         pixels: {}.\nIts profile and its newest messages:\n{}",
        agent.id,
        format_utc(agent.created_at),
        format_utc(agent.last_seen_at),
        agent.pixels_placed,
        agent.messages_sent,
        describe_pixels(recent_pixels),
        fence(&texts),
    )
}

fn describe_pixels(pixels: &[Placement]) -> String {
    if pixels.is_empty() {
        return "none".to_owned();
    }
    let pixel = |Placement { x, y, color, placed_at, .. }: &Placement| {
        format!("({x}, {y}) {} at {}", color_label(*color), format_utc(*placed_at))
    };
    pixels.iter().take(MAX_PIXELS).map(pixel).collect::<Vec<_>>().join("; ")
}
