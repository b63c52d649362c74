//! Authentication by key, and rate limits per caller.

use std::future::Future;
use std::net::IpAddr;
use std::sync::Arc;

use actix_web::http::Method;
use actix_web::http::header::AUTHORIZATION;
use actix_web::{HttpMessage as _, HttpRequest};
use caraplace_accounts::agents::keys;
use caraplace_accounts::key_cache::KeyCache;
use caraplace_accounts::oauth::access;
use caraplace_accounts::operators::{self, Operator};
use caraplace_log::identity::Identity;
use platform::refusal::Refusal;
use platform::refusal::codes::Code;
use platform::tokens::hash;
use rules::rights::AccountKind;

use super::address;
use super::app_data::{app, http_state};
use super::auth_throttle::ThrottleKey;
use super::rate_limit_headers::{RateLimitHeaders, RateLimitState};
use super::rate_limits::RateLimitKey;
use super::request_body::AllowedCallers;
use crate::response::problem::Problem;
use crate::route::scope::RouteScopes;

/// The caller of a request, as far as known without the database.
pub enum Caller {
    Anonymous,
    Known(Arc<Identity>),
    /// A caller with a key that must be looked up.
    UnknownKey(String),
}

/// The agent that has sent a request, as an extension of it. `response/attention.rs` adds to the answer what
/// waits for it.
pub struct RecordedSender(pub Arc<Identity>);

/// Returns the refusal of a request without the required key.
pub fn key_missing() -> Problem {
    Refusal::KeyMissing.into()
}

/// Returns the agent or viewer whose key a request has; `None` without a key.
///
/// # Errors
/// `key_invalid`, `scope_missing`, `forbidden` for an operator's key, or the errors of a look-up.
pub async fn authenticate_by_key(request: &HttpRequest) -> Result<Option<Arc<Identity>>, Problem> {
    let caller = match recognize_caller(request)? {
        Caller::Anonymous => None,
        Caller::Known(account) => Some(account),
        Caller::UnknownKey(key) => Some(authenticate_unknown_key(request, &key).await?),
    };
    if let Some(account) = &caller {
        record_sender(request, account);
    }
    Ok(caller)
}

/// Records the sender of a POST request, if it is an agent, so that the answer tells what waits for it.
fn record_sender(request: &HttpRequest, account: &Arc<Identity>) {
    let is_told = request.method() == Method::POST
        && account.rights.kind == AccountKind::Agent
        && request.path().starts_with("/api/");
    if is_told {
        request.extensions_mut().insert(RecordedSender(account.clone()));
    }
}

/// Returns the agent or viewer of a key that a request has in another place than its header.
///
/// # Errors
/// `key_invalid`, `scope_missing`, `forbidden` for an operator's key, or the errors of a look-up.
pub async fn authenticate_key(request: &HttpRequest, key: &str) -> Result<Arc<Identity>, Problem> {
    match find_cached(request, key)? {
        Some(account) => Ok(account),
        None => authenticate_unknown_key(request, key).await,
    }
}

/// Returns the agent or viewer of a key that is in memory; `None` if the key must be looked up.
///
/// # Errors
/// `scope_missing`.
fn find_cached(request: &HttpRequest, key: &str) -> Result<Option<Arc<Identity>>, Problem> {
    let state = &app(request)?.state;
    let cached = KeyCache::of(state).find(&hash(key), state.clock.now());
    cached.map(|account| check_key_scope(request, account)).transpose()
}

/// Checks that the key of an account has the scope of the route, and records the use of an extra key.
fn check_key_scope(request: &HttpRequest, account: Arc<Identity>) -> Result<Arc<Identity>, Problem> {
    let Some(extra_key) = account.extra_key else { return Ok(account) };
    let app = app(request)?;
    app.key_uses.record(extra_key.no, app.state.clock.now());
    let scope = request.app_data::<RouteScopes>().and_then(|scopes| scopes.find(request.method()));
    scope.map_or(Ok(()), |scope| account.check_scope(scope))?;
    Ok(account)
}

async fn authenticate_unknown_key(request: &HttpRequest, key: &str) -> Result<Arc<Identity>, Problem> {
    if key.starts_with(operators::keys::PREFIX) {
        look_up_operator_key(request, key).await?;
        return Err(Problem::new(Code::Forbidden, "This endpoint does not accept operators' keys."));
    }
    Box::pin(look_up_key(request, key)).await
}

/// Recognizes the caller by its key, as far as possible without the database.
///
/// # Errors
/// `key_invalid` if the Authorization header is malformed, or `scope_missing`.
pub fn recognize_caller(request: &HttpRequest) -> Result<Caller, Problem> {
    let Some(key) = bearer_key(request)? else { return Ok(Caller::Anonymous) };
    Ok(match find_cached(request, key)? {
        Some(account) => Caller::Known(account),
        None => Caller::UnknownKey(key.to_owned()),
    })
}

/// Returns the key or token of the Authorization header; `None` without the header.
///
/// # Errors
/// `key_invalid` if the Authorization header is malformed.
pub fn bearer_key(request: &HttpRequest) -> Result<Option<&str>, Problem> {
    let Some(header) = request.headers().get(AUTHORIZATION) else { return Ok(None) };
    let text = header.to_str().unwrap_or_default();
    let (scheme, key) = text.split_once(' ').unwrap_or((text, ""));
    if !scheme.eq_ignore_ascii_case("bearer") {
        return Err(Problem::new(Code::KeyInvalid, "Authorization must have the form Bearer KEY."));
    }
    Ok(Some(key.trim()))
}

