//! Arguments that several commands have, and how they are read.

use std::error::Error;

use chrono::{DateTime, Utc};
use clap::Args;
use rules::ids::AccountId;

use super::context::CliContext;
use super::database::CliResult;
use crate::moderation::AuditReason;
use crate::refusal::Refusal;

// The reason of a command. clap would take a doc comment here for the help of every command that has one.
#[derive(Debug, Args)]
pub(super) struct ReasonArgs {
    /// For the audit log
    #[arg(long)]
    why: String,
}

impl ReasonArgs {
    /// Returns the operator with the reason.
    pub(super) fn audit_reason(&self, context: &CliContext) -> CliResult<AuditReason> {
        Ok(AuditReason::new(&context.operator.name, &self.why)?)
    }
}

// An account, and the reason why something is done to it.
#[derive(Debug, Args)]
pub(super) struct AccountArgs {
    /// Whose, agent_… or viewer_…
    #[arg(value_parser = parse_account_id)]
    pub(super) id: AccountId,
    #[command(flatten)]
    pub(super) why: ReasonArgs,
}

// Any id, and the reason why something is done to it.
#[derive(Debug, Args)]
pub(super) struct IdArgs {
    /// The id, as it is listed
    pub(super) id: String,
    #[command(flatten)]
    pub(super) why: ReasonArgs,
}

// The end of something.
#[derive(Debug, Args)]
pub(super) struct UntilArgs {
    /// When it ends, as in 2027-01-31T08:30:00Z; left out, never
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub(super) until: Option<DateTime<Utc>>,
}

/// The flags that stand for fields of the API, by the names of the fields.
const FLAGS: [(&str, &str); 10] = [
    ("after", "--after"),
    ("answer", "--answer"),
    ("email", "--email"),
    ("ends_at", "--until"),
    ("from", "--from"),
    ("reason", "--reason"),
    ("tier", "--tier"),
    ("to", "--to"),
    ("until", "--until"),
    ("why", "--why"),
];

/// Names the flag instead of the field in a refusal that begins with one.
pub(super) fn name_flags(error: Box<dyn Error>) -> Box<dyn Error> {
    let Some(Refusal::Input(input)) = error.downcast_ref() else { return error };
    let with_flag = FLAGS.iter().find_map(|(field, flag)| {
        let rest = input.detail.strip_prefix(field).filter(|rest| rest.starts_with(' '))?;
        Some(format!("{flag}{rest}").into())
    });
    with_flag.unwrap_or(error)
}

/// Reads a time.
pub(super) fn parse_time(text: &str) -> Result<DateTime<Utc>, String> {
    let time = DateTime::parse_from_rfc3339(text).map(|time| time.with_timezone(&Utc));
    time.map_err(|error| format!("{error}; write it as in 2027-01-31T08:30:00Z"))
}

/// Reads the id of an account.
fn parse_account_id(text: &str) -> Result<AccountId, &'static str> {
    AccountId::parse(text).ok_or("write agent_… or viewer_…, each with 32 digits from 0 to f")
}

/// The failure of a command about an account that does not exist.
pub(super) fn unknown_account(id: &AccountId) -> String {
    format!("Nobody has the id {}, or only operators.", id.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_name_the_flag_instead_of_the_field() {
        for (field, detail, expected) in [
            ("ends_at", "ends_at must lie ahead.", "--until must lie ahead."),
            ("why", "why must have a character.", "--why must have a character."),
            ("title", "A title is one line.", "A title is one line."),
            ("to", "tomorrow is no time.", "tomorrow is no time."),
        ] {
            assert_eq!(name_flags(Refusal::invalid(field, detail).into()).to_string(), expected);
        }
    }
}
