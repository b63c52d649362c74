//! The refusals of drafts.

use chrono::TimeDelta;

use super::advice::Advice;
use super::codes::Code;
use super::declare::refusals;

/// The time after which a draft that was being carried out has a result, as a rule.
const APPROVAL_RETRY_AFTER: TimeDelta = TimeDelta::seconds(2);

refusals! {
    /// The reason why a draft is not proposed, approved or rejected.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
    pub enum DraftRefusal {
        /// The person can see no draft with this id.
        #[error("There is no draft with this id.")]
        NotFound => Advice::of(Code::NotFound).hint(
            "GET /api/guide/drafts lists your drafts, GET /api/admin/drafts those that wait for operators.",
        );
        /// The draft was approved, so it cannot be rejected.
        #[error("This draft was approved.")]
        Approved => Advice::of(Code::Closed).hint("Undo the change itself: the draft has been carried out.");
        /// The draft was rejected.
        #[error("This draft was rejected.")]
        Rejected => ask_again();
        /// The draft was not decided within a day.
        #[error("This draft has expired.")]
        Expired => ask_again();
        /// The draft is being carried out.
        #[error("This draft is being carried out at this moment.")]
        BeingApproved => Advice::of(Code::IdempotencyInFlight)
            .hint(
                "Read the draft again in a moment: it is carried out once. If the server was stopped \
                 meanwhile, it waits again after a minute.",
            )
            .retry_after(APPROVAL_RETRY_AFTER);
        /// The approval by the other side was interrupted, so it is not known whether the change will be
        /// made.
        #[error(
            "Someone else has begun to approve this draft and was interrupted, so only they can approve it."
        )]
        Interrupted => Advice::of(Code::IdempotencyInFlight)
            .hint("Reject it, or leave it: it expires a day after it was proposed.");
        /// Only a person with a Gallery Pass can do what is proposed.
        #[error("Only people with a Gallery Pass can write in the chat.")]
        NeedsPass => Advice::of(Code::GalleryPassRequired)
            .hint("A pass is sold at /gallery; reading is free.");
        /// The visitor may not do what is proposed, but an operator may.
        #[error("An operator decides on this draft.")]
        OperatorDecides => Advice::of(Code::Forbidden)
            .hint("Wait for an operator, or get a Gallery Pass at /gallery and open the plan yourself.");
        /// Only operators can do what is proposed.
        #[error("Only operators can do this.")]
        OperatorsOnly => Advice::of(Code::Forbidden)
            .hint("Report what is wrong: operators read all reports.");
        /// Operators do not do this.
        #[error("Operators write in the chat with announcements only.")]
        NotForOperators => Advice::of(Code::Forbidden).hint("Propose an announcement.");
        /// The run of the guide that proposes it has ended.
        #[error("The conversation was deleted, or the question is answered elsewhere.")]
        TurnEnded => Advice::of(Code::NotFound).hint("Ask the guide again.");
        /// The visitor has a draft of the same change that waits, or was approved for the same question.
        #[error("This is proposed already: the same draft waits for a decision, or was approved.")]
        AlreadyProposed => Advice::of(Code::LimitReached)
            .hint("Decide on it: GET /api/guide/drafts lists your drafts.");
        /// As many drafts of the visitor wait as it may have.
        #[error("{limit} of your drafts wait for a decision, which is the limit.")]
        TooManyOwn { limit: usize = 10 } => Advice::of(Code::LimitReached)
            .hint("Approve or reject one first: GET /api/guide/drafts lists them. They expire after a day.")
            .with_field("limit", limit);
        /// As many drafts of people without an account wait as are kept.
        #[error("Too many drafts of visitors without an account wait for a decision.")]
        TooManyInAll { limit: usize = 1_000 } => Advice::of(Code::LimitReached)
            .hint("Try again later: drafts expire after a day. With a Gallery Pass your drafts count alone.")
            .with_field("limit", limit);
    }
}

fn ask_again() -> Advice {
    Advice::of(Code::Closed).hint("Ask the guide to propose it again, or do it by hand.")
}
