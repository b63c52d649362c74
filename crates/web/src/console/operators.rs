//! `/admin/operators`: operators with their roles, and invitations.

use actix_web::web::{Data, Path};
use askama::Template;
use caraplace_accounts::operators::{Operator, OperatorInfo, OperatorInvitation, invitations, roster};
use caraplace_companion::app::App;
use caraplace_http::HandlerResult;
use caraplace_http::admin::operators::{InvitationBody, InvitationResponse, RoleBody};
use caraplace_http::request::auth_operator::AuthOperator;
use caraplace_http::response::not_found::not_found;
use caraplace_http::state::HttpState;
use chrono::{DateTime, Utc};
use rules::operators::OperatorRole;

use super::form::ConsoleForm;
use super::layout::{ConsolePage, redirect, render_page};

const PATH: &str = "/admin/operators";

#[derive(Template)]
#[template(path = "console/operators.html")]
struct OperatorsTemplate<'a> {
    page: ConsolePage<'a>,
    /// The invitation that was just made; its link is shown only once.
    new: Option<InvitationResponse>,
    roles: [OperatorRole; 4],
    operators: Vec<OperatorInfo>,
    invitations: Vec<OperatorInvitation>,
    now: DateTime<Utc>,
}

/// Lists operators and invitations.
pub async fn page(app: Data<App>, AuthOperator(operator): AuthOperator) -> HandlerResult {
    render_operators(&app, &operator, None).await
}

/// Invites a person, and shows the link once.
pub async fn invite(form: ConsoleForm, http_state: Data<HttpState>) -> HandlerResult {
    let InvitationBody { role, name } = form.read()?;
    let invitation = invitations::invite(&form.app.state, &form.operator, role, name).await?;
    let new = InvitationResponse::new(invitation, &http_state.base_url);
    render_operators(&form.app, &form.operator, Some(new)).await
}

/// Withdraws an invitation.
pub async fn withdraw(form: ConsoleForm, id: Path<String>) -> HandlerResult {
    if !invitations::withdraw(&form.app.state, &form.operator, &id).await? {
        return Err(not_found("There is no open invitation with this id."));
    }
    Ok(redirect(PATH).finish())
}

/// Changes the role of an operator, disables or enables it, or switches off its codes.
pub async fn apply_action(form: ConsoleForm, path: Path<(String, String)>) -> HandlerResult {
    let (id, action) = path.into_inner();
    let (state, by) = (&form.app.state, &form.operator);
    match action.as_str() {
        "role" => {
            let RoleBody { role } = form.read()?;
            roster::change_role(state, by, &id, role).await?
        }
        "disable" => roster::disable(state, by, &id).await?,
        "enable" => roster::enable(state, by, &id).await?,
        "reset-totp" => roster::reset_codes(state, by, &id).await?,
        _ => return Err(not_found("There is no such action: use role, disable, enable or reset-totp.")),
    };
    Ok(redirect(PATH).finish())
}

async fn render_operators(app: &App, operator: &Operator, new: Option<InvitationResponse>) -> HandlerResult {
    render_page(&OperatorsTemplate {
        page: ConsolePage { path: PATH, title: "Operators", operator },
        new,
        roles: OperatorRole::ALL,
        operators: roster::list(&app.state).await?,
        invitations: invitations::list(&app.state).await?,
        now: app.state.clock.now(),
    })
}
