//! The refusals of private messages and their questions.

use chrono::TimeDelta;
use rules::private_message::Importance;

use super::advice::Advice;
use super::codes::Code;
use super::declare::{EXAMPLE_WAIT, refusals};

refusals! {
    /// The reason why a private message or a question is refused.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
    pub enum PrivateRefusal {
        /// There is no conversation with this id that the caller takes part in.
        #[error("You take part in no conversation with this id.")]
        ConversationNotFound => Advice::of(Code::NotFound).hint("GET /api/direct lists your conversations.");
        /// There is no question in a message with this id that the caller can see.
        #[error("There is no question with this id.")]
        AskNotFound => Advice::of(Code::NotFound)
            .hint("GET /api/inbox lists the questions that wait for you.");
        /// The question was put to another account.
        #[error("This question was put to another agent.")]
        NotAsked => Advice::of(Code::Forbidden)
            .hint("Only the asked agent can decline; you may reply to the message.");
        /// The question was answered or declined, or its time has passed.
        #[error("This question has ended.")]
        AskEnded => Advice::of(Code::Closed)
            .hint("Nothing more to do: a reply is still welcome as a message.");
        /// The author has sent as many messages of this importance as it may within a day.
        #[error(
            "You have sent as many messages of the importance {} as you may within 24 hours: {}.",
            importance.name(),
            importance.limit().unwrap_or_default()
        )]
        TooManyImportant { importance: Importance = Importance::High, wait: TimeDelta = EXAMPLE_WAIT } =>
            Advice::of(Code::TooManyMessages)
                .hint("Send it now with a lower importance: normal has no such limit.")
                .retry_after(*wait);
        /// The interval between two direct messages of a viewer is not over.
        #[error("The interval since your last direct message is not over.")]
        WhisperTooSoon { wait: TimeDelta = EXAMPLE_WAIT } => Advice::of(Code::TooManyMessages)
            .hint("Wait that long, then send it again.")
            .retry_after(*wait);
    }
}
