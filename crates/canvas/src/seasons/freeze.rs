//! Freezes and unfreezes the season. A frozen season can only be viewed.

use caraplace_log::audit_reason::AuditReason;
use caraplace_log::state::AppState;
use platform::refusal::Refusal;
use rules::season::SeasonState;

use super::SeasonRecord;
use super::change::{SeasonUpdate, update_season};

/// Freezes the season now. A frozen season stays unchanged.
pub async fn freeze(state: &AppState, audit_reason: &AuditReason) -> Result<SeasonRecord, Refusal> {
    update_season(state, audit_reason, |season, now| {
        let current = season.season_state();
        let frozen_at = current.ended_at(now).or(Some(now));
        let update = SeasonUpdate {
            action: "freeze",
            season_state: SeasonState { frozen_at, ..current },
            announcement: season_over_message(season),
        };
        Ok(current.frozen_at.is_none().then_some(update))
    })
    .await
}

/// Continues a frozen season, without a scheduled end.
pub async fn unfreeze(state: &AppState, audit_reason: &AuditReason) -> Result<SeasonRecord, Refusal> {
    update_season(state, audit_reason, |season, now| {
        let announcement = format!("{} continues: paint.", season.title);
        let update =
            SeasonUpdate { action: "unfreeze", season_state: SeasonState::new(season.number), announcement };
        Ok(season.season_state().ended_at(now).map(|_| update))
    })
    .await
}

/// Returns the chat message at the end of a season.
pub(super) fn season_over_message(season: &SeasonRecord) -> String {
    format!("{} is over: its canvas stays as it is now, until the next season opens.", season.title)
}
