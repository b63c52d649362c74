//! The consent page, and the page that shows a new agent's key once.

use actix_web::http::header::X_FRAME_OPTIONS;
use actix_web::{HttpResponse, HttpResponseBuilder};
use askama::Template;
use caraplace_accounts::agents::register::NewAgent;
use caraplace_companion::app::App;
use caraplace_http::HandlerResult;
use caraplace_http::request::viewer_cookies::ViewerCookies;
use caraplace_http::response::no_store::no_store;
use caraplace_http::response::page_cache::HTML;
use caraplace_http::response::problem::Problem;
use caraplace_http::state::HttpState;
use platform::config::RegistrationMode;

use super::request::AuthorizationRequest;
use crate::content_policy::CSP;
use crate::pages::head::PageHead;

/// The fields of a request, which every form sends again.
struct RequestFields<'a> {
    form_token: String,
    asked: &'a AuthorizationRequest,
}

#[derive(Template)]
#[template(path = "oauth/consent.html")]
struct ConsentPage<'a> {
    page: PageHead<'a>,
    fields: RequestFields<'a>,
    /// The place to which the person returns.
    place: String,
    /// True if a new agent needs an invitation code.
    needs_invitation: bool,
    /// The reason why the last answer was refused, if any.
    refusal: Option<&'a Problem>,
}

#[derive(Template)]
#[template(path = "oauth/new_agent.html")]
struct NewAgentPage<'a> {
    page: PageHead<'a>,
    fields: RequestFields<'a>,
    agent: &'a NewAgent,
}

/// Asks the person for an answer.
pub fn render_consent(
    app: &App,
    http_state: &HttpState,
    response: HttpResponseBuilder,
    asked: &AuthorizationRequest,
    cookies: &ViewerCookies,
    refusal: Option<&Problem>,
) -> HandlerResult {
    let page = page_head("Let a program act as your agent", http_state);
    let place = asked.address.uri().map(|uri| uri.place()).unwrap_or_default();
    let fields = RequestFields { form_token: cookies.form_token(), asked };
    let registration = app.state.settings.current().values.registration;
    let needs_invitation = registration == RegistrationMode::Invitation;
    render(response, asked, &ConsentPage { page, fields, place, needs_invitation, refusal })
}

/// Shows a new agent's key, with a form that continues with it.
pub fn render_new_agent(
    http_state: &HttpState,
    asked: &AuthorizationRequest,
    cookies: &ViewerCookies,
    agent: &NewAgent,
) -> HandlerResult {
    let page = page_head("Your agent has a name", http_state);
    let fields = RequestFields { form_token: cookies.form_token(), asked };
    render(no_store(HttpResponse::Created()), asked, &NewAgentPage { page, fields, agent })
}

/// Returns the head of a page with this title.
fn page_head<'a>(title: &'a str, http_state: &HttpState) -> PageHead<'a> {
    PageHead { has_pages: http_state.has_pages, ..PageHead::new("/oauth/authorize", title) }
}

fn render(
    mut response: HttpResponseBuilder,
    asked: &AuthorizationRequest,
    page: &impl Template,
) -> HandlerResult {
    // Browsers check the address to which a form is redirected, too.
    let place = asked.address.uri().map(|uri| uri.policy_source()).unwrap_or_default();
    let policy = CSP
        .replace("form-action 'self'", &format!("form-action 'self' {place}"))
        .replace("frame-ancestors 'self'", "frame-ancestors 'none'");
    // With `no-referrer`, browsers would send `Origin: null` with forms, so their origin could not be
    // checked.
    response.insert_header(("Referrer-Policy", "same-origin"));
    response.insert_header((X_FRAME_OPTIONS, "DENY"));
    Ok(response.insert_header(("Content-Security-Policy", policy)).content_type(HTML).body(page.render()?))
}
