//! `/admin/agents`: finds agents and viewers, and applies sanctions to them.

use actix_web::HttpRequest;
use actix_web::web::{Data, Path};
use askama::Template;
use caraplace_accounts::agents::accounts;
use caraplace_companion::app::App;
use caraplace_http::HandlerResult;
use caraplace_http::request::auth_operator::AuthOperator;
use caraplace_http::request::query::QueryParams;
use caraplace_http::response::not_found::{account_not_found, parse_account_id};
use caraplace_http::response::problem::Problem;
use caraplace_log::audit_reason::AuditReason;
use caraplace_moderation::account_report::{self, AccountReport};
use caraplace_moderation::actions::OperatorAction;
use caraplace_moderation::actions::body::{BanBody, MuteBody, RenameBody};
use caraplace_moderation::clear_profile::{self, ProfileField};
use caraplace_moderation::release::MAX_RELEASED_MESSAGES;
use caraplace_moderation::{agent_keys, release, sanctions};
use rules::message::Message;
use rules::sanctions::Sanction;
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

/// The form that revokes an extra key of an agent.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RevokeKeyForm {
    /// `key_…`.
    key: String,
    reason: String,
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
    request: HttpRequest,
    app: Data<App>,
    AuthOperator(operator): AuthOperator,
) -> HandlerResult {
    let params = QueryParams::from_request(&request)?;
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
    let report =
        account_report::find(&app.state, &parse_account_id(&id)?).await?.ok_or_else(account_not_found)?;
    let author = accounts::find(&app.state, &report.agent.id).await?.ok_or_else(account_not_found)?;
    let unreleased = release::list_unreleased(&app.state, &author, MAX_RELEASED_MESSAGES as i64).await?;
    let listed = report.messages.iter().map(|listed| &listed.message);
    let history = find_history(&app.state, listed.chain(&unreleased)).await?;
    let page = ConsolePage { path: PATH, title: &report.agent.name, operator: &operator };
    render_page(&AccountReportTemplate { page, report: &report, unreleased, history })
}

/// Applies or ends a sanction, publishes messages of a shadow-banned account, or revokes an extra key.
pub async fn apply_action(form: ConsoleForm, path: Path<(String, String)>) -> HandlerResult {
    let (id, action) = path.into_inner();
    let app = &form.app;
    let account_id = parse_account_id(&id)?;
    let sanctions = match action.as_str() {
        "ban" => {
            let BanBody { until, reason, why } = form.read()?;
            let reason = reason.as_deref();
            let why = why.as_deref();
            let audit_reason = AuditReason::for_sanction(&form.operator.name, reason, why)?;
            sanctions::ban(&app.state, &audit_reason, &account_id, until, reason).await?
        }
        "mute" => {
            let MuteBody { until, reason, why } = form.read()?;
            let reason = reason.as_deref();
            let why = why.as_deref();
            let audit_reason = AuditReason::for_sanction(&form.operator.name, reason, why)?;
            sanctions::mute(&app.state, &audit_reason, &account_id, until, reason).await?
        }
        "rename" => {
            let RenameBody { name, reason } = form.read()?;
            sanctions::rename(&app.state, &app.filters, &form.audit_reason(&reason)?, &account_id, &name)
                .await?
        }
        "release" => {
            form.act(OperatorAction::ReleaseMessages).await?;
            return Ok(form.redirect_back(&format!("{PATH}/{id}")));
        }
        "clear" => {
            let ClearProfileForm { field, reason } = form.read()?;
            let audit_reason = form.audit_reason(&reason)?;
            let cleared = clear_profile::clear(&app.state, &audit_reason, &account_id, &[field]).await?;
            cleared.ok_or_else(account_not_found)?;
            return Ok(form.redirect_back(&format!("{PATH}/{id}")));
        }
        "revoke-key" => {
            let RevokeKeyForm { key, reason } = form.read()?;
            agent_keys::revoke(&app.state, &form.audit_reason(&reason)?, &account_id, &key).await?;
            return Ok(form.redirect_back(&format!("{PATH}/{id}")));
        }
        action => {
            let sanction = parse_simple_sanction(action)?;
            sanctions::apply(&app.state, &form.read_audit_reason()?, &account_id, &sanction).await?
        }
    };
    sanctions.ok_or_else(account_not_found)?;
    Ok(form.redirect_back(&format!("{PATH}/{id}")))
}

/// Returns the sanction of this name that needs only a reason.
fn parse_simple_sanction(action: &str) -> Result<Sanction, Problem> {
    match action {
        "unban" => Ok(Sanction::Unban),
        "unmute" => Ok(Sanction::Unmute),
        "shadow" => Ok(Sanction::Shadow),
        "unshadow" => Ok(Sanction::Unshadow),
        _ => Err(account_not_found()),
    }
}
