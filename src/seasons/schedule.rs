//! A season's appointed end: every instance watches for it, and the first to pass the gate writes it down.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use rules::season::SeasonState;
use tokio::time::sleep;

use super::Recorded;
use super::change::{Turn, change, check_played, parse_end};
use super::freeze::over;
use crate::moderation::Cause;
use crate::refusal::Refusal;
use crate::state::AppState;
use crate::time_format;

/// How often it is asked whether the end has come. Whoever paints is refused from the very moment.
const WATCH: Duration = Duration::from_millis(250);
/// How long to wait when it could not be written down.
const RETRY: Duration = Duration::from_secs(2);

/// Appoints the end of the season that an operator asks for, or none.
///
/// # Errors
/// `Input` for an end that does not lie ahead; `SeasonOver`; or that the database cannot be written.
pub async fn reschedule(
    state: &AppState,
    cause: &Cause,
    ends_at: Option<DateTime<Utc>>,
) -> Result<Recorded, Refusal> {
    let ends_at = ends_at.map(|end| parse_end(state, end)).transpose()?;
    change(state, cause, |season, now| {
        check_played(season, now)?;
        let says = match ends_at {
            Some(end) => format!("{} ends at {} UTC.", season.title, end.format(time_format::MINUTE)),
            None => format!("{} has no appointed end any more.", season.title),
        };
        let turn = Turn { act: "schedule", course: SeasonState { ends_at, ..season.course() }, says };
        Ok((season.ends_at != ends_at).then_some(turn))
    })
    .await
}

/// Freezes the season at its appointed end, for as long as it is not aborted.
pub async fn keep(state: Arc<AppState>) {
    loop {
        sleep(WATCH).await;
        if state.snapshot(|world| world.course.is_freeze_due(state.clock.now()))
            && let Err(error) = end(&state).await
        {
            tracing::debug!(?error, "the season's end could not be written down; trying again");
            sleep(RETRY).await;
        }
    }
}

/// Another instance may have been faster, or an operator may have appointed another end.
async fn end(state: &AppState) -> Result<Recorded, Refusal> {
    let clock = Cause { operator: "schedule".to_owned(), why: "Its appointed end has come.".to_owned() };
    let ended = change(state, &clock, |season, now| {
        let course = season.course();
        let turn = || Turn {
            act: "freeze",
            course: SeasonState { frozen_at: course.ends_at, ..course },
            says: over(season),
        };
        Ok(course.is_freeze_due(now).then(turn))
    })
    .await?;
    // Where nothing was left to be done, this instance has not heard of it yet.
    state.log.refresh().await?;
    Ok(ended)
}
