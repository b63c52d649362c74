//! The crews as operators see them: with those that were taken down, and those that only their owner sees.

use caraplace_log::state::AppState;
use platform::refusal::Refusal;

use super::{ReviewedCrew, store};

/// A page of crews, the one that was created last first.
pub struct CrewReviewPage {
    pub crews: Vec<ReviewedCrew>,
    /// The `before` of the next page; `None` on the last page.
    pub next_before: Option<i64>,
}

/// Returns the crews with numbers below `before`, the one that was created last first.
pub async fn list(state: &AppState, before: Option<i64>, limit: usize) -> Result<CrewReviewPage, Refusal> {
    let mut crews = store::crews::list(&state.pool, before.unwrap_or(i64::MAX), limit as i64 + 1).await?;
    let has_more = crews.len() > limit;
    crews.truncate(limit);
    let next_before = crews.last().map(|crew| crew.no).filter(|_| has_more);
    Ok(CrewReviewPage { crews, next_before })
}
