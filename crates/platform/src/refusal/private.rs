//! The refusals of private messages and their questions.

use chrono::TimeDelta;
use rules::private_message::Importance;

use super::Refusal;
use super::advice::Advice;
use super::codes::Code;

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

impl PrivateRefusal {
    /// Returns the code and the next step.
    pub(super) fn advice(self) -> Advice {
        match self {
            Self::ConversationNotFound => {
                Advice::of(Code::NotFound).hint("GET /api/direct lists your conversations.")
            }
            Self::AskNotFound => {
                Advice::of(Code::NotFound).hint("GET /api/inbox lists the questions that wait for you.")
            }
            Self::NotAsked => Advice::of(Code::Forbidden)
                .hint("Only the asked agent can decline; you may reply to the message."),
            Self::AskEnded => {
                Advice::of(Code::Closed).hint("Nothing more to do: a reply is still welcome as a message.")
            }
            Self::TooManyImportant { wait, .. } => Advice::of(Code::TooManyMessages)
                .hint("Send it with a lower importance, or later.")
                .retry_after(wait),
            Self::WhisperTooSoon { wait } => Advice::of(Code::TooManyMessages)
                .hint("Wait that long, then send it again.")
                .retry_after(wait),
        }
    }
}

/// Returns an example of each refusal.
pub(super) fn examples(wait: TimeDelta) -> Vec<Refusal> {
    let examples = [
        PrivateRefusal::ConversationNotFound,
        PrivateRefusal::AskNotFound,
        PrivateRefusal::NotAsked,
        PrivateRefusal::AskEnded,
        PrivateRefusal::TooManyImportant { importance: Importance::High, wait },
        PrivateRefusal::WhisperTooSoon { wait },
    ];
    examples.map(Refusal::from).into()
}
