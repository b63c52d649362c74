//! Checks of the actions that only operators can carry out. Nothing is changed.

use caraplace_accounts::agents::end_time::parse_end;
use caraplace_log::state::AppState;
use caraplace_moderation::actions::OperatorAction;
use caraplace_moderation::actions::body::AnnounceBody;
use caraplace_moderation::hide::is_visible;
use caraplace_moderation::rollback::request::{RollbackBody, build_filter};
use caraplace_moderation::{sanctions, settings};
use chrono::{DateTime, Utc};
use platform::refusal::{DraftRefusal, Refusal};
use rules::ids::{AccountId, MessageId};
use text_filters::content::MessageContent;

use super::subject::{account_not_found, message_not_found};
use crate::app::App;

/// Checks an action of operators without carrying it out.
///
/// # Errors
/// The refusal that the action would have now; `Draft` if no draft can propose it.
pub(super) async fn check(app: &App, action: &OperatorAction) -> Result<(), Refusal> {
    let state = &app.state;
    // The operator who approves the draft is not known yet.
    action.audit_reason("")?;
    match action {
        OperatorAction::HideMessage(id, _) => check_hide(state, id).await,
        OperatorAction::Mute(id, body) => check_mute(state, id, body.until).await,
        OperatorAction::BeginRollback(body) => check_rollback(app, body).await,
        OperatorAction::Announce(body) => check_announcement(state, body),
        OperatorAction::ChangeSetting(body) => settings::check(state, &body.name, &body.value),
        _ => Err(DraftRefusal::NotFound.into()),
    }
}

async fn check_hide(state: &AppState, id: &MessageId) -> Result<(), Refusal> {
    if is_visible(state, id).await? { Ok(()) } else { Err(message_not_found()) }
}

async fn check_mute(state: &AppState, id: &AccountId, until: Option<DateTime<Utc>>) -> Result<(), Refusal> {
    parse_end(state, until)?;
    if sanctions::can_apply(state, id).await? { Ok(()) } else { Err(account_not_found()) }
}

async fn check_rollback(app: &App, body: &RollbackBody) -> Result<(), Refusal> {
    build_filter(&app.state, &app.history, &body.to_request(&app.state)?).await.map(|_| ())
}

fn check_announcement(state: &AppState, body: &AnnounceBody) -> Result<(), Refusal> {
    MessageContent::parse(&body.content, state.game().max_message_graphemes())?;
    state.game().check_chat()
}
