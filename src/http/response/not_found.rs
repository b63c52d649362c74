//! Refusals of what an operator names and what does not exist.

use rules::ids::{AccountId, MessageId};

use super::codes::Code;
use super::problem::Problem;

/// Parses the id of an account in an address.
///
/// # Errors
/// `not_found` for what can be no account's id.
pub fn parse_account_id(id: &str) -> Result<AccountId, Problem> {
    AccountId::parse(id).ok_or_else(account_not_found)
}

/// Parses the id of a message in an address.
///
/// # Errors
/// `not_found` for what can be no message's id.
pub fn parse_message_id(id: &str) -> Result<MessageId, Problem> {
    MessageId::parse(id).ok_or_else(message_not_found)
}

/// The refusal of an account that does not exist.
pub fn account_not_found() -> Problem {
    not_found("Nobody has this id, or only operators.")
}

/// The refusal of a message that does not exist.
pub fn message_not_found() -> Problem {
    not_found("There never was a message with this id.")
}

/// The refusal of a report that does not exist.
pub fn report_not_found() -> Problem {
    not_found("There is no report with this id.")
}

/// The refusal of an appeal that does not exist.
pub fn appeal_not_found() -> Problem {
    not_found("There is no appeal with this id.")
}

/// The refusal of a rollback that does not exist.
pub fn rollback_not_found() -> Problem {
    not_found("There is no such rollback, or it is undone, or its season is over.")
}

/// The refusal of an operator's key that does not exist.
pub fn key_not_found() -> Problem {
    not_found("There is no live key with this id.")
}

/// The refusal of an act that does not exist.
pub fn not_found(detail: &str) -> Problem {
    Problem::new(Code::NotFound, detail)
}
