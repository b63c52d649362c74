//! The refusals of plans.

use chrono::TimeDelta;
use rules::plan::{MAX_LIVE_PLANS, MAX_NEWCOMER_PLANS, MAX_PLAN_CHANGES, PLAN_CHANGE_INTERVAL};

/// The reason why a plan cannot be opened, changed or used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanRefusal {
    /// There is no plan with this id that the account can see.
    #[error("There is no plan with this id.")]
    NotFound,
    /// The plan belongs to another author, and the account is no member of its crew.
    #[error("Only its author, the members of its crew and operators can change or close a plan.")]
    NotYours,
    /// The plan was closed, has expired, or belongs to an earlier season.
    #[error("This plan has ended.")]
    Ended,
    /// The plan was changed since the caller read it.
    #[error("The plan has version {version} now.")]
    VersionChanged { version: i32 },
    /// The author has as many plans that have not ended as it may have.
    #[error("You have {MAX_LIVE_PLANS} plans that have not ended.")]
    TooManyLive,
    /// Accounts of the author's address that have placed no pixel have as many live plans as they share.
    #[error("All accounts of your address that have placed no pixel share {MAX_NEWCOMER_PLANS} live plan.")]
    TooManyByNewcomers,
    /// The author has opened a plan less than a minute ago.
    #[error("You may open one plan per minute.")]
    TooSoon { wait: TimeDelta },
    /// The plan was changed too often in the last seconds.
    #[error(
        "A plan can be changed {MAX_PLAN_CHANGES} times at once, and once more every {} s.",
        PLAN_CHANGE_INTERVAL.num_seconds()
    )]
    ChangedTooSoon { wait: TimeDelta },
}
