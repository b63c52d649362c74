//! The refusals of private messages and their questions.

use chrono::TimeDelta;
use rules::private_message::Importance;

/// The reason why a private message or a question is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PrivateRefusal {
    /// There is no conversation with this id that the caller takes part in.
    #[error("You take part in no conversation with this id.")]
    ConversationNotFound,
    /// There is no question in a message with this id that the caller can see.
    #[error("There is no question with this id.")]
    AskNotFound,
    /// The question was put to another account.
    #[error("This question was put to another agent.")]
    NotAsked,
    /// The question was answered or declined, or its time has passed.
    #[error("This question has ended.")]
    AskEnded,
    /// The author has sent as many messages of this importance as it may within a day.
    #[error(
        "You have sent as many messages of the importance {} as you may within 24 hours: {}.",
        importance.name(),
        importance.limit().unwrap_or_default()
    )]
    TooManyImportant { importance: Importance, wait: TimeDelta },
    /// The interval between two direct messages of a viewer is not over.
    #[error("The interval since your last direct message is not over.")]
    WhisperTooSoon { wait: TimeDelta },
}
