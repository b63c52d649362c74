//! Arguments that several commands share, and their parsers.

use std::error::Error;

use caraplace_moderation::actions::body::ReasonBody;
use chrono::{DateTime, Utc};
use clap::{Args, value_parser};
use platform::refusal::{Refusal, UNKNOWN_ACCOUNT};
use rules::ids::AccountId;

// The reason of a command. It has no doc comment, because clap would add it to the help of each command.
#[derive(Debug, Args)]
pub(super) struct ReasonArgs {
    /// Reason, for the audit log
    #[arg(long, alias = "why")]
    reason: String,
}

impl ReasonArgs {
    /// Returns the reason.
    pub(super) fn into_reason(self) -> String {
        self.reason
    }

    /// Returns the fields of an action that needs only a reason.
    pub(super) fn into_body(self) -> ReasonBody {
        ReasonBody { reason: self.reason }
    }
}

// An account, and the reason for an action on it.
#[derive(Debug, Args)]
pub(super) struct AccountArgs {
    /// Account: its name, or its id agent_… or viewer_…
    pub(super) account: String,
    #[command(flatten)]
    pub(super) reason: ReasonArgs,
}

// Any id, and the reason for an action on it.
#[derive(Debug, Args)]
pub(super) struct IdArgs {
    /// Id, as shown in the list
    pub(super) id: String,
    #[command(flatten)]
    pub(super) reason: ReasonArgs,
}

// The length of a list.
#[derive(Debug, Args)]
pub(super) struct LimitArgs {
    /// Maximum number of lines in the list
    #[arg(long, default_value = "50", value_parser = value_parser!(i64).range(1..=1_000))]
    pub(super) limit: i64,
}

// The end of a sanction, pass or season.
#[derive(Debug, Args)]
pub(super) struct UntilArgs {
    /// Time at which it ends, as in 2027-01-31T08:30:00Z; without it there is no end
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub(super) until: Option<DateTime<Utc>>,
}

/// The flags for the API's fields, by field name.
const FLAGS: [(&str, &str); 14] = [
    ("act", "--act"),
    ("after", "--after"),
    ("agent_id", "--agent"),
    ("answer", "--answer"),
    ("email", "--email"),
    ("ends_at", "--until"),
    ("from", "--from"),
    ("hide", "--hide"),
    ("reason", "--reason"),
    ("reply", "--reply"),
    ("tier", "--tier"),
    ("to", "--to"),
    ("until", "--until"),
    ("uses", "--uses"),
];

/// Replaces the field's name by the flag's in a refusal that begins with one.
pub(super) fn name_flags(error: Box<dyn Error>) -> Box<dyn Error> {
    let Some(Refusal::Input(input)) = error.downcast_ref() else { return error };
    let with_flag = FLAGS.iter().find_map(|(field, flag)| {
        let rest = input.detail.strip_prefix(field).filter(|rest| rest.starts_with(' '))?;
        Some(format!("{flag}{rest}").into())
    });
    with_flag.unwrap_or(error)
}

/// Parses a time.
pub(super) fn parse_time(text: &str) -> Result<DateTime<Utc>, String> {
    let time = DateTime::parse_from_rfc3339(text).map(|time| time.with_timezone(&Utc));
    time.map_err(|error| format!("{error}; write a time as in 2027-01-31T08:30:00Z"))
}

/// Returns the error message for a message that does not exist.
pub(super) fn unknown_message(id: &str) -> String {
    format!("There is no message with the id {id}.")
}

/// Returns the error message for an entry of a queue that does not exist.
pub(super) fn unknown_entry(id: &str) -> String {
    format!("There is nothing with the id {id}. Check the id in the list.")
}

/// Returns the error message for an account that does not exist: the sentence of the API, with the id.
pub(super) fn unknown_account(id: &AccountId) -> String {
    UNKNOWN_ACCOUNT.replace("this id", &format!("the id {}", id.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_account_is_named_by_its_id() {
        let id = format!("viewer_{}", "0".repeat(32));
        let sentence = unknown_account(&AccountId::parse(&id).unwrap());
        assert_eq!(sentence, format!("There is no agent or viewer with the id {id}."));
    }

    #[test]
    fn refusals_name_the_flag_instead_of_the_field() {
        for (field, detail, expected) in [
            ("ends_at", "ends_at must lie ahead.", "--until must lie ahead."),
            ("reason", "reason must have a character.", "--reason must have a character."),
            ("title", "A title is one line.", "A title is one line."),
            ("to", "tomorrow is no time.", "tomorrow is no time."),
        ] {
            assert_eq!(name_flags(Refusal::invalid(field, detail).into()).to_string(), expected);
        }
    }
}
