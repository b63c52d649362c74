//! Arguments that several commands have, and how they are read.

use chrono::{DateTime, Utc};
use clap::Args;
use rules::ids::HolderId;

use super::database::Outcome;
use super::desk::Desk;
use crate::moderation::Cause;

// The reason of a command. clap would take a doc comment here for the help of every command that has one.
#[derive(Debug, Args)]
pub(super) struct WhyArgs {
    /// For the audit log
    #[arg(long)]
    why: String,
}

impl WhyArgs {
    /// Returns the operator with the reason.
    pub(super) fn cause(&self, desk: &Desk) -> Outcome<Cause> {
        // The refusal begins with the name of the field.
        Ok(Cause::new(&desk.operator.name, &self.why).map_err(|refusal| format!("--{refusal}"))?)
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
    pub(super) until: Option<DateTime<Utc>>,
}

/// Reads a time.
pub(super) fn time(text: &str) -> Result<DateTime<Utc>, String> {
    let time = DateTime::parse_from_rfc3339(text).map(|time| time.with_timezone(&Utc));
    time.map_err(|error| format!("{error}; write it as in 2027-01-31T08:30:00Z"))
}

/// Reads the id of an account.
fn holder(text: &str) -> Result<HolderId, &'static str> {
    HolderId::parse(text).ok_or("write agent_… or viewer_…, each with 32 digits from 0 to f")
}

/// The failure of a command about an account that does not exist.
pub(super) fn nobody(id: &HolderId) -> String {
    format!("Nobody has the id {}, or only operators.", id.as_str())
}
