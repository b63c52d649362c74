//! The actions on seasons and settings.

use caraplace_canvas::seasons::open::OpenSeasonBody;
use caraplace_canvas::seasons::{freeze, open, schedule};
use caraplace_log::audit_reason::AuditReason;
use caraplace_log::state::AppState;
use platform::refusal::Refusal;

use super::answer::ActionAnswer;
use super::body::{SeasonEndBody, SettingBody};
use crate::settings;

/// Opens the next season.
pub(super) async fn open_season(
    state: &AppState,
    audit_reason: &AuditReason,
    body: &OpenSeasonBody,
) -> Result<ActionAnswer, Refusal> {
    Ok(ActionAnswer::Season(open::open_next(state, audit_reason, body).await?))
}

/// Freezes the season.
pub(super) async fn freeze_season(
    state: &AppState,
    audit_reason: &AuditReason,
) -> Result<ActionAnswer, Refusal> {
    Ok(ActionAnswer::Season(freeze::freeze(state, audit_reason).await?))
}

/// Continues a frozen season.
pub(super) async fn unfreeze_season(
    state: &AppState,
    audit_reason: &AuditReason,
) -> Result<ActionAnswer, Refusal> {
    Ok(ActionAnswer::Season(freeze::unfreeze(state, audit_reason).await?))
}

/// Sets or clears the end of the season.
pub(super) async fn schedule_season(
    state: &AppState,
    audit_reason: &AuditReason,
    body: &SeasonEndBody,
) -> Result<ActionAnswer, Refusal> {
    Ok(ActionAnswer::Season(schedule::reschedule(state, audit_reason, body.ends_at).await?))
}

/// Changes a setting.
pub(super) async fn change_setting(
    state: &AppState,
    audit_reason: &AuditReason,
    body: &SettingBody,
) -> Result<ActionAnswer, Refusal> {
    Ok(ActionAnswer::Setting(settings::set(state, audit_reason, &body.name, &body.value).await?))
}
