//! The refusals of drafts.

/// The reason why a draft is not proposed, approved or rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DraftRefusal {
    /// The person can see no draft with this id.
    #[error("There is no draft with this id.")]
    NotFound,
    /// The draft was approved, so it cannot be rejected.
    #[error("This draft was approved.")]
    Approved,
    /// The draft was rejected.
    #[error("This draft was rejected.")]
    Rejected,
    /// The draft was not decided within a day.
    #[error("This draft has expired.")]
    Expired,
    /// The draft is being carried out.
    #[error("This draft is being carried out at this moment.")]
    BeingApproved,
    /// The approval by the other side was interrupted, so it is not known whether the change will be made.
    #[error("Someone else has begun to approve this draft and was interrupted, so only they can approve it.")]
    Interrupted,
    /// Only a person with a Gallery Pass can do what is proposed.
    #[error("Only people with a Gallery Pass can write in the chat.")]
    NeedsPass,
    /// The visitor may not do what is proposed, but an operator may.
    #[error("An operator decides on this draft.")]
    OperatorDecides,
    /// Only operators can do what is proposed.
    #[error("Only operators can do this.")]
    OperatorsOnly,
    /// Operators do not do this.
    #[error("Operators write in the chat with announcements only.")]
    NotForOperators,
    /// The run of the guide that proposes it has ended.
    #[error("The conversation was deleted, or the question is answered elsewhere.")]
    TurnEnded,
    /// The visitor has a draft of the same change that waits, or was approved for the same question.
    #[error("This is proposed already: the same draft waits for a decision, or was approved.")]
    AlreadyProposed,
    /// As many drafts of the visitor wait as it may have.
    #[error("{limit} of your drafts wait for a decision, which is the limit.")]
    TooManyOwn { limit: usize },
    /// As many drafts of people without an account wait as are kept.
    #[error("Too many drafts of visitors without an account wait for a decision.")]
    TooManyInAll { limit: usize },
}
