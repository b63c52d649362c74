//! Freezing the season that is played: from then on it is only looked at.

use rules::season::SeasonState;

use super::Recorded;
use super::change::{Turn, change};
use crate::moderation::Cause;
use crate::refusal::Refusal;
use crate::state::AppState;

/// Freezes the season now. One that is frozen already stays as it is.
///
/// # Errors
/// When the database cannot be written.
pub async fn freeze(state: &AppState, cause: &Cause) -> Result<Recorded, Refusal> {
    change(state, cause, |season, now| {
        let course = season.course();
        let frozen_at = course.ended_at(now).or(Some(now));
        let turn = Turn { act: "freeze", course: SeasonState { frozen_at, ..course }, says: over(season) };
        Ok(course.frozen_at.is_none().then_some(turn))
    })
    .await
}

/// Lets a frozen season go on, without an appointed end.
///
/// # Errors
/// When the database cannot be written.
pub async fn unfreeze(state: &AppState, cause: &Cause) -> Result<Recorded, Refusal> {
    change(state, cause, |season, now| {
        let says = format!("{} goes on: paint.", season.title);
        let turn = Turn { act: "unfreeze", course: SeasonState::new(season.number), says };
        Ok(season.course().ended_at(now).map(|_| turn))
    })
    .await
}

/// What the chat is told when a season is over.
pub(super) fn over(season: &Recorded) -> String {
    format!("{} is over: its canvas stays as it is now, until the next season opens.", season.title)
}
