//! Authentication of operators: guards `/api/admin` and `/admin`, before the body is read.

use std::future::{Ready, ready};

use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{Payload, ServiceRequest, ServiceResponse};
use actix_web::http::Method;
use actix_web::http::header::LOCATION;
use actix_web::middleware::Next;
use actix_web::web::Bytes;
use actix_web::{Error, FromRequest, HttpMessage as _, HttpRequest, HttpResponse};
use caraplace_accounts::operators::devices::Device;
use caraplace_accounts::operators::{Operator, keys, sessions};
use futures_util::future::LocalBoxFuture;
use platform::refusal::Refusal;
use platform::refusal::codes::Code;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::app_data::{app, http_state};
use super::authentication::{Caller, count_operator_request};
use super::body::{self, read_json_request};
use super::known_params::check_params_without_body;
use super::origin::{RequestOrigin, cross_origin_problem, request_origin};
use super::{authentication, cookies, request_body};
use crate::response::problem::Problem;
use crate::route::operator_need::OperatorNeed;
use crate::route::scope::RouteScopes;

/// The name of the session cookie.
pub const SESSION_COOKIE: &str = "caraplace-admin";
/// The name of the cookie of a browser that has signed in before.
pub const DEVICE_COOKIE: &str = "caraplace-device";
/// The path of the sign-in page.
pub const SIGN_IN_PATH: &str = "/admin/sign-in";
/// The header with the CSRF token.
pub(super) const CSRF_HEADER: &str = "x-csrf-token";
/// The form field with the CSRF token.
pub const CSRF_FIELD: &str = "csrf";

/// The operator who has sent a request.
pub struct AuthOperator(pub Operator);

/// Extractor of an operator's JSON body.
pub struct AdminBody<F> {
    pub operator: Operator,
    pub fields: F,
}

/// The body of a form from a page of the console.
#[derive(Clone)]
pub struct AdminFormBody(pub Bytes);

/// The field that proves that a form comes from our own page.
#[derive(Deserialize)]
struct CsrfField {
    csrf: Option<String>,
}

/// Middleware that admits only operators. Browsers without a session are redirected from the console to the
/// sign-in page.
pub async fn require_operator(
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    // Uses the decoded path, like the router.
    let is_in_api = request.match_info().as_str().starts_with("/api/");
    let authorized = if is_in_api {
        authorize_api(request.request()).await
    } else {
        authorize_console(&mut request).await
    };
    match authorized {
        Ok(operator) => {
            request.extensions_mut().insert(operator);
            Ok(next.call(request).await?.map_into_boxed_body())
        }
        Err(problem)
            if !is_in_api && problem.code.info().status == 401 && is_safe_method(request.method()) =>
        {
            let next = format!("{SIGN_IN_PATH}?next={}", request.path());
            let redirect = HttpResponse::SeeOther().insert_header((LOCATION, next)).finish();
            Ok(request.into_response(redirect))
        }
        Err(problem) => Ok(request.error_response(problem)),
    }
}

/// Returns the operator who sent a request to the API; a browser proves with a token that our own page has
/// sent it.
///
/// # Errors
/// 401 without a valid key or session, 403 for others than operators, without the scope of the route, or for
/// a request of another page.
pub(super) async fn authorize_api(request: &HttpRequest) -> Result<Operator, Problem> {
    let operator = authenticate_operator(request).await?;
    check_operator_need(request, &operator)?;
    if let (Some(expected), false) = (&operator.csrf, is_safe_method(request.method())) {
        check_origin(request)?;
        let csrf_token = request.headers().get(CSRF_HEADER).and_then(|value| value.to_str().ok());
        check_csrf(expected, csrf_token, "The header X-CSRF-Token")?;
    }
    check_params_without_body(request)?;
    Ok(operator)
}

async fn authorize_console(request: &mut ServiceRequest) -> Result<Operator, Problem> {
    let operator = authenticate_operator(request.request()).await?;
    // The page of a refusal has the menu of the operator.
    request.extensions_mut().insert(operator.clone());
    check_operator_need(request.request(), &operator)?;
    if is_safe_method(request.method()) {
        return Ok(operator);
    }
    let (head, payload) = request.parts_mut();
    let body = read_form(head, payload).await?;
    if let Some(expected) = &operator.csrf {
        let CsrfField { csrf } = request_body::read_urlencoded(&body)?;
        check_csrf(expected, csrf.as_deref(), "The field csrf")?;
    }
    head.extensions_mut().insert(AdminFormBody(body));
    Ok(operator)
}

