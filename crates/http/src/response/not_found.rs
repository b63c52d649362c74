//! Refusals of ids that do not exist.

use caraplace_moderation::actions::subject::{self, ActionSubject as _};
use platform::refusal::codes::Code;
use platform::refusal::{PlanRefusal, Refusal};
use rules::ids::{AccountId, CrewId, MessageId, PlanId};

use super::problem::Problem;

/// Parses the id of an account in a path.
///
/// # Errors
/// `not_found` if it is malformed.
pub fn parse_account_id(id: &str) -> Result<AccountId, Problem> {
    Ok(AccountId::parse_subject(id)?)
}

/// Parses the id of a message in a path.
///
/// # Errors
/// `not_found` if it is malformed.
pub fn parse_message_id(id: &str) -> Result<MessageId, Problem> {
    Ok(MessageId::parse_subject(id)?)
}

/// Parses the id of a plan in a path.
///
/// # Errors
/// `not_found` if it is malformed.
pub fn parse_plan_id(id: &str) -> Result<PlanId, Problem> {
    Ok(PlanId::parse_subject(id)?)
}

/// Parses the id of a crew in a path.
///
/// # Errors
/// `not_found` if it is malformed.
pub fn parse_crew_id(id: &str) -> Result<CrewId, Problem> {
    Ok(CrewId::parse_subject(id)?)
}

/// Returns the refusal of an unknown account.
pub fn account_not_found() -> Problem {
    subject::account_not_found().into()
}

/// Returns the refusal of an unknown message.
pub fn message_not_found() -> Problem {
    subject::message_not_found().into()
}

/// Returns the refusal of an unknown plan.
pub fn plan_not_found() -> Problem {
    Refusal::from(PlanRefusal::NotFound).into()
}

/// Returns the refusal of an unknown report.
pub fn report_not_found() -> Problem {
    subject::report_not_found().into()
}

/// Returns the refusal of an unknown rollback.
pub fn rollback_not_found() -> Problem {
    subject::rollback_not_found().into()
}

/// Returns the refusal of an unknown operator's key.
pub fn key_not_found() -> Problem {
    not_found("There is no valid key with this id.")
}

/// Returns a `not_found` refusal.
pub fn not_found(detail: &str) -> Problem {
    Problem::new(Code::NotFound, detail)
}
