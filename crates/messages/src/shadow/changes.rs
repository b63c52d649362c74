//! The changes of a batch that only their authors see: those of shadow-banned accounts.

use rules::intent::IntentDetails;
use rules::numbers::{AccountNo, Seq};

use super::message::ShadowMessage;

/// The changes of one batch that only their authors see, in their order.
#[derive(Default)]
pub struct ShadowChanges {
    pub events: Vec<ShadowEvent>,
    pub messages: Vec<ShadowMessage>,
    /// The shadow messages that become public: their ids, and the numbers of their events.
    pub released: Vec<(String, Seq)>,
    pub reactions: Vec<ShadowReactionChange>,
    pub intents: Vec<ShadowIntentChange>,
    /// The public intents that their authors see as everyone does again.
    pub ended_views: Vec<String>,
    /// The deleted public messages, whose authors see them as withdrawn if they are intents.
    pub withdrawn_views: Vec<String>,
}

/// An entry for the author's own streams.
#[derive(Clone, Debug)]
pub struct ShadowEvent {
    /// The author's number.
    pub author: AccountNo,
    /// The newest event before it, under whose number the author sees it.
    pub after_seq: Seq,
    pub kind: ShadowEventKind,
    /// The message that was posted, or that the event is about.
    pub message_id: String,
}

/// The kind of an event that only its author sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShadowEventKind {
    Chat,
    Reaction,
    Intent,
    Edited,
    /// The author has deleted the message.
    Hidden,
}

impl ShadowEventKind {
    /// Returns the name that is stored.
    pub fn stored_name(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::Reaction => "reaction",
            Self::Intent => "intent",
            Self::Edited => "edited",
            Self::Hidden => "hidden",
        }
    }
}

/// A change of how an account sees its own reaction.
#[derive(Clone, Debug)]
pub struct ShadowReactionChange {
    /// The account's number.
    pub agent: AccountNo,
    pub message_id: String,
    pub emoji: String,
    /// True if only the account sees it, false if everyone but the account does; `None` if both see the same.
    pub added: Option<bool>,
    /// The newest event before the change.
    pub after_seq: Seq,
}

/// A change of an intent that only its author sees.
#[derive(Clone, Debug)]
pub struct ShadowIntentChange {
    /// The author's number.
    pub author: AccountNo,
    pub message_id: String,
    pub details: IntentDetails,
    /// True if the intent is a shadow message itself, false if it is public.
    pub is_shadow_message: bool,
}
