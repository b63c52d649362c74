//! The subjects that proposed actions of operators name in their fields, and the refusals of unknown ones.

use platform::refusal::{InputError, InputErrorKind, Refusal, UNKNOWN_ACCOUNT};
use rules::ids::{AccountId, MessageId};

/// Parses the id of a message.
///
/// # Errors
/// `Input` if there is none with it.
pub(super) fn parse_message_id(id: &str) -> Result<MessageId, Refusal> {
    MessageId::parse(id).ok_or_else(message_not_found)
}

/// Parses the id of an account.
///
/// # Errors
/// `Input` if there is none with it.
pub(super) fn parse_account_id(id: &str) -> Result<AccountId, Refusal> {
    AccountId::parse(id).ok_or_else(account_not_found)
}

/// Returns the refusal of an unknown message.
pub(super) fn message_not_found() -> Refusal {
    let detail = "There is no message with this id that could be taken down.";
    InputError::for_field(InputErrorKind::NotFound, "message_id", detail).into()
}

/// Returns the refusal of an unknown account.
pub(super) fn account_not_found() -> Refusal {
    InputError::for_field(InputErrorKind::NotFound, "agent_id", UNKNOWN_ACCOUNT).into()
}
