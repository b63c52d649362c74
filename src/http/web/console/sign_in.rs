//! `/admin/sign-in`, where an operator comes in, and the way out.

use actix_web::dev::Payload;
use actix_web::http::StatusCode;
use actix_web::http::header::{HeaderValue, RETRY_AFTER, SET_COOKIE, VARY};
use actix_web::web::Data;
use actix_web::{FromRequest, HttpRequest, ResponseError as _};
use askama::Template;
use futures_util::future::LocalBoxFuture;
use serde::Deserialize;

use super::frame;
use crate::app::App;
use crate::http::Answer;
use crate::http::request::address;
use crate::http::request::auth_operator;
use crate::http::request::auth_operator::{DEVICE, SESSION, device, session_token};
use crate::http::request::authentication::{count, count_for, door};
use crate::http::request::cookies;
use crate::http::request::cookies::SameSite;
use crate::http::request::extract::Visitor;
use crate::http::request::form::read_urlencoded;
use crate::http::request::query::Params;
use crate::http::request::rate_limits::Counted;
use crate::http::response::codes::Code;
use crate::http::response::negotiate::wants_html;
use crate::http::response::problem::Problem;
use crate::http::state::HttpState;
use crate::http::web::pages::frame::PageHead;
use crate::operators::{MAX_SESSION_SECONDS, NotSignedIn, SignInSource, devices, sessions};
use crate::tokens::{is_token, new_token};

/// The cookie that ties the form to the browser that asked for it.
const FORM: &str = "caraplace-sign-in";
/// How long a form that was asked for may lie, in seconds.
const FORM_LASTS: i64 = 3_600;
/// Where one goes from here, unless another room of the console was asked for.
const INSIDE: &str = "/admin";
const EXPIRED: &str = "This form was too old, or not one of this page. Try again.";

#[derive(Template)]
#[template(path = "console/sign_in.html")]
struct SignInTemplate<'a> {
    page: PageHead<'a>,
    is_open: bool,
    /// Empty if nothing was refused.
    refusal: &'a str,
    csrf: String,
    next: &'a str,
}

/// The fields of the form; browsers fill in a user name as well.
#[derive(Default, Deserialize)]
#[serde(default)]
pub struct SignInForm {
    csrf: String,
    next: Option<String>,
    password: String,
}

/// A sign-in form that was sent from our own page.
pub struct Submitted(Result<SignInForm, Problem>);

impl FromRequest for Submitted {
    type Error = Problem;
    type Future = LocalBoxFuture<'static, Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (request, mut payload) = (request.clone(), payload.take());
        Box::pin(async move {
            match device(&request) {
                Some(device) => count_for(&request, &Counted::Operator(device.0))?,
                None => count(&request, None)?,
            }
            let body = auth_operator::take_form(&request, &mut payload).await;
            let fields = body.and_then(|body| read_urlencoded(&body));
            Ok(Self(fields.and_then(|fields| check_form(&request, fields))))
        })
    }
}

fn check_form(request: &HttpRequest, fields: SignInForm) -> Result<SignInForm, Problem> {
    let door = door(request)?;
    let token = cookies::read(request, &cookies::name(door, FORM)).filter(|token| is_token(token));
    if token.is_some_and(|token| sessions::is_csrf(&sessions::csrf(token), &fields.csrf)) {
        return Ok(fields);
    }
    Err(Problem::new(Code::Forbidden, EXPIRED))
}

/// The form.
pub async fn page(request: HttpRequest, app: Data<App>, door: Data<HttpState>) -> Answer {
    match device(&request) {
        Some(device) => count_for(&request, &Counted::Operator(device.0))?,
        None => drop(Visitor::extract(&request).await?),
    }
    let params = Params::of(&request)?;
    let next = inside(params.text("next")?);
    if auth_operator::identify(&request).await.is_ok() {
        return Ok(frame::redirect(next).finish());
    }
    show(&request, &app, &door, StatusCode::OK, next, "")
}

