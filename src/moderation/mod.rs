//! What keeps the place decent: what operators do and why, what is reported to them, and who appeals.

pub mod announce;
pub mod appeals;
pub mod audit;
pub mod hide;
pub mod release;
pub mod reports;
pub mod rollback;
pub mod sheet;
pub mod standing;
mod store;

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

/// Who does something, and why, as the audit log will say.
#[derive(Clone, Debug)]
pub struct Cause {
    /// `console`, the name of a key, or `command line`.
    pub operator: String,
    pub why: String,
}

impl Cause {
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
