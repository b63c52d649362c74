//! Refusals of ids that do not exist.

use caraplace_moderation::actions::subject::ActionSubject;
use platform::refusal::codes::Code;

use super::problem::Problem;

/// Parses an id in a path.
///
/// # Errors
/// The refusal of a thing of this kind that does not exist, if the id is malformed.
pub fn parse_id<Id: ActionSubject>(id: &str) -> Result<Id, Problem> {
    Ok(Id::parse_subject(id)?)
}

/// Returns the refusal of an unknown operator's key.
pub fn key_not_found() -> Problem {
    not_found("There is no valid key with this id.")
}

/// Returns a `not_found` refusal.
pub fn not_found(detail: &str) -> Problem {
    Problem::new(Code::NotFound, detail)
}
