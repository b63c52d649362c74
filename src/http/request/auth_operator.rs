//! Who operates: everything under `/api/admin` and `/admin` passes here first, before a body is read.

use std::future::{Ready, ready};

use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{Payload, ServiceRequest, ServiceResponse};
use actix_web::http::Method;
use actix_web::http::header::LOCATION;
use actix_web::middleware::Next;
use actix_web::web::Bytes;
use actix_web::{Error, FromRequest, HttpMessage as _, HttpRequest, HttpResponse};
use futures_util::future::LocalBoxFuture;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::authentication;
use super::authentication::{Caller, app, count_operator, door};
use super::origin::{Made, elsewhere, made};
use super::{body, cookies, form};
use crate::http::response::codes::Code;
use crate::http::response::problem::Problem;
use crate::input::json;
use crate::operators::devices::Device;
use crate::operators::{Operator, keys, sessions};
use crate::refusal::Refusal;

/// The cookie of who is signed in.
pub const SESSION: &str = "caraplace-admin";
/// The cookie of a browser that has signed in before.
pub const DEVICE: &str = "caraplace-device";
/// Where one signs in.
pub const SIGN_IN: &str = "/admin/sign-in";
/// What a browser's program sends with each change; a form has it in a field.
const CSRF: &str = "x-csrf-token";
/// The same in a form.
pub const CSRF_FIELD: &str = "csrf";

/// What an operator orders: a JSON body from who may order things.
pub struct Order<F> {
    pub operator: Operator,
    pub form: F,
}

/// The body of a form that an operator sent from a page of the console.
#[derive(Clone)]
pub struct FormBody(pub Bytes);

/// The field that shows that a form comes from a page of ours.
#[derive(Deserialize)]
struct CsrfField {
    csrf: Option<String>,
}

/// Lets operators pass. Redirects a browser without a session from the console to the sign-in page.
pub async fn guard(
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    // The decoded path, which is what the route was found by.
    let is_in_api = request.match_info().as_str().starts_with("/api/");
    let admitted =
        if is_in_api { admit(request.request()).await } else { admit_to_console(&mut request).await };
    match admitted {
        Ok(operator) => {
            request.extensions_mut().insert(operator);
            Ok(next.call(request).await?.map_into_boxed_body())
        }
        Err(problem) if !is_in_api && problem.code.line().status == 401 && is_safe(request.method()) => {
            let next = format!("{SIGN_IN}?next={}", request.path());
            let led = HttpResponse::SeeOther().insert_header((LOCATION, next)).finish();
            Ok(request.into_response(led))
        }
        Err(problem) => Ok(request.error_response(problem)),
    }
}

async fn admit(request: &HttpRequest) -> Result<Operator, Problem> {
    let operator = identify(request).await?;
    if let (Some(expected), false) = (&operator.csrf, is_safe(request.method())) {
        check_origin(request)?;
        let shown = request.headers().get(CSRF).and_then(|value| value.to_str().ok());
        check_csrf(expected, shown, "The header X-CSRF-Token")?;
    }
    Ok(operator)
}

async fn admit_to_console(request: &mut ServiceRequest) -> Result<Operator, Problem> {
    let operator = identify(request.request()).await?;
    if is_safe(request.method()) {
        return Ok(operator);
    }
    let (head, payload) = request.parts_mut();
    let body = take_form(head, payload).await?;
    if let Some(expected) = &operator.csrf {
        let CsrfField { csrf } = form::read_urlencoded(&body)?;
        check_csrf(expected, csrf.as_deref(), "The field csrf")?;
    }
    head.extensions_mut().insert(FormBody(body));
    Ok(operator)
}

/// Returns the body of a form that a browser sent from one of our pages.
///
/// # Errors
/// `forbidden` when it comes from elsewhere; or that it cannot be read.
pub async fn take_form(request: &HttpRequest, payload: &mut Payload) -> Result<Bytes, Problem> {
    check_origin(request)?;
    let raw = body::take(request, payload).await?;
    body::check_is_form(request)?;
    Ok(raw)
}

/// The operator who asks.
///
/// # Errors
/// 401 for nobody known, 403 for who is known and no operator.
pub async fn identify(request: &HttpRequest) -> Result<Operator, Problem> {
    let forbidden = || Problem::new(Code::Forbidden, "This is for operators; your key is another's.");
    let operator = match authentication::recognize(request)? {
        Caller::Nobody => by_cookie(request).await?,
        Caller::Known(_) => return Err(forbidden()),
        Caller::Stranger(key) if key.starts_with(keys::PREFIX) => {
            authentication::look_up_operator(request, &key).await?
        }
        Caller::Stranger(key) => {
            authentication::look_up(request, &key).await?;
            return Err(forbidden());
        }
    };
    count_operator(request, &operator)?;
    if app(request)?.operators.is_open() {
        return Ok(operator);
    }
    Err(Problem::new(
        Code::Forbidden,
        "The console is closed: the setting CARAPLACE_ADMIN_PASSWORD is unset.",
    ))
}

async fn by_cookie(request: &HttpRequest) -> Result<Operator, Problem> {
    let hint = "Sign in at /admin/sign-in, or send Authorization: Bearer and an operator's key.";
    let Some(token) = session_token(request) else {
        return Err(authentication::key_missing().hint(hint));
    };
    let app = app(request)?;
    let find = async { app.operators.sessions.find(&app.state, token).await?.ok_or(Refusal::KeyInvalid) };
    let shown = (token, app.operators.sessions.has_issued(token));
    authentication::guess_session(request, shown, find).await.map_err(|problem| match problem.code {
        Code::KeyInvalid => Problem::new(Code::KeyInvalid, "This session has ended.").hint(hint),
        _ => problem,
    })
}

/// The token that a browser shows.
pub fn session_token(request: &HttpRequest) -> Option<&str> {
    let door = door(request).ok()?;
    cookies::read(request, &cookies::name(door, SESSION))
}

/// Returns the device that a browser's cookie stands for, or `None` if it has not signed in before.
pub fn device(request: &HttpRequest) -> Option<Device> {
    let (app, door) = (app(request).ok()?, door(request).ok()?);
    let cookie = cookies::read(request, &cookies::name(door, DEVICE))?;
    app.operators.devices.recognize(cookie, app.state.clock.now())
}

fn is_safe(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD)
}

/// Programs say nothing of where their requests are made.
fn check_origin(request: &HttpRequest) -> Result<(), Problem> {
    match made(request, &door(request)?.base_url) {
        Made::Elsewhere => Err(elsewhere()),
        Made::Here | Made::Unsaid => Ok(()),
    }
}

fn check_csrf(expected: &str, shown: Option<&str>, place: &str) -> Result<(), Problem> {
    if sessions::is_csrf(expected, shown.unwrap_or_default()) {
        return Ok(());
    }
    let detail = format!("{place} does not hold what GET /api/admin/session gives as csrf.");
    Err(Problem::new(Code::Forbidden, detail).hint("Load the page again, then repeat what you did."))
}

impl FromRequest for Operator {
    type Error = Problem;
    type Future = Ready<Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(request.extensions().get::<Self>().cloned().ok_or_else(authentication::key_missing))
    }
}

impl<F: DeserializeOwned + 'static> FromRequest for Order<F> {
    type Error = Problem;
    type Future = LocalBoxFuture<'static, Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (request, mut payload) = (request.clone(), payload.take());
        Box::pin(async move {
            let operator = Operator::extract(&request).await?;
            let raw: Bytes = body::take(&request, &mut payload).await?;
            body::check_media_type(&request)?;
            Ok(Self { operator, form: json::read(&raw)? })
        })
    }
}