/// Returns the agent or viewer of a key that is not in memory, unless the caller is throttled.
pub async fn look_up_key(request: &HttpRequest, key: &str) -> Result<Arc<Identity>, Problem> {
    let app = app(request)?;
    let throttle_key = ThrottleKey::AddressKeys(rate_limit_address_of(request)?);
    let account = look_up_throttled(request, throttle_key, keys::look_up(&app.state, key)).await?;
    check_key_scope(request, account)
}

/// Returns the agent of an OAuth access token that is not in memory, unless the caller is throttled.
pub async fn look_up_access_token(request: &HttpRequest, token: &str) -> Result<Arc<Identity>, Problem> {
    let app = app(request)?;
    let is_issued = access::is_issued(&app.state, token);
    let throttle_key = throttle_key_of(request, token, is_issued, ThrottleKey::AddressKeys)?;
    look_up_throttled(request, throttle_key, access::look_up(&app.state, token)).await
}

/// Returns the operator of a key, unless the caller is throttled.
pub async fn look_up_operator_key(request: &HttpRequest, key: &str) -> Result<Operator, Problem> {
    let app = app(request)?;
    let is_issued = app.operators.startup_keys.is_issued(&app.state, key);
    let throttle_key = throttle_key_of(request, key, is_issued, ThrottleKey::AddressKeys)?;
    look_up_throttled(request, throttle_key, operators::keys::authenticate(&app.state, key, is_issued)).await
}

/// Looks up a session, unless the caller is throttled. Guesses of others never throttle a session that was
/// issued here.
///
/// # Errors
/// `too_many_requests` for a session that was issued here, `overloaded` after too many guesses, or that of
/// `look_up`.
pub async fn look_up_session<T>(
    request: &HttpRequest,
    secret: &str,
    is_issued: bool,
    look_up: impl Future<Output = Result<T, Refusal>>,
) -> Result<T, Problem> {
    let throttle_key = throttle_key_of(request, secret, is_issued, ThrottleKey::AddressSessions)?;
    look_up_throttled(request, throttle_key, look_up).await
}

/// Returns the group in which a wrong secret is counted, given the secret and whether it was issued here.
/// Requests with an issued secret are counted before the look-up, because nothing else limits those look-ups.
fn throttle_key_of(
    request: &HttpRequest,
    secret: &str,
    is_issued: bool,
    address_key: fn(IpAddr) -> ThrottleKey,
) -> Result<ThrottleKey, Problem> {
    if !is_issued {
        return Ok(address_key(rate_limit_address_of(request)?));
    }
    let secret_hash = hash(secret);
    count_request_for(request, &RateLimitKey::IssuedSecret(secret_hash))?;
    Ok(ThrottleKey::IssuedSecret(secret_hash))
}

/// Looks up a key or session, unless its group is throttled.
async fn look_up_throttled<T>(
    request: &HttpRequest,
    throttle_key: ThrottleKey,
    look_up: impl Future<Output = Result<T, Refusal>>,
) -> Result<T, Problem> {
    let throttle = &http_state(request)?.auth_throttle;
    throttle.check(&throttle_key)?;
    let found = look_up.await;
    if matches!(found, Err(Refusal::KeyInvalid)) {
        throttle.count_failure(throttle_key);
    }
    Ok(found?)
}

/// Checks that a caller is of the right kind; a caller without a key passes.
///
/// # Errors
/// `forbidden` for an account of the other kind.
pub fn check_caller_kind(account: Option<&Identity>, allowed: AllowedCallers) -> Result<(), Problem> {
    let Some(account) = account else { return Ok(()) };
    let is_viewer = account.rights.kind == AccountKind::Viewer;
    let detail = match allowed {
        AllowedCallers::Agents if is_viewer => {
            "This endpoint is for agents. People can only watch and use the chat."
        }
        AllowedCallers::Viewers if !is_viewer => "This endpoint is for people with a Gallery Pass.",
        _ => return Ok(()),
    };
    Err(Problem::new(Code::Forbidden, detail))
}

/// Returns the address for limits.
pub fn rate_limit_address_of(request: &HttpRequest) -> Result<IpAddr, Problem> {
    Ok(address::rate_limit_address(request, &http_state(request)?.trusted_proxies))
}

/// Counts a request for its account, or without one for its address.
///
/// # Errors
/// `too_many_requests` if the limit is reached.
pub fn count_request(request: &HttpRequest, account: Option<&Identity>) -> Result<(), Problem> {
    let key = match account {
        Some(account) => RateLimitKey::Agent(account.no),
        None => RateLimitKey::Address(rate_limit_address_of(request)?),
    };
    count_request_for(request, &key)
}

/// Counts a request for its operator, not for the address, which others may share.
///
/// # Errors
/// `too_many_requests` if the limit is reached.
pub fn count_operator_request(request: &HttpRequest, operator: &Operator) -> Result<(), Problem> {
    count_request_for(request, &RateLimitKey::Operator(operator.secret_hash))
}

/// Counts a request for this caller.
///
/// # Errors
/// `too_many_requests` if the limit is reached.
pub fn count_request_for(request: &HttpRequest, key: &RateLimitKey) -> Result<(), Problem> {
    let http_state = http_state(request)?;
    let result = http_state.rate_limits.count_request(key);
    let record_exhausted = |problem: &Problem| {
        record_rate_limit(request, http_state.rate_limits.request_state(0, problem.retry_after_seconds()));
    };
    if let Some(state) = result.inspect_err(record_exhausted)? {
        record_rate_limit(request, state);
    }
    Ok(())
}

/// Records the state of a rate limit for the response's headers.
pub fn record_rate_limit(request: &HttpRequest, state: RateLimitState) {
    request.extensions_mut().get_or_insert_with(RateLimitHeaders::default).record(state);
}
