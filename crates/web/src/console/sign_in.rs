//! `/admin/sign-in` and `/admin/sign-out`: start and end an operator's session.

use actix_web::dev::Payload;
use actix_web::http::StatusCode;
use actix_web::http::header::{HeaderValue, RETRY_AFTER, SET_COOKIE, VARY};
use actix_web::web::Data;
use actix_web::{FromRequest, HttpRequest, ResponseError as _};
use askama::Template;
use caraplace_accounts::operators::sessions::StartedSession;
use caraplace_accounts::operators::sign_in::{Confirmation, Credentials, SignInError, SignInSource};
use caraplace_accounts::operators::{MAX_SESSION_SECONDS, devices, sessions};
use caraplace_companion::app::App;
use caraplace_http::HandlerResult;
use caraplace_http::request::app_data::http_state;
use caraplace_http::request::auth_operator::{DEVICE_COOKIE, SESSION_COOKIE, find_device, session_token};
use caraplace_http::request::authentication::{count_request, count_request_for};
use caraplace_http::request::cookies::SameSite;
use caraplace_http::request::extract::MaybeAuth;
use caraplace_http::request::query::QueryParams;
use caraplace_http::request::rate_limits::RateLimitKey;
use caraplace_http::request::request_body::read_urlencoded;
use caraplace_http::request::{address, auth_operator, cookies};
use caraplace_http::response::negotiate::wants_html;
use caraplace_http::response::problem::Problem;
use caraplace_http::state::HttpState;
use futures_util::future::LocalBoxFuture;
use platform::refusal::codes::Code;
use platform::tokens::{is_token, new_token};
use serde::Deserialize;

use super::layout;
use crate::pages::head::PageHead;

/// The name of the cookie that binds the form to the browser.
const FORM_COOKIE: &str = "caraplace-sign-in";
/// The lifetime of a form, in seconds.
const FORM_LIFETIME_SECONDS: i64 = 3_600;
/// The page after signing in, unless another page of the console was requested.
pub(super) const CONSOLE_PATH: &str = "/admin";
const EXPIRED_FORM_DETAIL: &str = "This form has expired or was not sent from this page. Try again.";

#[derive(Template)]
#[template(path = "console/sign_in.html")]
struct SignInTemplate<'a> {
    page: PageHead<'a>,
    is_open: bool,
    /// The error to show; empty if there is none.
    refusal: &'a str,
    csrf: String,
    next: &'a str,
    /// The name in its field.
    name: &'a str,
}

/// The values of the fields of a form that is shown.
struct FormValues<'a> {
    next: &'a str,
    name: &'a str,
}

/// The fields of the form.
#[derive(Default, Deserialize)]
#[serde(default)]
pub struct SignInForm {
    csrf: String,
    next: Option<String>,
    /// The operator's name; empty for the first owner.
    name: String,
    password: String,
    /// The code of an app or a recovery code; empty for operators without codes.
    code: String,
}

/// A sign-in form, or the reason why it is not from our own page.
pub struct SubmittedSignIn(Result<SignInForm, Problem>);

impl FromRequest for SubmittedSignIn {
    type Error = Problem;
    type Future = LocalBoxFuture<'static, Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let request = request.clone();
        let mut payload = payload.take();
        Box::pin(async move {
            match find_device(&request) {
                Some(device) => count_request_for(&request, &RateLimitKey::Operator(device.cookie_hash))?,
                None => count_request(&request, None)?,
            }
            let body = auth_operator::read_form(&request, &mut payload).await;
            let fields = body.and_then(|body| read_urlencoded(&body));
            Ok(Self(fields.and_then(|fields| check_form(&request, fields))))
        })
    }
}

fn check_form(request: &HttpRequest, fields: SignInForm) -> Result<SignInForm, Problem> {
    let http_state = http_state(request)?;
    let token = form_token(request, http_state);
    if token.is_some_and(|token| sessions::is_valid_csrf_token(&sessions::csrf_token(token), &fields.csrf)) {
        return Ok(fields);
    }
    Err(Problem::new(Code::Forbidden, EXPIRED_FORM_DETAIL))
}

