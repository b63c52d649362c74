//! A season's appointed end: every instance watches for it, and the first to pass the gate writes it down.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use rules::season::SeasonState;
use tokio::time::sleep;

use super::SeasonRecord;
use super::change::{SeasonUpdate, check_played, parse_end, update_season};
use super::freeze::over_message;
use crate::moderation::AuditReason;
use crate::refusal::Refusal;
use crate::state::AppState;
use crate::time_format;

/// How often it is asked whether the end has come. Whoever paints is refused from the very moment.
const POLL_INTERVAL: Duration = Duration::from_millis(250);
/// How long to wait when it could not be written down.
const RETRY_DELAY: Duration = Duration::from_secs(2);

/// Appoints the end of the season that an operator asks for, or none.
///
/// # Errors
/// `Input` for an end that does not lie ahead; `SeasonOver`; or that the database cannot be written.
pub async fn reschedule(
    state: &AppState,
    cause: &AuditReason,
    ends_at: Option<DateTime<Utc>>,
) -> Result<SeasonRecord, Refusal> {
    let ends_at = ends_at.map(|end| parse_end(state, end)).transpose()?;
    update_season(state, cause, |season, now| {
        check_played(season, now)?;
        let announcement = match ends_at {
            Some(end) => format!("{} ends at {} UTC.", season.title, end.format(time_format::MINUTE)),
            None => format!("{} has no appointed end any more.", season.title),
        };
        let update = SeasonUpdate {
            action: "schedule",
            season_state: SeasonState { ends_at, ..season.season_state() },
            announcement,
        };
        Ok((season.ends_at != ends_at).then_some(update))
    })
    .await
}

/// Freezes the season at its appointed end, for as long as it is not aborted.
pub async fn run(state: Arc<AppState>) {
    loop {
        sleep(POLL_INTERVAL).await;
        if state.read_world(|world| world.season_state.is_freeze_due(state.clock.now()))
            && let Err(error) = freeze_if_due(&state).await
        {
            tracing::debug!(?error, "the season's end could not be written down; trying again");
            sleep(RETRY_DELAY).await;
        }
    }
}

/// Another instance may have been faster, or an operator may have appointed another end.
async fn freeze_if_due(state: &AppState) -> Result<SeasonRecord, Refusal> {
    let cause =
        AuditReason { operator: "schedule".to_owned(), reason: "Its appointed end has come.".to_owned() };
    let season = update_season(state, &cause, |season, now| {
        let current = season.season_state();
        let update = || SeasonUpdate {
            action: "freeze",
            season_state: SeasonState { frozen_at: current.ends_at, ..current },
            announcement: over_message(season),
        };
        Ok(current.is_freeze_due(now).then(update))
    })
    .await?;
    // Where nothing was left to be done, this instance has not heard of it yet.
    state.log.refresh().await?;
    Ok(season)
}
