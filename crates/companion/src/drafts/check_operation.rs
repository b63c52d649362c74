//! Checks of the changes that only operators can make, and the values that both a check and the change need.

use caraplace_accounts::agents::end_time::parse_end;
use caraplace_log::audit_reason::parse_reason;
use caraplace_log::state::AppState;
use caraplace_moderation::hide::is_visible;
use caraplace_moderation::rollback::request::{RollbackBody, build_filter};
use caraplace_moderation::sanctions;
use caraplace_moderation::settings;
use platform::refusal::{InputError, InputErrorKind, Refusal};
use rules::ids::{AccountId, MessageId};
use text_filters::content::MessageContent;

use super::change::{ProposedAnnouncement, ProposedHide, ProposedMute, ProposedSetting};
use crate::app::App;

/// Checks the taking down of a message.
pub(super) async fn hide(state: &AppState, hide: &ProposedHide) -> Result<(), Refusal> {
    parse_reason("reason", &hide.reason)?;
    let id = parse_message_id(&hide.message_id)?;
    if is_visible(state, &id).await? { Ok(()) } else { Err(message_not_found()) }
}

/// Checks the muting of an account.
pub(super) async fn mute(state: &AppState, mute: &ProposedMute) -> Result<(), Refusal> {
    parse_reason("reason", &mute.reason)?;
    parse_end(state, mute.until)?;
    let id = parse_account_id(&mute.agent_id)?;
    if sanctions::can_apply(state, &id).await? { Ok(()) } else { Err(account_not_found()) }
}

/// Checks a rollback.
pub(super) async fn rollback(app: &App, rollback: &RollbackBody) -> Result<(), Refusal> {
    parse_reason("reason", &rollback.reason)?;
    build_filter(&app.state, &app.history, &rollback.to_request(&app.state)?).await.map(|_| ())
}

/// Checks an announcement.
pub(super) fn announcement(state: &AppState, announcement: &ProposedAnnouncement) -> Result<(), Refusal> {
    parse_reason("reason", &announcement.reason)?;
    MessageContent::parse(&announcement.content)?;
    if state.game().chat_enabled { Ok(()) } else { Err(Refusal::ChatDisabled) }
}

/// Checks the change of a setting.
pub(super) fn setting(state: &AppState, setting: &ProposedSetting) -> Result<(), Refusal> {
    parse_reason("reason", &setting.reason)?;
    settings::check(state, &setting.name, &setting.value)
}

/// Parses the id of a message.
///
/// # Errors
/// `Input` if there is none with it.
pub(super) fn parse_message_id(id: &str) -> Result<MessageId, Refusal> {
    MessageId::parse(id).ok_or_else(message_not_found)
}

/// Parses the id of an account.
///
/// # Errors
/// `Input` if there is none with it.
pub(super) fn parse_account_id(id: &str) -> Result<AccountId, Refusal> {
    AccountId::parse(id).ok_or_else(account_not_found)
}

/// Returns the refusal of an unknown message.
pub(super) fn message_not_found() -> Refusal {
    let detail = "There is no message with this id that could be taken down.";
    InputError::for_field(InputErrorKind::NotFound, "message_id", detail).into()
}

/// Returns the refusal of an unknown account.
pub(super) fn account_not_found() -> Refusal {
    let detail = "There is no agent or viewer with this id.";
    InputError::for_field(InputErrorKind::NotFound, "agent_id", detail).into()
}