/// Checks that an operator has what the route of a request needs. Addresses without a route need nothing:
/// there is nothing to do.
///
/// # Errors
/// `scope_missing`.
fn check_operator_need(request: &HttpRequest, operator: &Operator) -> Result<(), Problem> {
    let scopes = request.app_data::<RouteScopes>();
    match scopes.and_then(|scopes| scopes.find_operator_need(request.method())) {
        Some(OperatorNeed::Scope(scope)) => operator.check_scope(scope)?,
        Some(OperatorNeed::OwnAccount) => operator.check_own_account()?,
        None => {}
    }
    Ok(())
}

/// Reads the body of a form from one of our pages.
///
/// # Errors
/// `forbidden` if it comes from another site, or the errors of reading a body.
pub async fn read_form(request: &HttpRequest, payload: &mut Payload) -> Result<Bytes, Problem> {
    check_origin(request)?;
    let raw = body::read(request, payload).await?;
    body::check_is_form(request)?;
    Ok(raw)
}

/// Returns the operator who sent a request.
///
/// # Errors
/// 401 without a valid key or session, 403 for agents and viewers or if the console is switched off.
pub async fn authenticate_operator(request: &HttpRequest) -> Result<Operator, Problem> {
    let forbidden = || Problem::new(Code::Forbidden, "This endpoint needs an operator's key.");
    let operator = match authentication::recognize_caller(request)? {
        Caller::Anonymous => authenticate_by_cookie(request).await?,
        Caller::Known(_) => return Err(forbidden()),
        Caller::UnknownKey(key) if key.starts_with(keys::PREFIX) => {
            authentication::look_up_operator_key(request, &key).await?
        }
        Caller::UnknownKey(key) => {
            authentication::look_up_key(request, &key).await?;
            return Err(forbidden());
        }
    };
    count_operator_request(request, &operator)?;
    if app(request)?.operators.is_open() {
        return Ok(operator);
    }
    Err(Problem::new(
        Code::Forbidden,
        "The console is switched off: the setting CARAPLACE_ADMIN_PASSWORD is not set.",
    ))
}

async fn authenticate_by_cookie(request: &HttpRequest) -> Result<Operator, Problem> {
    let hint = "Sign in at /admin/sign-in, or send Authorization: Bearer with an operator's key.";
    let Some(token) = session_token(request) else {
        return Err(authentication::key_missing().hint(hint));
    };
    let app = app(request)?;
    let find = async { app.operators.sessions.find(&app.state, token).await?.ok_or(Refusal::KeyInvalid) };
    let is_issued = app.operators.sessions.has_issued(token);
    let operator = authentication::look_up_session(request, token, is_issued, find).await;
    operator.map_err(|problem| match problem.code {
        Code::KeyInvalid => Problem::new(Code::KeyInvalid, "This session has ended.").hint(hint),
        _ => problem,
    })
}

/// Returns the session token of a browser; `None` without a session cookie.
pub fn session_token(request: &HttpRequest) -> Option<&str> {
    let http_state = http_state(request).ok()?;
    cookies::read(request, &cookies::name(http_state, SESSION_COOKIE))
}

/// Returns the device of a browser; `None` if it has not signed in before.
pub fn find_device(request: &HttpRequest) -> Option<Device> {
    let app = app(request).ok()?;
    let http_state = http_state(request).ok()?;
    let cookie = cookies::read(request, &cookies::name(http_state, DEVICE_COOKIE))?;
    app.operators.devices.verify(cookie, app.state.clock.now())
}

fn is_safe_method(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD)
}

/// Refuses requests from pages of other sites. Programs send no origin, so a missing one is accepted.
fn check_origin(request: &HttpRequest) -> Result<(), Problem> {
    match request_origin(request, &http_state(request)?.base_url) {
        RequestOrigin::CrossOrigin => Err(cross_origin_problem()),
        RequestOrigin::SameOrigin | RequestOrigin::NotStated => Ok(()),
    }
}

fn check_csrf(expected: &str, token: Option<&str>, location: &str) -> Result<(), Problem> {
    if sessions::is_valid_csrf_token(expected, token.unwrap_or_default()) {
        return Ok(());
    }
    let detail = format!("{location} is not the csrf value of GET /api/admin/session.");
    Err(Problem::new(Code::Forbidden, detail).hint("Load the page again, then repeat the action."))
}

impl FromRequest for AuthOperator {
    type Error = Problem;
    type Future = Ready<Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let operator = request.extensions().get::<Operator>().cloned();
        ready(operator.map(Self).ok_or_else(authentication::key_missing))
    }
}

impl<F: DeserializeOwned + 'static> FromRequest for AdminBody<F> {
    type Error = Problem;
    type Future = LocalBoxFuture<'static, Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let request = request.clone();
        let mut payload = payload.take();
        Box::pin(async move {
            let AuthOperator(operator) = AuthOperator::extract(&request).await?;
            let raw: Bytes = body::read(&request, &mut payload).await?;
            body::check_is_json(&request)?;
            Ok(Self { operator, fields: read_json_request(&request, &raw)? })
        })
    }
}
