//! The subjects of operators' actions, and the refusals of those that do not exist.

use platform::refusal::{CrewRefusal, InputError, InputErrorKind, PlanRefusal, Refusal, UNKNOWN_ACCOUNT};
use rules::ids::{AccountId, CrewId, MessageId, PlanId};

/// The id of what an action is about, as it stands in a path.
pub trait ActionSubject: Sized {
    /// Parses the id.
    ///
    /// # Errors
    /// The refusal of a subject that does not exist, if the id is malformed.
    fn parse_subject(id: &str) -> Result<Self, Refusal>;
}

impl ActionSubject for MessageId {
    fn parse_subject(id: &str) -> Result<Self, Refusal> {
        Self::parse(id).ok_or_else(message_not_found)
    }
}

impl ActionSubject for AccountId {
    fn parse_subject(id: &str) -> Result<Self, Refusal> {
        Self::parse(id).ok_or_else(account_not_found)
    }
}

impl ActionSubject for PlanId {
    fn parse_subject(id: &str) -> Result<Self, Refusal> {
        Self::parse(id).ok_or_else(plan_not_found)
    }
}

impl ActionSubject for CrewId {
    fn parse_subject(id: &str) -> Result<Self, Refusal> {
        Ok(Self::parse(id).ok_or(CrewRefusal::NotFound)?)
    }
}

impl ActionSubject for String {
    fn parse_subject(id: &str) -> Result<Self, Refusal> {
        Ok(id.to_owned())
    }
}

/// Returns the refusal of an unknown message.
pub fn message_not_found() -> Refusal {
    not_found("There is no message with this id.")
}

/// Returns the refusal of an unknown account.
pub fn account_not_found() -> Refusal {
    not_found(UNKNOWN_ACCOUNT)
}

/// Returns the refusal of an unknown plan.
pub fn plan_not_found() -> Refusal {
    PlanRefusal::NotFound.into()
}

/// Returns the refusal of an unknown report.
pub fn report_not_found() -> Refusal {
    not_found("There is no report with this id.")
}

/// Returns the refusal of an unknown decision.
pub fn decision_not_found() -> Refusal {
    not_found("There is no decision with this id.")
}

/// Returns the refusal of an unknown appeal.
pub fn appeal_not_found() -> Refusal {
    not_found("There is no appeal with this id.")
}

/// Returns the refusal of a block that an operator cannot end.
pub fn block_not_found() -> Refusal {
    not_found("There is no block with this id, or an operator has ended it.")
}

/// Returns the refusal of an invitation code that cannot be revoked.
pub fn code_not_found() -> Refusal {
    not_found("There is no invitation code with this id, or it is revoked already.")
}

/// Returns the refusal of a rollback that cannot be undone.
pub fn rollback_not_found() -> Refusal {
    not_found("There is no such rollback, it is already undone, or its season has ended.")
}

fn not_found(detail: &str) -> Refusal {
    InputError::new(InputErrorKind::NotFound, detail).into()
}
