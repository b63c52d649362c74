//! What keeps the place decent: what operators do and why, what is reported to them, and who appeals.

pub mod announce;
pub mod appeals;
pub mod audit;
pub mod hide;
pub mod release;
pub mod reports;
pub mod rollback;
pub mod sanctions;
pub mod sheet;
pub mod standing;
mod store;

use chrono::{DateTime, Utc};
use rules::rights::PERMANENT;
use text_filters::content;
use text_filters::text_limits::MAX_REASON_CHARS;

use crate::agents::holder;
use crate::log::audit::Act;
use crate::log::deed::{Deed, Outcome};
use crate::refusal::Refusal;
use crate::state::AppState;

/// Who the audit log names where nobody but reports did it.
const BY_REPORTS: &str = "reports";

/// Returns a reason as it may be stored, or `None` if nothing visible is left or it is too long.
pub fn reason(raw: &str) -> Option<String> {
    let text = content::clean(raw).ok()?;
    (1..=MAX_REASON_CHARS).contains(&text.chars().count()).then_some(text)
}

/// Parses a text in which an operator gives a reason.
///
/// # Errors
/// `Input` if nothing visible is left of it or it is too long.
pub fn parse_reason(field: &'static str, raw: &str) -> Result<String, Refusal> {
    let detail = || format!("{field} must have 1 to {MAX_REASON_CHARS} characters that can be seen.");
    reason(raw).ok_or_else(|| Refusal::invalid(field, detail()))
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
pub struct Cause {
    /// `console`, the name of a key, or `command line`.
    pub operator: String,
    pub why: String,
}

impl Cause {
    /// Returns the operator of this name with the reason that it gives.
    ///
    /// # Errors
    /// `Input` if nothing visible is left of the reason or it is too long.
    pub fn new(operator: &str, why: &str) -> Result<Self, Refusal> {
        Ok(Self { operator: operator.to_owned(), why: parse_reason("why", why)? })
    }

    /// An act for it.
    pub fn act(
        &self,
        act: &'static str,
        subject: &str,
        before: serde_json::Value,
        after: serde_json::Value,
    ) -> Act {
        let (operator, why) = (self.operator.clone(), self.why.clone());
        Act { operator, act, subject: subject.to_owned(), why, before, after }
    }
}

/// Brings a deed through the gate in the operators' name.
async fn perform<D: Deed>(state: &AppState, deed: D) -> Result<D::Done, Refusal> {
    let operator = holder::operator(state).await?;
    match state.log.submit(&operator, None, deed, None).await? {
        Outcome::Fresh(done) => Ok(done),
        // Only what has an idempotency key is answered from what was stored.
        Outcome::Replayed(_) => Err(Refusal::Unavailable),
    }
}
