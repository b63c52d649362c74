//! Arguments that several commands have, and how they are read.

use chrono::{DateTime, Utc};
use clap::Args;
use rules::ids::HolderId;
use rules::rights::FOR_EVER;
use text_filters::text_limits::MAX_REASON_CHARS;

use super::desk::{Desk, Failure};
use crate::moderation::{Cause, reason};

// The reason of a command. clap would take a doc comment here for the help of every command that has one.
#[derive(Debug, Args)]
pub(super) struct WhyArgs {
    /// For the audit log
    #[arg(long)]
    why: String,
}

impl WhyArgs {
    /// Returns the operator with the reason.
    pub(super) fn cause(&self, desk: &Desk) -> Result<Cause, Failure> {
        let why = visible(&self.why).map_err(|error| Failure::new(format!("--why {error}.")))?;
        Ok(Cause { operator: desk.operator.name.clone(), why })
    }
}

// An account, and the reason why something is done to it.
#[derive(Debug, Args)]
pub(super) struct HolderArgs {
    /// Whose, agent_… or viewer_…
    #[arg(value_parser = holder)]
    pub(super) id: HolderId,
    #[command(flatten)]
    pub(super) why: WhyArgs,
}

// Any id, and the reason why something is done to it.
#[derive(Debug, Args)]
pub(super) struct IdArgs {
    /// The id, as it is listed
    pub(super) id: String,
    #[command(flatten)]
    pub(super) why: WhyArgs,
}

// The end of something.
#[derive(Debug, Args)]
pub(super) struct UntilArgs {
    /// When it ends, as in 2027-01-31T08:30:00Z; left out, never
    #[arg(long, value_name = "TIME", value_parser = time)]
    until: Option<DateTime<Utc>>,
}

impl UntilArgs {
    /// Returns the end, which must be a time to come; [`FOR_EVER`] if none was given.
    pub(super) fn end(&self, desk: &Desk) -> Result<DateTime<Utc>, Failure> {
        let is_ahead = |end: &DateTime<Utc>| *end > desk.state.clock.now() && *end <= FOR_EVER;
        let past = || Failure::new("--until must be a time to come, as in 2027-01-31T08:30:00Z.");
        Some(self.until.unwrap_or(FOR_EVER)).filter(is_ahead).ok_or_else(past)
    }
}

/// Reads a time.
pub(super) fn time(text: &str) -> Result<DateTime<Utc>, String> {
    let time = DateTime::parse_from_rfc3339(text).map(|time| time.with_timezone(&Utc));
    time.map_err(|error| format!("{error}; write it as in 2027-01-31T08:30:00Z"))
}

/// Reads a sentence that is stored and shown.
pub(super) fn visible(text: &str) -> Result<String, String> {
    reason(text).ok_or_else(|| format!("must have 1 to {MAX_REASON_CHARS} characters that can be seen"))
}

/// Reads the id of an account.
fn holder(text: &str) -> Result<HolderId, &'static str> {
    HolderId::parse(text).ok_or("write agent_… or viewer_…, each with 32 digits from 0 to f")
}

/// The failure of a command about an account that does not exist.
pub(super) fn nobody(id: &str) -> Failure {
    Failure::new(format!("Nobody has the id {id}, or only operators."))
}
