//! The codes and hints of the refusals of drafts.

use chrono::TimeDelta;
use platform::refusal::DraftRefusal;
use platform::refusal::codes::Code;

use crate::server::http::response::problem::Problem;

/// The time after which a draft that was being carried out has a result, as a rule.
const APPROVAL_RETRY_AFTER: TimeDelta = TimeDelta::seconds(2);

/// Returns the code of a refusal.
pub(super) fn find_code(refusal: DraftRefusal) -> Code {
    match refusal {
        DraftRefusal::NotFound | DraftRefusal::TurnEnded => Code::NotFound,
        DraftRefusal::Approved | DraftRefusal::Rejected | DraftRefusal::Expired => Code::Closed,
        DraftRefusal::BeingApproved | DraftRefusal::Interrupted => Code::IdempotencyInFlight,
        DraftRefusal::NeedsPass => Code::GalleryPassRequired,
        DraftRefusal::OperatorDecides | DraftRefusal::OperatorsOnly | DraftRefusal::NotForOperators => {
            Code::Forbidden
        }
        DraftRefusal::AlreadyProposed
        | DraftRefusal::TooManyOwn { .. }
        | DraftRefusal::TooManyInAll { .. } => Code::LimitReached,
    }
}

/// Adds the hint, and the time to wait.
pub(super) fn with_fields(problem: Problem, refusal: DraftRefusal) -> Problem {
    match refusal {
        DraftRefusal::NotFound => problem.hint(
            "GET /api/guide/drafts lists your drafts, GET /api/admin/drafts those that wait for operators.",
        ),
        DraftRefusal::Approved => problem.hint("Undo the change itself: the draft has been carried out."),
        DraftRefusal::Rejected | DraftRefusal::Expired => {
            problem.hint("Ask the guide to propose it again, or do it by hand.")
        }
        DraftRefusal::BeingApproved => problem
            .hint(
                "Read the draft again in a moment: it is carried out once. If the server was stopped \
                 meanwhile, it waits again after a minute.",
            )
            .retry_after(APPROVAL_RETRY_AFTER),
        DraftRefusal::Interrupted => {
            problem.hint("Reject it, or leave it: it expires a day after it was proposed.")
        }
        DraftRefusal::NeedsPass => problem.hint("A pass is sold at /gallery; reading is free."),
        DraftRefusal::OperatorDecides => problem
            .hint("Wait for an operator, or get a Gallery Pass at /gallery and open the plan yourself."),
        DraftRefusal::OperatorsOnly => problem.hint("Report what is wrong: operators read all reports."),
        DraftRefusal::NotForOperators => problem.hint("Propose an announcement."),
        DraftRefusal::TurnEnded => problem.hint("Ask the guide again."),
        DraftRefusal::AlreadyProposed => {
            problem.hint("Decide on it: GET /api/guide/drafts lists your drafts.")
        }
        DraftRefusal::TooManyOwn { limit } => problem
            .hint("Approve or reject one first: GET /api/guide/drafts lists them. They expire after a day.")
            .with_field("limit", limit),
        DraftRefusal::TooManyInAll { limit } => problem
            .hint("Try again later: drafts expire after a day. With a Gallery Pass your drafts count alone.")
            .with_field("limit", limit),
    }
}