/// Shows the form.
pub async fn page(request: HttpRequest, app: Data<App>, http_state: Data<HttpState>) -> HandlerResult {
    match find_device(&request) {
        Some(device) => count_request_for(&request, &RateLimitKey::Operator(device.cookie_hash))?,
        None => drop(MaybeAuth::extract(&request).await?),
    }
    let params = QueryParams::from_request(&request)?;
    let next = console_path_or_home(params.text("next")?);
    if auth_operator::authenticate_operator(&request).await.is_ok() {
        return Ok(layout::redirect(next).finish());
    }
    render_form(&request, &app, &http_state, StatusCode::OK, &FormValues { next, name: "" }, "")
}

/// Signs in, or shows the form again with the reason.
pub async fn submit(
    request: HttpRequest,
    app: Data<App>,
    http_state: Data<HttpState>,
    SubmittedSignIn(fields): SubmittedSignIn,
) -> HandlerResult {
    let SignInForm { next, name, password, code, .. } = match fields {
        Ok(fields) => fields,
        Err(problem) => {
            let values = FormValues { next: CONSOLE_PATH, name: "" };
            return refuse(&request, &app, &http_state, &values, problem);
        }
    };
    let is_password_only = name.trim().is_empty() && code.trim().is_empty();
    let next = console_path_or_home(next.as_deref());
    let from = address::rate_limit_address(&request, &http_state.trusted_proxies);
    let source = SignInSource { address: from, device: find_device(&request) };
    let credentials = Credentials { name: name.clone(), confirmation: Confirmation { password, code } };
    match app.operators.sign_in(&app.state, source, credentials).await {
        Ok(started) => {
            tracing::info!(%from, "an operator signed in");
            set_session(&request, &app, &http_state, &started, next).await
        }
        Err(reason) => {
            let problem = sign_in_problem(reason, is_password_only);
            tracing::warn!(%from, code = problem.code.info().code, "a sign-in to the console was refused");
            refuse(&request, &app, &http_state, &FormValues { next, name: &name }, problem)
        }
    }
}

/// Redirects a browser to a page, with a new session. One that it had before ends: a session token is never
/// reused.
pub(super) async fn set_session(
    request: &HttpRequest,
    app: &App,
    http_state: &HttpState,
    started: &StartedSession,
    next: &str,
) -> HandlerResult {
    if let Some(old) = session_token(request) {
        app.operators.sessions.end(&app.state, old).await?;
    }
    let session = strict_cookie(http_state, SESSION_COOKIE, &started.token, MAX_SESSION_SECONDS);
    let form = strict_cookie(http_state, FORM_COOKIE, "", 0);
    let device = strict_cookie(http_state, DEVICE_COOKIE, &started.device, devices::LIFETIME_SECONDS);
    Ok(layout::redirect(next)
        .append_header((SET_COOKIE, session))
        .append_header((SET_COOKIE, form))
        .append_header((SET_COOKIE, device))
        .finish())
}

/// Returns the response to a refused sign-in, which was with or without name and code. It does not say which
/// of them was wrong.
fn sign_in_problem(reason: SignInError, is_password_only: bool) -> Problem {
    match reason {
        SignInError::WrongCredentials => {
            let detail = if is_password_only { "Wrong password." } else { "Wrong name, password or code." };
            Problem::new(Code::KeyInvalid, detail)
                .hint("Try again; after five wrong passwords, each further attempt has to wait.")
        }
        SignInError::Locked { wait } => Problem::new(
            Code::TooManyRequests,
            "There were too many wrong passwords.",
        )
        .retry_after(wait)
        .hint(
            "Wait for as long as Retry-After says, or use a browser that has signed in before, or a ca_ key.",
        ),
        SignInError::Refused(refusal) => refusal.into(),
    }
}

