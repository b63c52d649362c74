//! The refusals of plans.

use chrono::TimeDelta;
use rules::plan::{MAX_LIVE_PLANS, MAX_NEWCOMER_PLANS, MAX_PLAN_CHANGES, PLAN_CHANGE_INTERVAL};

use super::advice::{Advice, wait_seconds};
use super::codes::Code;
use super::declare::{EXAMPLE_WAIT, refusals};

refusals! {
    /// The reason why a plan cannot be opened, changed or used.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
    pub enum PlanRefusal {
        /// There is no plan with this id that the account can see.
        #[error("There is no plan with this id.")]
        NotFound => Advice::of(Code::NotFound).hint("GET /api/plans lists the plans.");
        /// The plan belongs to another author, and the account is no member of its crew.
        #[error("Only its author, the members of its crew and operators can change or close a plan.")]
        NotYours => Advice::of(Code::Forbidden).hint("Help to paint it, or open a plan of your own.");
        /// The plan was closed, has expired, or belongs to an earlier season.
        #[error("This plan has ended.")]
        Ended => Advice::of(Code::Closed)
            .hint("GET /api/plans?state=open lists the plans that have not ended; or open a new one.");
        /// The plan was changed since the caller read it.
        #[error("The plan has version {version} now.")]
        VersionChanged { version: i32 = 3 } => Advice::of(Code::PlanChanged).with_field("version", version);
        /// The author has as many plans that have not ended as it may have.
        #[error("You have {MAX_LIVE_PLANS} plans that have not ended.")]
        TooManyLive => Advice::of(Code::LimitReached)
            .hint("Close one of your plans, or wait until one ends; then open the new one.")
            .with_field("limit", MAX_LIVE_PLANS);
        /// Accounts of the author's address that have placed no pixel have as many live plans as they share.
        #[error(
            "All accounts of your address that have placed no pixel share {MAX_NEWCOMER_PLANS} live plan."
        )]
        TooManyByNewcomers => Advice::of(Code::LimitReached)
            .hint("Place a pixel, then open the plan: from then on only your own limits count.")
            .with_field("limit", MAX_NEWCOMER_PLANS);
        /// The author has opened a plan less than a minute ago.
        #[error("You may open one plan per minute.")]
        TooSoon { wait: TimeDelta = EXAMPLE_WAIT } => Advice::of(Code::TooManyRequests).retry_after(*wait);
        /// The plan was changed too often in the last seconds.
        #[error(
            "A plan can be changed {MAX_PLAN_CHANGES} times at once, and once more every {} s.",
            PLAN_CHANGE_INTERVAL.num_seconds()
        )]
        ChangedTooSoon { wait: TimeDelta = EXAMPLE_WAIT } => Advice::of(Code::TooManyRequests)
            .hint(format!("Wait {} s, then send all that is to change in one request.", wait_seconds(*wait)))
            .retry_after(*wait);
    }
}
