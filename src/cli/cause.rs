//! What verbs have in common: whom they are about, why, and until when.

use chrono::{DateTime, Utc};
use clap::{Arg, ArgMatches, Command};
use rules::ids::{HolderId, MessageId};
use rules::rights::FOR_EVER;
use text_filters::text_limits::MAX_REASON_CHARS;

use super::{Desk, Failure};
use crate::moderation::{Cause, reason};

const ID: &str = "ID";
const WHY: &str = "why";
const UNTIL: &str = "until";

/// A verb that is about an id, and says why.
pub(super) fn about_an_id(verb: Command, help: &'static str) -> Command {
    with_why(verb.arg(Arg::new(ID).required(true).help(help)))
}

/// A verb that says why.
pub(super) fn with_why(verb: Command) -> Command {
    verb.arg(Arg::new(WHY).long(WHY).required(true).help("For the audit log"))
}

/// A verb that has an end.
pub(super) fn with_end(verb: Command) -> Command {
    let until = Arg::new(UNTIL).long(UNTIL).value_name("TIME");
    verb.arg(until.help("When it ends, as in 2027-01-31T08:30:00Z; left out, never"))
}

/// A word of the command line.
pub(super) fn word<'a>(asked: &'a ArgMatches, name: &str) -> &'a str {
    asked.get_one::<String>(name).map(String::as_str).unwrap_or_default()
}

/// Who orders it, and why.
pub(super) fn cause(asked: &ArgMatches, desk: &Desk) -> Result<Cause, Failure> {
    let empty =
        || Failure::new(format!("--why must have 1 to {MAX_REASON_CHARS} characters that can be seen."));
    let why = reason(word(asked, WHY)).ok_or_else(empty)?;
    Ok(Cause { operator: desk.operator.name.clone(), why })
}

/// The id, as it was written.
pub(super) fn id(asked: &ArgMatches) -> &str {
    word(asked, ID)
}

/// Whom it is about.
pub(super) fn holder(asked: &ArgMatches) -> Result<HolderId, Failure> {
    HolderId::parse(id(asked)).ok_or_else(|| nobody(id(asked)))
}

/// The message that it is about.
pub(super) fn message(asked: &ArgMatches) -> Result<MessageId, Failure> {
    MessageId::parse(id(asked)).ok_or_else(|| no_message(id(asked)))
}

/// Why nothing was done to nobody.
pub(super) fn nobody(id: &str) -> Failure {
    Failure::new(format!("Nobody has the id {id}, or only operators."))
}

/// Why nothing was done to a message that was never said.
pub(super) fn no_message(id: &str) -> Failure {
    Failure::new(format!("There never was a message with the id {id}."))
}

/// When it ends.
pub(super) fn end(asked: &ArgMatches, desk: &Desk) -> Result<DateTime<Utc>, Failure> {
    let Some(text) = asked.get_one::<String>(UNTIL) else { return Ok(FOR_EVER) };
    let time = DateTime::parse_from_rfc3339(text).map(|time| time.with_timezone(&Utc)).ok();
    let ahead = time.filter(|time| *time > desk.state.clock.now() && *time <= FOR_EVER);
    ahead.ok_or_else(|| Failure::new("--until must be a time to come, as in 2027-01-31T08:30:00Z."))
}
