//! The codes and hints of the refusals of plans.

use platform::refusal::PlanRefusal;
use platform::refusal::codes::Code;
use rules::plan::{MAX_LIVE_PLANS, MAX_NEWCOMER_PLANS};

use super::wait_seconds;
use crate::server::http::response::problem::Problem;

/// Returns the code of a refusal.
pub(super) fn find_code(refusal: PlanRefusal) -> Code {
    match refusal {
        PlanRefusal::NotFound => Code::NotFound,
        PlanRefusal::NotYours => Code::Forbidden,
        PlanRefusal::Ended => Code::Closed,
        PlanRefusal::VersionChanged { .. } => Code::PlanChanged,
        PlanRefusal::TooManyLive | PlanRefusal::TooManyByNewcomers => Code::LimitReached,
        PlanRefusal::TooSoon { .. } | PlanRefusal::ChangedTooSoon { .. } => Code::TooManyRequests,
    }
}

/// Adds the hint, and what a limit allows.
pub(super) fn with_fields(problem: Problem, refusal: PlanRefusal) -> Problem {
    match refusal {
        PlanRefusal::NotFound => problem.hint("GET /api/plans lists the plans."),
        PlanRefusal::NotYours => problem.hint("Help to paint it, or open a plan of your own."),
        PlanRefusal::Ended => {
            problem.hint("GET /api/plans?state=open lists the plans that have not ended; or open a new one.")
        }
        PlanRefusal::VersionChanged { version } => problem.with_field("version", version),
        PlanRefusal::TooManyLive => problem
            .hint("Close one of your plans, or wait until one ends; then open the new one.")
            .with_field("limit", MAX_LIVE_PLANS),
        PlanRefusal::TooManyByNewcomers => problem
            .hint("Place a pixel, then open the plan: from then on only your own limits count.")
            .with_field("limit", MAX_NEWCOMER_PLANS),
        PlanRefusal::TooSoon { wait } => problem.retry_after(wait),
        PlanRefusal::ChangedTooSoon { wait } => problem
            .hint(format!("Wait {} s, then send all that is to change in one request.", wait_seconds(wait)))
            .retry_after(wait),
    }
}
