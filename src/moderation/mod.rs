//! What keeps the place decent: what operators do and why, what is reported to them, and who appeals.

pub mod account_report;
pub mod announce;
pub mod appeals;
pub mod audit;
pub mod hide;
pub mod permissions;
pub mod release;
pub mod reports;
pub mod rollback;
pub mod sanctions;
mod store;

use chrono::{DateTime, Utc};
use rules::rights::PERMANENT;
use text_filters::content;
use text_filters::text_limits::MAX_REASON_CHARS;

use crate::agents::accounts;
use crate::log::audit::AuditEntry;
use crate::log::command::{Command, CommandOutcome};
use crate::refusal::Refusal;
use crate::state::AppState;

/// Who the audit log names where nobody but reports did it.
const REPORTS_OPERATOR: &str = "reports";

/// Returns a reason as it may be stored, or `None` if nothing visible is left or it is too long.
pub fn clean_reason(raw: &str) -> Option<String> {
    let text = content::clean(raw).ok()?;
    (1..=MAX_REASON_CHARS).contains(&text.chars().count()).then_some(text)
}

/// Parses a text in which an operator gives a reason.
///
/// # Errors
/// `Input` if nothing visible is left of it or it is too long.
pub fn parse_reason(field: &'static str, raw: &str) -> Result<String, Refusal> {
    let detail = || format!("{field} must have 1 to {MAX_REASON_CHARS} characters that can be seen.");
    clean_reason(raw).ok_or_else(|| Refusal::invalid(field, detail()))
}

/// Returns when something ends: never, unless a time is named.
///
/// # Errors
/// `Input` for a time that is over already.
pub fn parse_end(state: &AppState, until: Option<DateTime<Utc>>) -> Result<DateTime<Utc>, Refusal> {
    let until = until.unwrap_or(PERMANENT);
    if until <= state.clock.now() || until > PERMANENT {
        let detail = "until must be a time to come, before the year 10000; without it there is no end.";
        return Err(Refusal::invalid("until", detail));
    }
    Ok(until)
}

/// Who does something, and why, as the audit log will say.
#[derive(Clone, Debug)]
pub struct AuditReason {
    /// `console`, the name of a key, or `command line`.
    pub operator: String,
    pub reason: String,
}

impl AuditReason {
    /// Returns the operator of this name with the reason that it gives.
    ///
    /// # Errors
    /// `Input` if nothing visible is left of the reason or it is too long.
    pub fn new(operator: &str, reason: &str) -> Result<Self, Refusal> {
        Ok(Self { operator: operator.to_owned(), reason: parse_reason("why", reason)? })
    }

    /// An act for it.
    pub fn audit_entry(
        &self,
        action: &'static str,
        subject: &str,
        before: serde_json::Value,
        after: serde_json::Value,
    ) -> AuditEntry {
        let (operator, reason) = (self.operator.clone(), self.reason.clone());
        AuditEntry { operator, action, subject: subject.to_owned(), reason, before, after }
    }
}

/// Brings a deed through the gate in the operators' name.
async fn perform<C: Command>(state: &AppState, command: C) -> Result<C::Output, Refusal> {
    let operator = accounts::find_operator(state).await?;
    match state.log.submit(&operator, None, command, None).await? {
        CommandOutcome::Executed(done) => Ok(done),
        // Only what has an idempotency key is answered from what was stored.
        CommandOutcome::Replayed(_) => Err(Refusal::Unavailable),
    }
}
