//! The changes of a batch that only their authors see: those of shadow-banned accounts.

use caraplace_live::event::Event;
use rules::audience::Audience;
use rules::intent::IntentDetails;
use rules::numbers::{AccountNo, Seq};

use super::message::ShadowMessage;

/// The changes of one batch that only their authors see, in their order.
#[derive(Default)]
pub struct ShadowChanges {
    pub events: Vec<NewOwnEvent>,
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

/// An event for the author's own streams, which is not in the log. Its number is that of the newest event
/// before it.
pub struct NewOwnEvent {
    /// The author's number.
    pub author: AccountNo,
    pub event: Event,
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
    /// The audience of the intent itself.
    pub audience: Audience,
}
