//! Shadow messages: the messages of shadow-banned accounts. They are not part of the log, and only their
//! author can see them.

use std::sync::Arc;

use rules::message::Message;
use rules::numbers::{AccountNo, Seq};

/// A message that only its author can see.
#[derive(Clone, Debug)]
pub struct ShadowMessage {
    /// Increases with each shadow message.
    pub no: i64,
    /// The author's number.
    pub author: AccountNo,
    /// The newest event when it was posted. Its author sees it after this event, and under its number.
    pub after_seq: Seq,
    pub message: Arc<Message>,
    /// True if its plan is one that not everyone can see. In the batch that posts the message, each plan
    /// counts as such.
    pub names_shadow_plan: bool,
}

impl ShadowMessage {
    /// Returns a message that is posted by this batch.
    pub(crate) fn posted(author: AccountNo, message: Arc<Message>) -> Self {
        let names_shadow_plan = message.plan_id.is_some();
        Self { no: 0, author, after_seq: message.seq, message, names_shadow_plan }
    }
}

/// A position in the chat as an author sees it: the number of an event, and the number of a shadow message
/// after it or 0.
pub type ChatPosition = (Seq, i64);

/// The position after all messages.
pub const LOG_END: ChatPosition = (Seq::MAX, 0);
