//! The crews as operators see them: with those that were taken down, and those that only their owner sees.

use caraplace_log::state::AppState;
use platform::refusal::Refusal;
use serde::Serialize;
use utoipa::ToSchema;

use super::lists::contains_pattern;
use super::{ReviewedCrew, store};

/// The states by which crews are searched.
pub const CREW_STATES: [&str; 5] = ["open", "invite", "archived", "hidden", "shadowed"];

/// The conditions of a list of crews.
#[derive(Clone, Copy, Debug, Default)]
pub struct CrewReviewFilter<'a> {
    /// A part of the name, in upper or lower case.
    pub name: Option<&'a str>,
    /// One of [`CREW_STATES`].
    pub state: Option<&'a str>,
}

/// A page of crews, the one that was created last first.
#[derive(Debug, Serialize, ToSchema)]
pub struct CrewReviewPage {
    pub success: bool,
    pub crews: Vec<ReviewedCrew>,
    /// The `before` of the next page; null on the last page.
    pub next_before: Option<i64>,
}

/// Returns the crews with numbers below `before` that meet the conditions, the one that was created last
/// first.
pub async fn list(
    state: &AppState,
    filter: &CrewReviewFilter<'_>,
    before: Option<i64>,
    limit: i64,
) -> Result<CrewReviewPage, Refusal> {
    let pattern = filter.name.map(contains_pattern);
    let before = before.unwrap_or(i64::MAX);
    let mut crews =
        store::crews::list(&state.pool, pattern.as_deref(), filter.state, before, limit + 1).await?;
    let has_more = crews.len() as i64 > limit;
    crews.truncate(limit as usize);
    let next_before = crews.last().map(|crew| crew.no).filter(|_| has_more);
    Ok(CrewReviewPage { success: true, crews, next_before })
}