/// Signs in, or says why not.
pub async fn submit(
    request: HttpRequest,
    app: Data<App>,
    door: Data<HttpState>,
    Submitted(fields): Submitted,
) -> Answer {
    let SignInForm { next, password, .. } = match fields {
        Ok(fields) => fields,
        Err(problem) => return refuse(&request, &app, &door, INSIDE, problem),
    };
    let next = inside(next.as_deref());
    let from = address::of(&request, &door.trusted_proxies);
    let source = SignInSource { address: from, device: device(&request) };
    match app.operators.sign_in(&app.state, source, password).await {
        Ok(started) => {
            tracing::info!(%from, "an operator signed in");
            // Whoever was signed in here is no more: the token of a session is never used twice.
            if let Some(old) = session_token(&request) {
                app.operators.sessions.end(&app.state, old).await?;
            }
            let cookie = cookies::set(&door, SESSION, &started.token, MAX_SESSION_SECONDS, SameSite::Strict);
            let form = cookies::set(&door, FORM, "", 0, SameSite::Strict);
            let device = cookies::set(&door, DEVICE, &started.device, devices::LIFETIME, SameSite::Strict);
            Ok(frame::redirect(next)
                .append_header((SET_COOKIE, cookie))
                .append_header((SET_COOKIE, form))
                .append_header((SET_COOKIE, device))
                .finish())
        }
        Err(reason) => {
            let problem = said(reason);
            tracing::warn!(%from, code = problem.code.line().code, "a sign-in to the console was refused");
            refuse(&request, &app, &door, next, problem)
        }
    }
}

fn said(reason: NotSignedIn) -> Problem {
    match reason {
        NotSignedIn::Wrong => Problem::new(Code::KeyInvalid, "That is not the password.")
            .hint("Try again; after five wrong ones each further try has to wait."),
        NotSignedIn::Locked { wait } => Problem::new(
            Code::TooManyRequests,
            "Too many wrong passwords were tried.",
        )
        .retry_after(wait)
        .hint(
            "Wait for as long as Retry-After says, or use a browser that has signed in before, or a ca_ key.",
        ),
        NotSignedIn::Refused(refusal) => refusal.into(),
    }
}

/// Ends the session, on every instance.
pub async fn leave(request: HttpRequest, app: Data<App>, door: Data<HttpState>) -> Answer {
    if let Some(token) = session_token(&request) {
        app.operators.sessions.end(&app.state, token).await?;
    }
    let ended = cookies::set(&door, SESSION, "", 0, SameSite::Strict);
    Ok(frame::redirect(auth_operator::SIGN_IN).append_header((SET_COOKIE, ended)).finish())
}

/// People get the form again, programs the refusal.
fn refuse(request: &HttpRequest, app: &App, door: &HttpState, next: &str, problem: Problem) -> Answer {
    if !wants_html(request) {
        return Err(problem);
    }
    let wait = problem.seconds_to_wait();
    let mut said = problem.detail.clone();
    if wait > 0 {
        said.push_str(&format!(" Wait for {wait} s, then try again."));
    }
    let mut answer = show(request, app, door, problem.status_code(), next, &said)?;
    answer.headers_mut().append(VARY, HeaderValue::from_static("Accept"));
    if wait > 0 {
        answer.headers_mut().insert(RETRY_AFTER, wait.into());
    }
    Ok(answer)
}

fn show(
    request: &HttpRequest,
    app: &App,
    door: &HttpState,
    status: StatusCode,
    next: &str,
    refusal: &str,
) -> Answer {
    // Two windows of a browser share its cookie: the form of the one must not spoil that of the other.
    let known = cookies::read(request, &cookies::name(door, FORM)).filter(|token| is_token(token));
    let token = known.map_or_else(new_token, |token| Ok(token.to_owned()))?;
    let page = PageHead { path: "/admin", title: "Sign in" };
    let (is_open, csrf) = (app.operators.is_open(), sessions::csrf(&token));
    let mut answer = frame::show_as(status, &SignInTemplate { page, is_open, refusal, csrf, next })?;
    let cookie = cookies::set(door, FORM, &token, FORM_LASTS, SameSite::Strict);
    if let Ok(cookie) = cookie.parse() {
        answer.headers_mut().append(SET_COOKIE, cookie);
    }
    Ok(answer)
}

/// Where to go next: a room of the console, and nowhere else.
pub(super) fn inside(asked: Option<&str>) -> &str {
    let is_room = |path: &&str| {
        let rest = path.strip_prefix(INSIDE);
        let plain = path.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/_-?=&.".contains(&byte));
        plain
            && !path.contains("//")
            && !path.contains("..")
            && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?']))
            && !path.starts_with(auth_operator::SIGN_IN)
    };
    asked.filter(is_room).unwrap_or(INSIDE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_of_the_console_are_followed() {
        for good in ["/admin", "/admin/reports", "/admin/agents/agent_1?page=2", "/admin?x=1"] {
            assert_eq!(inside(Some(good)), good);
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
            assert_eq!(inside(Some(bad)), "/admin", "{bad}");
        }
        assert_eq!(inside(None), "/admin");
    }
}
