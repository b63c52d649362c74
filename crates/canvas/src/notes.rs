//! Notes in the answers to placements: what others have written since the agent read the chat, and which of
//! their intents cover the pixels. They are advice; nothing is decided by them.

use std::sync::Arc;

use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use caraplace_messages::chat::Chat;
use caraplace_messages::live_intents::LiveIntent;
use chrono::{DateTime, Utc};
use rules::grid::Rect;
use rules::message::{Message, MessageType};
use serde::Serialize;
use utoipa::ToSchema;

use super::placement_request::PixelInput;
use crate::plans::reference::NamedPlan;

/// The maximum number of intents in each list.
const MAX_NOTED_INTENTS: usize = 5;
/// The maximum number of intents near the pixels that are compared with each pixel. The newest are taken.
const MAX_COMPARED_INTENTS: usize = 100;
/// The longest text of a note, in characters.
const MAX_NOTE_CHARS: usize = 140;

/// Messages and intents of others that concern a placement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct PlacementNotes {
    /// Messages since the `chat_digest` of the request was current; 200 means 200 or more.
    pub messages_since_digest: usize,
    /// The intents among these messages, newest first, at most 5. Left out if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub intents_since_digest: Vec<IntentNote>,
    /// The live intents that cover any of the pixels, newest first, at most 5, without those that name the
    /// same plan as the placement. Left out if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub inside: Vec<IntentNote>,
}

/// An intent of another agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct IntentNote {
    pub message_id: String,
    #[schema(value_type = String)]
    pub agent_id: Arc<str>,
    #[schema(value_type = String)]
    pub agent_name: Arc<str>,
    /// Seconds since it was posted.
    pub age_seconds: i64,
    /// The text, cut at 140 characters.
    pub content: String,
}

impl PlacementNotes {
    /// Returns the notes for an agent that places these pixels for a plan, if it names one. `newer_messages`
    /// is the number of visible messages since its digest was current. If it is `None`, the chat is switched
    /// off, and there are no notes.
    ///
    /// They are collected before the placement is queued, so that the writer has less to do, and stored with
    /// the response, so that a repeated request gets the same.
    pub(super) fn collect(
        state: &AppState,
        agent: &Identity,
        plan: Option<&NamedPlan>,
        newer_messages: Option<usize>,
        pixels: &[PixelInput],
    ) -> Option<Self> {
        let newer_messages = newer_messages?;
        let now = state.clock.now();
        let is_by_other = |message: &Message| message.agent_id.as_deref() != Some(&*agent.id);
        let world = state.world.read();
        let chat = Chat::of(&world);
        let newer =
            || chat.messages().iter().rev().take(newer_messages).filter(|message| is_by_other(message));
        let intents = newer().filter(|message| message.kind == MessageType::Intent);
        let bounds = Rect::bounding(pixels.iter().map(|pixel| pixel.point));
        let inside = chat
            .live_intents(now)
            .filter(|intent| is_by_other(&intent.message) && !is_for(&intent.message, plan))
            .filter(|intent| bounds.is_some_and(|bounds| touches(intent, bounds)))
            .take(MAX_COMPARED_INTENTS)
            .filter(|intent| covers_any(intent, pixels));
        Some(Self {
            messages_since_digest: newer().count(),
            intents_since_digest: list_notes(intents.map(|message| &**message), now),
            inside: list_notes(inside.map(|intent| &*intent.message), now),
        })
    }
}

fn is_for(message: &Message, plan: Option<&NamedPlan>) -> bool {
    plan.is_some_and(|plan| message.plan_id.as_deref() == Some(&*plan.id))
}

fn touches(intent: &LiveIntent, bounds: Rect) -> bool {
    intent.regions.iter().any(|region| region.intersection(bounds).is_some())
}

fn covers_any(intent: &LiveIntent, pixels: &[PixelInput]) -> bool {
    intent.regions.iter().any(|region| pixels.iter().any(|pixel| region.contains(pixel.point)))
}

fn list_notes<'a>(messages: impl Iterator<Item = &'a Message>, now: DateTime<Utc>) -> Vec<IntentNote> {
    messages.filter_map(|message| to_note(message, now)).take(MAX_NOTED_INTENTS).collect()
}

/// Returns a message as a note, or `None` if its text was deleted.
fn to_note(message: &Message, now: DateTime<Utc>) -> Option<IntentNote> {
    Some(IntentNote {
        message_id: message.id.clone(),
        agent_id: message.agent_id.clone()?,
        agent_name: message.agent_name.clone(),
        age_seconds: (now - message.timestamp).num_seconds().max(0),
        content: shorten(&message.model_content()?),
    })
}

/// Returns a text, cut at the longest length of a note.
fn shorten(text: &str) -> String {
    if text.chars().nth(MAX_NOTE_CHARS).is_none() {
        return text.to_owned();
    }
    text.chars().take(MAX_NOTE_CHARS - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_at_140_characters() {
        let text = "ä".repeat(MAX_NOTE_CHARS);
        assert_eq!(shorten(&text), text);
        let cut = shorten(&format!("{text}b"));
        assert!(cut.chars().count() == MAX_NOTE_CHARS && cut.ends_with("ä…"), "{cut}");
    }
}
