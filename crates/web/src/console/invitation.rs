//! `/admin/invitation/{token}`: the page on which an invited person becomes an operator.

use actix_web::dev::Payload;
use actix_web::http::StatusCode;
use actix_web::web::{Data, Path};
use actix_web::{FromRequest, HttpRequest, ResponseError as _};
use askama::Template;
use caraplace_accounts::operators::OperatorInvitation;
use caraplace_accounts::operators::invitations::AcceptedInvitation;
use caraplace_companion::app::App;
use caraplace_http::HandlerResult;
use caraplace_http::request::authentication::count_request;
use caraplace_http::request::request_body::read_urlencoded;
use caraplace_http::request::{address, auth_operator};
use caraplace_http::response::problem::Problem;
use caraplace_http::state::HttpState;
use futures_util::future::LocalBoxFuture;
use serde::Deserialize;

use super::layout::render_page_with_status;
use super::sign_in::{CONSOLE_PATH, set_session};
use crate::pages::head::PageHead;

#[derive(Template)]
#[template(path = "console/invitation.html")]
struct InvitationTemplate<'a> {
    page: PageHead<'a>,
    invitation: OperatorInvitation,
    token: &'a str,
    /// The name in its field.
    name: &'a str,
    /// The error to show; empty if there is none.
    refusal: &'a str,
}

/// The fields of the form.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InvitationForm {
    name: String,
    password: String,
    repeated: String,
}

impl FromRequest for InvitationForm {
    type Error = Problem;
    type Future = LocalBoxFuture<'static, Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let request = request.clone();
        let mut payload = payload.take();
        Box::pin(async move {
            count_request(&request, None)?;
            read_urlencoded(&auth_operator::read_form(&request, &mut payload).await?)
        })
    }
}

/// Shows the form.
pub async fn page(request: HttpRequest, app: Data<App>, token: Path<String>) -> HandlerResult {
    count_request(&request, None)?;
    let invitation = app.operators.find_invitation(&app.state, &token).await?;
    let name = invitation.name.clone().unwrap_or_default();
    render_form(StatusCode::OK, invitation, &token, &name, "")
}

/// Makes the operator, signs it in, and opens the console. An invitation stays open if the name or the
/// password is refused.
pub async fn accept(
    request: HttpRequest,
    app: Data<App>,
    http_state: Data<HttpState>,
    token: Path<String>,
    form: InvitationForm,
) -> HandlerResult {
    let InvitationForm { name, password, repeated } = form;
    let invitation = app.operators.find_invitation(&app.state, &token).await?;
    if password != repeated {
        let refusal = "The two passwords differ. Type them again.";
        return render_form(StatusCode::BAD_REQUEST, invitation, &token, &name, refusal);
    }
    let from = address::rate_limit_address(&request, &http_state.trusted_proxies);
    let accepted = AcceptedInvitation { token: token.to_string(), name: name.clone(), password };
    match app.operators.accept_invitation(&app.state, accepted, from).await {
        Ok(started) => {
            tracing::info!(%from, "an invited operator signed in");
            set_session(&request, &app, &http_state, &started, CONSOLE_PATH).await
        }
        Err(refusal) => {
            let problem = Problem::from(refusal);
            let status = problem.status_code();
            if status.is_server_error() || status == StatusCode::NOT_FOUND {
                return Err(problem);
            }
            render_form(status, invitation, &token, &name, &problem.detail)
        }
    }
}

fn render_form(
    status: StatusCode,
    invitation: OperatorInvitation,
    token: &str,
    name: &str,
    refusal: &str,
) -> HandlerResult {
    let page = PageHead::new(CONSOLE_PATH, "Invitation");
    render_page_with_status(status, &InvitationTemplate { page, invitation, token, name, refusal })
}
