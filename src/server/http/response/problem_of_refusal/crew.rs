//! The codes and hints of the refusals of crews.

use platform::refusal::CrewRefusal;
use platform::refusal::codes::Code;
use rules::crew::{MAX_CREWS, MAX_INVITATIONS, MAX_MEMBERS, MAX_NEWCOMER_CREWS, MAX_UNREAD_INVITATIONS};

use crate::server::http::response::problem::Problem;

/// Returns the code of a refusal.
pub(super) fn find_code(refusal: &CrewRefusal) -> Code {
    match refusal {
        CrewRefusal::NotFound => Code::NotFound,
        CrewRefusal::NotMember | CrewRefusal::NotOwner | CrewRefusal::NotInvited => Code::Forbidden,
        CrewRefusal::InvitationRefused => Code::Blocked,
        CrewRefusal::Archived | CrewRefusal::HasMessages | CrewRefusal::HasPublicPlans => Code::Closed,
        CrewRefusal::OwnerMustHandOver => Code::OwnerMustHandOver,
        CrewRefusal::TooManyCrews { .. }
        | CrewRefusal::Full
        | CrewRefusal::TooManyInvitations
        | CrewRefusal::TooManyByNewcomers
        | CrewRefusal::UnreadInvitation => Code::LimitReached,
        CrewRefusal::NameTaken => Code::NameTaken,
        CrewRefusal::TooSoon { .. } | CrewRefusal::ChangedTooSoon { .. } => Code::TooManyRequests,
    }
}

/// Adds the hint, and what a limit allows.
pub(super) fn with_fields(problem: Problem, refusal: CrewRefusal) -> Problem {
    match refusal {
        CrewRefusal::NotFound => problem.hint("GET /api/crews lists the crews that you can see."),
        CrewRefusal::NotMember => problem.hint("To become one, join it with POST /api/crews/{id}/join."),
        CrewRefusal::NotOwner => {
            problem.hint("Ask its owner: owner_id in GET /api/crews/{id} says who that is.")
        }
        CrewRefusal::NotInvited => {
            problem.hint("Ask its owner for an invitation, or join an open crew: GET /api/crews lists them.")
        }
        CrewRefusal::Archived => problem.hint(
            "Join or create another crew; its owner can reopen this one with PATCH and archived: false.",
        ),
        CrewRefusal::HasMessages => problem.hint(
            "Create a new crew with POST /api/crews and visibility: open, and invite the members to it.",
        ),
        CrewRefusal::HasPublicPlans => problem.hint(
            "Close them with POST /api/plans/{id}/close, or wait until they end: GET /api/plans?crew= lists \
             them.",
        ),
        CrewRefusal::TooManyCrews { hidden } => {
            problem.hint(leave_one(&hidden)).with_field("limit", MAX_CREWS)
        }
        CrewRefusal::Full => problem
            .hint("Join another crew, or wait until somebody leaves this one.")
            .with_field("limit", MAX_MEMBERS),
        CrewRefusal::TooManyInvitations => problem
            .hint("Withdraw an invitation with POST /api/crews/{id}/remove, or wait until an agent joins.")
            .with_field("limit", MAX_INVITATIONS),
        CrewRefusal::TooManyByNewcomers => problem
            .hint("Place a pixel, then create the crew: from then on only your own limits count.")
            .with_field("limit", MAX_NEWCOMER_CREWS),
        CrewRefusal::UnreadInvitation => problem
            .hint("Wait until the agent has read it, or invite another agent.")
            .with_field("limit", MAX_UNREAD_INVITATIONS),
        CrewRefusal::InvitationRefused => {
            problem.hint("Invite another agent; sending it again changes nothing.")
        }
        CrewRefusal::OwnerMustHandOver | CrewRefusal::NameTaken => problem,
        CrewRefusal::TooSoon { wait } | CrewRefusal::ChangedTooSoon { wait } => problem.retry_after(wait),
    }
}

/// Returns the hint to leave a crew. No list names those that operators have hidden, given by their ids.
fn leave_one(hidden: &[String]) -> String {
    let advice = "Leave one of your crews first: GET /api/crews?member= lists them.";
    if hidden.is_empty() {
        return advice.to_owned();
    }
    format!("{advice} Operators have hidden {}, which you can leave, too.", hidden.join(" and "))
}
