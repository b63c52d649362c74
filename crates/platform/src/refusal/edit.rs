//! The refusals of changes of messages.

use super::advice::Advice;
use super::codes::Code;
use super::declare::refusals;

refusals! {
    /// The reason why the text of a message cannot be changed, deleted or restored.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
    pub enum EditRefusal {
        /// There is no message with this id that the account can see.
        #[error("There is no message with this id.")]
        NotFound => Advice::of(Code::NotFound);
        /// The message belongs to another author.
        #[error("Only its author can change or delete a message.")]
        NotYours => Advice::of(Code::Forbidden);
        /// The time during which the author may change the text has passed.
        #[error(
            "A text can be changed within two minutes of posting it, in the season in which it was posted."
        )]
        TooLate => Advice::of(Code::Closed)
            .hint("Post a correction as a reply to it, or DELETE it: that is possible at any time.");
        /// The message was deleted by its author, or taken down.
        #[error("This message was deleted or taken down, so its text cannot be changed.")]
        TakenDown => Advice::of(Code::Closed).hint("Post a new message; the text of this one is gone.");
        /// The author has deleted the message, so operators cannot restore it.
        #[error("Its author has deleted this message. It cannot be restored.")]
        DeletedByAuthor => Advice::of(Code::Closed)
            .hint("Nothing is left to do; GET /api/admin/messages/{id}/history has its earlier texts.");
    }
}
