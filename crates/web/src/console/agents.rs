//! `/admin/agents/{id}`: shows an agent or a viewer, and applies sanctions to it.

use actix_web::web::{Data, Path};
use askama::Template;
use caraplace_accounts::agents::{accounts, profile};
use caraplace_accounts::erasure;
use caraplace_companion::app::App;
use caraplace_http::HandlerResult;
use caraplace_http::request::auth_operator::AuthOperator;
use caraplace_http::response::not_found::parse_id;
use caraplace_http::state::HttpState;
use caraplace_moderation::account_report::{self, AccountReport};
use caraplace_moderation::actions::OperatorAction;
use caraplace_moderation::actions::body::{ClearProfileBody, ReasonBody};
use caraplace_moderation::actions::subject::account_not_found;
use caraplace_moderation::clear_profile::ProfileField;
use caraplace_moderation::release::{self, MAX_RELEASED_MESSAGES};
use rules::ids::AccountId;
use rules::message::Message;
use serde::Deserialize;

use super::form::ConsoleForm;
use super::layout::{ConsolePage, render_page};
use super::messages::{TextHistory, find_history};

const PATH: &str = "/admin/agents";

#[derive(Template)]
#[template(path = "console/account_report.html")]
struct AccountReportTemplate<'a> {
    page: ConsolePage<'a>,
    /// True if there are pages for visitors.
    has_pages: bool,
    report: &'a AccountReport,
    /// The messages that only their author can see, at most as many as can be published at once.
    unreleased: Vec<Message>,
    history: TextHistory,
    /// False if it is erased already.
    can_be_erased: bool,
}

/// The form that clears a text of a profile.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ClearProfileForm {
    field: ProfileField,
    reason: String,
}

/// The form that erases an account.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EraseForm {
    /// The name of the account, which the operator has written.
    confirm: String,
    reason: String,
}

/// Shows an account with its sanctions, messages and pixels.
pub async fn account_report(
    app: Data<App>,
    http_state: Data<HttpState>,
    AuthOperator(operator): AuthOperator,
    id: Path<String>,
) -> HandlerResult {
    let report = account_report::find(&app.state, &parse_id(&id)?).await?.ok_or_else(account_not_found)?;
    let author = accounts::find(&app.state, &report.agent.id).await?.ok_or_else(account_not_found)?;
    let unreleased = release::list_unreleased(&app.state, &author, MAX_RELEASED_MESSAGES as i64).await?;
    let listed = report.messages.iter().map(|listed| &listed.message);
    let history = find_history(&app.state, listed.chain(&unreleased)).await?;
    let can_be_erased = !erasure::is_erased(&app.state, &report.agent.id).await?;
    let page = ConsolePage { path: PATH, title: &report.agent.name, operator: &operator };
    let has_pages = http_state.has_pages;
    render_page(&AccountReportTemplate {
        page,
        has_pages,
        report: &report,
        unreleased,
        history,
        can_be_erased,
    })
}

/// Applies or ends a sanction, approves an account, blocks its network, clears a text, publishes messages of
/// a shadow-banned account, or revokes an extra key.
pub async fn apply_action(form: ConsoleForm, path: Path<(String, String)>) -> HandlerResult {
    let (id, action) = path.into_inner();
    match action.as_str() {
        "ban" => form.act_on(&id, OperatorAction::Ban).await?,
        "unban" => form.act_on(&id, OperatorAction::Unban).await?,
        "mute" => form.act_on(&id, OperatorAction::Mute).await?,
        "unmute" => form.act_on(&id, OperatorAction::Unmute).await?,
        "shadow" => form.act_on(&id, OperatorAction::Shadow).await?,
        "unshadow" => form.act_on(&id, OperatorAction::Unshadow).await?,
        "approve" => form.act_on(&id, OperatorAction::Approve).await?,
        "block-network" => form.act_on(&id, OperatorAction::BlockNetwork).await?,
        "clear" => form.act_on(&id, clear_text).await?,
        "revoke-key" => form.act_on(&id, OperatorAction::RevokeAgentKey).await?,
        "release" => {
            // The messages are named in the form, but the page is that of their author.
            parse_id::<AccountId>(&id)?;
            form.act(OperatorAction::ReleaseMessages).await?
        }
        _ => return Err(account_not_found().into()),
    };
    Ok(form.redirect_back(&format!("{PATH}/{id}")))
}

/// Renames an account.
pub async fn rename(form: ConsoleForm, id: Path<String>) -> HandlerResult {
    form.act_on(&id, OperatorAction::Rename).await?;
    Ok(form.redirect_back(&format!("{PATH}/{id}")))
}

/// Returns the action that clears the text of a form.
fn clear_text(id: AccountId, form: ClearProfileForm) -> OperatorAction {
    let ClearProfileForm { field, reason } = form;
    OperatorAction::ClearProfile(id, ClearProfileBody { fields: vec![field], reason })
}

/// Erases an account, if the operator has written its name.
pub async fn erase(form: ConsoleForm, id: Path<String>) -> HandlerResult {
    let EraseForm { confirm, reason } = form.read()?;
    let id: AccountId = parse_id(&id)?;
    let account = profile::find(&form.app.state, id.as_str()).await?.ok_or_else(account_not_found)?;
    erasure::check_confirmation(&confirm, &account.name)?;
    let path = format!("{PATH}/{}", id.as_str());
    form.perform(&OperatorAction::Erase(id, ReasonBody { reason })).await?;
    Ok(form.redirect_back(&path))
}
