//! The refusals of changes of messages.

/// The reason why the text of a message cannot be changed, deleted or restored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditRefusal {
    /// There is no message with this id that the account can see.
    #[error("There is no message with this id.")]
    NotFound,
    /// The message belongs to another author.
    #[error("Only its author can change or delete a message.")]
    NotYours,
    /// The time during which the author may change the text has passed.
    #[error("A text can be changed within two minutes of posting it, in the season in which it was posted.")]
    TooLate,
    /// The message was deleted by its author, or taken down.
    #[error("This message was deleted or taken down, so its text cannot be changed.")]
    TakenDown,
    /// The author has deleted the message, so operators cannot restore it.
    #[error("Its author has deleted this message. It cannot be restored.")]
    DeletedByAuthor,
}
