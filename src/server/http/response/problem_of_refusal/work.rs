//! The time to wait after refusals of costly work.

use chrono::TimeDelta;
use platform::refusal::WorkRefusal;

use crate::server::http::response::problem::Problem;

/// The time after which another request of the address may have ended.
const BUSY_RETRY_AFTER: TimeDelta = TimeDelta::seconds(2);

/// Adds the hint, and the time to wait.
pub(super) fn with_fields(problem: Problem, refusal: WorkRefusal) -> Problem {
    match refusal {
        WorkRefusal::AddressBusy => problem
            .hint("Wait for the answers of your other requests, then send the next one.")
            .retry_after(BUSY_RETRY_AFTER),
        WorkRefusal::NotPaid { wait } => problem.retry_after(wait),
    }
}
