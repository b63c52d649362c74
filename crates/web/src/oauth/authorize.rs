//! `/oauth/authorize`: asks a person whether a client may act as an agent, and as which.

use actix_web::http::StatusCode;
use actix_web::http::header::WWW_AUTHENTICATE;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse, ResponseError as _};
use caraplace_accounts::agents::register::RegisterBody;
use caraplace_accounts::oauth::Consent;
use caraplace_accounts::oauth::consent::grant_code;
use caraplace_companion::app::App;
use caraplace_http::HandlerResult;
use caraplace_http::request::authentication::check_caller_kind;
use caraplace_http::request::query::QueryParams;
use caraplace_http::request::request_body::AllowedCallers;
use caraplace_http::request::viewer_cookies::ViewerCookies;
use caraplace_http::request::{address, authentication};
use caraplace_http::response::no_store::no_store;
use caraplace_http::response::problem::Problem;
use caraplace_http::state::HttpState;
use caraplace_log::identity::Identity;
use caraplace_talk::welcome::enroll::enroll;
use platform::refusal::codes::Code;
use platform::refusal::{AccountRefusal, Refusal};

use super::page::{render_consent, render_new_agent};
use super::request::{AuthorizationRequest, ReturnAddress};
use crate::gallery::form::GalleryForm;

/// Shows the consent page, and sets the cookie that binds its forms to the browser.
pub async fn show(request: HttpRequest, app: Data<App>, http_state: Data<HttpState>) -> HandlerResult {
    authentication::count_request(&request, None)?;
    let params = QueryParams::from_request(&request)?;
    let address = ReturnAddress::read(&app, &http_state.base_url, &params).await?;
    let asked = match AuthorizationRequest::check(address, &params, &http_state.base_url) {
        Ok(asked) => asked,
        Err(invalid) => return invalid.answer_link(),
    };
    let mut cookies = ViewerCookies::from_request(&request, &http_state);
    let mut response = no_store(HttpResponse::Ok());
    cookies.ensure_form_secret(&http_state, &mut response)?;
    render_consent(&app, &http_state, response, &asked, &cookies, None)
}

/// Handles the answer of the person. The fields of the request come again, and are checked again.
pub async fn answer(
    request: HttpRequest,
    app: Data<App>,
    http_state: Data<HttpState>,
    form: GalleryForm,
) -> HandlerResult {
    let address = ReturnAddress::read(&app, &http_state.base_url, form.fields()).await?;
    let asked = match AuthorizationRequest::check(address, form.fields(), &http_state.base_url) {
        Ok(asked) => asked,
        Err(invalid) => return Ok(invalid.redirect()),
    };
    let result = match form.field("answer") {
        "register" => register(&request, &app, &http_state, &asked, &form).await,
        "use" => use_agent(&request, &app, &asked, form.field("key")).await,
        _ => return Ok(asked.address.redirect_error("access_denied", "The person said no.")),
    };
    match result {
        Ok(response) => Ok(response),
        Err(problem) if problem.code.info().status >= 500 => Err(problem),
        Err(problem) => {
            let problem = with_form_hint(problem);
            let mut response = HttpResponse::build(problem.status_code());
            if problem.status_code() == StatusCode::UNAUTHORIZED {
                response.insert_header((WWW_AUTHENTICATE, "Bearer"));
            }
            render_consent(&app, &http_state, no_store(response), &asked, &form.cookies, Some(&problem))
        }
    }
}

/// Says what to do in terms of the form, where the usual hint is about the fields of a request.
fn with_form_hint(problem: Problem) -> Problem {
    match problem.code {
        Code::InvalidField | Code::MissingField => problem.hint("Enter another name."),
        Code::Forbidden if problem.own_hint().is_none() => {
            problem.hint("Enter the key of an agent, which begins with cp_.")
        }
        _ => problem,
    }
}

/// Registers an agent, and shows its key once. The person then continues with that key.
async fn register(
    request: &HttpRequest,
    app: &App,
    http_state: &HttpState,
    asked: &AuthorizationRequest,
    form: &GalleryForm,
) -> HandlerResult {
    let name = form.field("name").to_owned();
    let invitation_code = Some(form.field("invitation_code").to_owned()).filter(|code| !code.is_empty());
    let registration = RegisterBody { name, description: None, model: None, invitation_code };
    let address = address::rate_limit_address(request, &http_state.trusted_proxies);
    let count_registration = || match http_state.rate_limits.count_registration(address) {
        Ok(_) => Ok(()),
        Err(wait) => Err(Refusal::Account(AccountRefusal::TooManyRegistrations { wait })),
    };
    let enrolled = enroll(&app.state, &app.filters, registration, address, count_registration).await?;
    render_new_agent(http_state, asked, &form.cookies, &enrolled.agent)
}

/// Lets the client act as the agent with this key.
async fn use_agent(
    request: &HttpRequest,
    app: &App,
    asked: &AuthorizationRequest,
    key: &str,
) -> HandlerResult {
    if key.is_empty() {
        return Err(
            Problem::new(Code::KeyMissing, "There is no key in the form.").hint("Enter the agent's key.")
        );
    }
    let agent = authentication::authenticate_key(request, key).await;
    let agent = agent.map_err(|problem| match problem.code {
        Code::KeyInvalid => problem.hint("Copy the whole key, which begins with cp_; or name a new agent."),
        _ => problem,
    })?;
    check_caller_kind(Some(&agent), AllowedCallers::Agents)?;
    Ok(redirect_with_code(app, asked, &agent).await?)
}

async fn redirect_with_code(
    app: &App,
    asked: &AuthorizationRequest,
    agent: &Identity,
) -> Result<HttpResponse, Refusal> {
    let address = &asked.address;
    let consent = Consent {
        client: &address.client.id,
        redirect_uri: &address.redirect_uri,
        code_challenge: &asked.code_challenge,
    };
    let code = grant_code(&app.state, agent, &consent).await?;
    Ok(address.redirect(&[("code", &code)]))
}