/// Ends the session, on every instance.
pub async fn sign_out(request: HttpRequest, app: Data<App>, http_state: Data<HttpState>) -> HandlerResult {
    if let Some(token) = session_token(&request) {
        app.operators.sessions.end(&app.state, token).await?;
    }
    let expired_cookie = strict_cookie(&http_state, SESSION_COOKIE, "", 0);
    Ok(layout::redirect(auth_operator::SIGN_IN_PATH).append_header((SET_COOKIE, expired_cookie)).finish())
}

/// Responds with the form for browsers, and with the refusal for programs.
fn refuse(
    request: &HttpRequest,
    app: &App,
    http_state: &HttpState,
    values: &FormValues<'_>,
    problem: Problem,
) -> HandlerResult {
    if !wants_html(request) {
        return Err(problem);
    }
    let wait = problem.retry_after_seconds();
    let mut message = problem.detail.clone();
    if wait > 0 {
        message.push_str(&format!(" Wait for {wait} s, then try again."));
    }
    let mut response = render_form(request, app, http_state, problem.status_code(), values, &message)?;
    response.headers_mut().append(VARY, HeaderValue::from_static("Accept"));
    if wait > 0 {
        response.headers_mut().insert(RETRY_AFTER, wait.into());
    }
    Ok(response)
}

fn render_form(
    request: &HttpRequest,
    app: &App,
    http_state: &HttpState,
    status: StatusCode,
    values: &FormValues<'_>,
    refusal: &str,
) -> HandlerResult {
    // Two tabs of a browser share the cookie, so a valid one is reused: else one form would invalidate the
    // other.
    let existing = form_token(request, http_state);
    let token = existing.map_or_else(new_token, |token| Ok(token.to_owned()))?;
    let page = PageHead::new("/admin", "Sign in");
    let is_open = app.operators.is_open();
    let csrf = sessions::csrf_token(&token);
    let FormValues { next, name } = *values;
    let template = SignInTemplate { page, is_open, refusal, csrf, next, name };
    let mut response = layout::render_page_with_status(status, &template)?;
    if let Ok(cookie) = strict_cookie(http_state, FORM_COOKIE, &token, FORM_LIFETIME_SECONDS).parse() {
        response.headers_mut().append(SET_COOKIE, cookie);
    }
    Ok(response)
}

/// Returns the token that binds the form to the browser, if it has one.
fn form_token<'a>(request: &'a HttpRequest, http_state: &HttpState) -> Option<&'a str> {
    cookies::read(request, &cookies::name(http_state, FORM_COOKIE)).filter(|token| is_token(token))
}

/// Returns the value of `Set-Cookie` for a cookie that browsers send only within this site.
fn strict_cookie(http_state: &HttpState, name: &str, value: &str, seconds: i64) -> String {
    cookies::set_cookie_value(http_state, name, value, seconds, SameSite::Strict)
}

/// Returns a requested page if it is one of the console, or else the overview. Prevents open redirects.
pub(super) fn console_path_or_home(requested: Option<&str>) -> &str {
    let is_console_page = |path: &&str| {
        let rest = path.strip_prefix(CONSOLE_PATH);
        let has_plain_characters =
            path.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/_-?=&.".contains(&byte));
        has_plain_characters
            && !path.contains("//")
            && !path.contains("..")
            && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?']))
            && !path.starts_with(auth_operator::SIGN_IN_PATH)
    };
    requested.filter(is_console_page).unwrap_or(CONSOLE_PATH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_of_the_console_are_followed() {
        for good in ["/admin", "/admin/reports", "/admin/agents/agent_1?page=2", "/admin?x=1"] {
            assert_eq!(console_path_or_home(Some(good)), good);
        }
        for bad in [
            "https://evil.example/admin",
            "//evil.example/admin",
            "/\\evil.example",
            "/admin//evil.example",
            "/admin/../api",
            "/administer",
            "/admin@evil.example",
            "/admin:80",
            "/admin\r\nSet-Cookie: a=b",
            "javascript:alert(1)",
            "/",
            "",
            "admin",
            "/admin/sign-in",
            "/admin/%2e%2e/x",
        ] {
            assert_eq!(console_path_or_home(Some(bad)), "/admin", "{bad}");
        }
        assert_eq!(console_path_or_home(None), "/admin");
    }
}
