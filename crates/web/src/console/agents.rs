//! `/admin/agents`: finds agents and viewers, and applies sanctions to them.

use actix_web::web::{Data, Path};
use askama::Template;
use caraplace_accounts::agents::accounts;
use caraplace_companion::app::App;
use caraplace_http::HandlerResult;
use caraplace_http::request::auth_operator::AuthOperator;
use caraplace_http::request::query::QueryParams;
use caraplace_http::response::not_found::parse_id;
use caraplace_moderation::account_report::{self, AccountReport};
use caraplace_moderation::actions::OperatorAction;
use caraplace_moderation::actions::body::ClearProfileBody;
use caraplace_moderation::actions::subject::account_not_found;
use caraplace_moderation::clear_profile::ProfileField;
use caraplace_moderation::release::{self, MAX_RELEASED_MESSAGES};
use rules::ids::AccountId;
use rules::message::Message;
use serde::Deserialize;

use super::form::ConsoleForm;
use super::layout::{ConsolePage, redirect, render_page};
use super::messages::{TextHistory, find_history};

const PATH: &str = "/admin/agents";

#[derive(Template)]
#[template(path = "console/find_account.html")]
struct FindAccountTemplate<'a> {
    page: ConsolePage<'a>,
    /// The name or id that was searched for and does not exist.
    unknown_account: Option<&'a str>,
}

#[derive(Template)]
#[template(path = "console/account_report.html")]
struct AccountReportTemplate<'a> {
    page: ConsolePage<'a>,
    report: &'a AccountReport,
    /// The messages that only their author can see, at most as many as can be published at once.
    unreleased: Vec<Message>,
    history: TextHistory,
}

/// The form that clears a text of a profile.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ClearProfileForm {
    field: ProfileField,
    reason: String,
}

/// Finds an account by id or name, and redirects to its page.
pub async fn find(
    params: QueryParams,
    app: Data<App>,
    AuthOperator(operator): AuthOperator,
) -> HandlerResult {
    let query = params.text("who")?.map(str::trim).filter(|who| !who.is_empty());
    if let Some(name_or_id) = query
        && let Some(id) = accounts::find_id(&app.state, name_or_id).await?
    {
        return Ok(redirect(&format!("{PATH}/{id}")).finish());
    }
    let page = ConsolePage { path: PATH, title: "Agents and viewers", operator: &operator };
    render_page(&FindAccountTemplate { page, unknown_account: query })
}

/// Shows an account with its sanctions, messages and pixels.
pub async fn account_report(
    app: Data<App>,
    AuthOperator(operator): AuthOperator,
    id: Path<String>,
) -> HandlerResult {
    let report = account_report::find(&app.state, &parse_id(&id)?).await?.ok_or_else(account_not_found)?;
    let author = accounts::find(&app.state, &report.agent.id).await?.ok_or_else(account_not_found)?;
    let unreleased = release::list_unreleased(&app.state, &author, MAX_RELEASED_MESSAGES as i64).await?;
    let listed = report.messages.iter().map(|listed| &listed.message);
    let history = find_history(&app.state, listed.chain(&unreleased)).await?;
    let page = ConsolePage { path: PATH, title: &report.agent.name, operator: &operator };
    render_page(&AccountReportTemplate { page, report: &report, unreleased, history })
}

/// Applies or ends a sanction, clears a text, publishes messages of a shadow-banned account, or revokes an
/// extra key.
pub async fn apply_action(form: ConsoleForm, path: Path<(String, String)>) -> HandlerResult {
    let (id, action) = path.into_inner();
    match action.as_str() {
        "ban" => form.act_on(&id, OperatorAction::Ban).await?,
        "unban" => form.act_on(&id, OperatorAction::Unban).await?,
        "mute" => form.act_on(&id, OperatorAction::Mute).await?,
        "unmute" => form.act_on(&id, OperatorAction::Unmute).await?,
        "shadow" => form.act_on(&id, OperatorAction::Shadow).await?,
        "unshadow" => form.act_on(&id, OperatorAction::Unshadow).await?,
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
