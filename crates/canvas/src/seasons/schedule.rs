//! The scheduled end of a season. Every instance watches for it, and the first one to acquire the head lock
//! freezes the season.

use std::sync::Arc;
use std::time::Duration;

use caraplace_log::audit_entry::SCHEDULE_OPERATOR;
use caraplace_log::audit_reason::AuditReason;
use caraplace_log::state::AppState;
use chrono::{DateTime, Utc};
use platform::refusal::Refusal;
use platform::time_format;
use rules::season::SeasonState;
use tokio::time::sleep;

use super::SeasonRecord;
use super::change::{SeasonUpdate, check_running, parse_end, update_season};
use super::freeze::season_over_message;

/// The interval at which the end is checked. Placements are refused from the exact time on.
const POLL_INTERVAL: Duration = Duration::from_millis(250);
/// The delay before another attempt to freeze the season.
const RETRY_DELAY: Duration = Duration::from_secs(2);

/// Sets the scheduled end of the season, or removes it.
///
/// # Errors
/// `Input` if the end is not in the future, or `SeasonOver`.
pub async fn reschedule(
    state: &AppState,
    audit_reason: &AuditReason,
    ends_at: Option<DateTime<Utc>>,
) -> Result<SeasonRecord, Refusal> {
    let ends_at = ends_at.map(|end| parse_end(state, end)).transpose()?;
    update_season(state, audit_reason, |season, now| {
        check_running(season, now)?;
        let announcement = match ends_at {
            Some(end) => format!("{} ends at {} UTC.", season.title, end.format(time_format::MINUTE)),
            None => format!("{} no longer has a scheduled end.", season.title),
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

/// Freezes seasons at their scheduled end, until the task is aborted.
pub async fn run(state: Arc<AppState>) {
    loop {
        sleep(POLL_INTERVAL).await;
        if state.read_world(|world| world.season_state.is_freeze_due(state.clock.now()))
            && let Err(error) = freeze_if_due(&state).await
        {
            tracing::debug!(?error, "freezing the season failed; trying again");
            sleep(RETRY_DELAY).await;
        }
    }
}

// Another instance may have been faster, or an operator may have changed the end.
async fn freeze_if_due(state: &AppState) -> Result<SeasonRecord, Refusal> {
    let audit_reason = AuditReason::by(SCHEDULE_OPERATOR, "Its scheduled end was reached.");
    let season = update_season(state, &audit_reason, |season, now| {
        let current = season.season_state();
        let update = || SeasonUpdate {
            action: "freeze",
            season_state: SeasonState { frozen_at: current.ends_at, ..current },
            announcement: season_over_message(season),
        };
        Ok(current.is_freeze_due(now).then(update))
    })
    .await?;
    // If another instance has frozen the season, this one has not received that yet.
    state.log.refresh().await?;
    Ok(season)
}
