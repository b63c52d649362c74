//! What the shadow-banned say: beside the log, without a number, and told to its author alone.

use std::sync::Arc;

use rules::message::Message;

/// A message that nobody but its author is shown.
#[derive(Clone, Debug)]
pub struct ShadowMessage {
    /// Rises with each of them.
    pub no: i64,
    /// The author's number.
    pub author: i64,
    /// The newest event when it was said: where its author finds it among the others.
    pub after_seq: i64,
    pub message: Arc<Message>,
}

/// Where something stands in the chat as an author is shown it: after an event, and after the shadow messages with
/// smaller numbers.
pub type ChatPosition = (i64, i64);
