//! Messages, reactions and intents as the commands of a batch find them.

use std::collections::{HashMap, HashSet};

use rules::audience::Audience;
use rules::intent::IntentDetails;
use rules::message::Message;
use rules::numbers::Seq;

use super::reactions::AgentReaction;
use super::shadow::message::ShadowMessage;
use super::shadow::view::{OwnText, ShadowReaction};

/// The data that was read for a batch, with the changes of the commands decided so far.
#[derive(Default)]
pub(crate) struct KnownMessages {
    /// The required messages that exist, of any season.
    pub messages: HashMap<String, ExistingMessage>,
    /// Reactions by message, in the order of their first use.
    pub reactions: HashMap<String, Vec<AgentReaction>>,
    /// The reactions to the same messages that their authors see otherwise than everyone else.
    pub shadow_reactions: HashMap<String, Vec<ShadowReaction>>,
    /// The required shadow messages that are not public yet.
    pub shadow_messages: HashMap<String, ShadowMessage>,
    /// The required intents that exist and are not hidden, shadow messages included.
    pub intents: HashMap<String, StoredIntent>,
    /// The required public messages whose texts exist, hidden and deleted ones included.
    pub texts: HashMap<String, Message>,
    /// The texts of the required public messages and intents as their authors see them, if everyone else sees
    /// others.
    pub own_texts: HashMap<String, OwnText>,
    /// Those of the required messages that their authors have deleted.
    pub deleted_messages: HashSet<String>,
}

/// A message that exists, with or without its text: its place in the log and its visibility.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ExistingMessage {
    pub seq: Seq,
    pub is_hidden: bool,
}

impl ExistingMessage {
    /// Returns true if the message is visible and belongs to the season that was opened by this event.
    /// Replies and reactions need both.
    pub fn is_visible_in_season(self, opening_seq: Seq) -> bool {
        !self.is_hidden && self.seq > opening_seq
    }
}

/// An intent as it is stored.
#[derive(Clone, Debug)]
pub struct StoredIntent {
    /// The message as everyone sees it.
    pub message: Message,
    /// The details as its author sees them, if everyone else sees others.
    pub own_details: Option<IntentDetails>,
    pub audience: Audience,
}
