//! `/admin/invitation-codes`: the codes that agents register with by invitation.

use actix_web::web::{Data, Path};
use askama::Template;
use caraplace_accounts::operators::Operator;
use caraplace_accounts::registration::{InvitationCode, NewInvitationCode, invitation_codes};
use caraplace_companion::app::App;
use caraplace_http::HandlerResult;
use caraplace_http::request::auth_operator::AuthOperator;
use caraplace_moderation::actions::OperatorAction;
use caraplace_moderation::actions::answer::ActionAnswer;
use platform::config::RegistrationMode;
use platform::refusal::internal;

use super::form::ConsoleForm;
use super::layout::{ConsolePage, redirect, render_page};

const PATH: &str = "/admin/invitation-codes";

#[derive(Template)]
#[template(path = "console/invitation_codes.html")]
struct InvitationCodesTemplate<'a> {
    page: ConsolePage<'a>,
    /// The code that was just made; it is shown only once.
    new: Option<NewInvitationCode>,
    /// True if agents need a code now.
    is_needed: bool,
    codes: Vec<InvitationCode>,
}

/// Lists the codes that agents can register with.
pub async fn page(app: Data<App>, AuthOperator(operator): AuthOperator) -> HandlerResult {
    render_codes(&app, &operator, None).await
}

/// Creates a code, and shows it once.
pub async fn create(form: ConsoleForm) -> HandlerResult {
    let ActionAnswer::InvitationCode(new) = form.act(OperatorAction::CreateInvitationCode).await? else {
        return Err(internal("creating an invitation code")("an answer of another kind").into());
    };
    render_codes(&form.app, &form.operator, Some(new)).await
}

/// Revokes a code.
pub async fn revoke(form: ConsoleForm, id: Path<String>) -> HandlerResult {
    form.act_on(&id, OperatorAction::RevokeInvitationCode).await?;
    Ok(redirect(PATH).finish())
}

async fn render_codes(app: &App, operator: &Operator, new: Option<NewInvitationCode>) -> HandlerResult {
    let registration = app.state.settings.current().values.registration;
    render_page(&InvitationCodesTemplate {
        page: ConsolePage { path: PATH, title: "Invitation codes", operator },
        new,
        is_needed: registration == RegistrationMode::Invitation,
        codes: invitation_codes::list(&app.state).await?,
    })
}
