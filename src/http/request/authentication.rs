//! Authentication by key or session, and the counting of each request for its caller.

use std::future::Future;
use std::net::IpAddr;
use std::sync::Arc;

use actix_web::http::header::AUTHORIZATION;
use actix_web::web::Data;
use actix_web::{HttpMessage as _, HttpRequest};

use super::address;
use super::auth_throttle::Guesser;
use super::rate_limits::{Counted, Gauge, Meter};
use crate::agents::keys;
use crate::app::App;
use crate::http::response::codes::Code;
use crate::http::response::problem::Problem;
use crate::http::state::HttpState;
use crate::log::roster::Agent;
use crate::operators::{self, Operator};
use crate::refusal::{Refusal, internal};
use crate::tokens::hash;

/// Who is calling, as far as this instance knows without asking the database.
pub(in crate::http) enum Caller {
    Nobody,
    Known(Arc<Agent>),
    /// Has shown a key that may be good.
    Stranger(String),
}

pub(in crate::http) fn app(request: &HttpRequest) -> Result<&Arc<App>, Problem> {
    shared(request)
}

pub(in crate::http) fn door(request: &HttpRequest) -> Result<&Arc<HttpState>, Problem> {
    shared(request)
}

fn shared<T: 'static>(request: &HttpRequest) -> Result<&Arc<T>, Problem> {
    let data = request.app_data::<Data<T>>().ok_or("the route was mounted without it");
    Ok(data.map_err(internal("reading the state of a request"))?)
}

/// The refusal of who shows no key where one is needed.
pub fn key_missing() -> Problem {
    Refusal::KeyMissing.into()
}

/// Who is calling: nobody in particular without a key, an agent with a good one.
///
/// # Errors
/// `key_invalid`; or that it cannot be known now.
pub async fn identify(request: &HttpRequest) -> Result<Option<Arc<Agent>>, Problem> {
    match recognize(request)? {
        Caller::Nobody => Ok(None),
        Caller::Known(agent) => Ok(Some(agent)),
        Caller::Stranger(key) if key.starts_with(operators::keys::PREFIX) => {
            look_up_operator(request, &key).await?;
            Err(Problem::new(Code::Forbidden, "An operator's key does not do what agents do."))
        }
        Caller::Stranger(key) => Box::pin(look_up(request, &key)).await.map(Some),
    }
}

pub(in crate::http) fn recognize(request: &HttpRequest) -> Result<Caller, Problem> {
    let Some(header) = request.headers().get(AUTHORIZATION) else { return Ok(Caller::Nobody) };
    let text = header.to_str().unwrap_or_default();
    let (scheme, key) = text.split_once(' ').unwrap_or((text, ""));
    if !scheme.eq_ignore_ascii_case("bearer") {
        return Err(Problem::new(Code::KeyInvalid, "Authorization is not of the form Bearer KEY."));
    }
    let agent = keys::known(&app(request)?.state, key.trim());
    Ok(agent.map_or_else(|| Caller::Stranger(key.trim().to_owned()), Caller::Known))
}

pub(in crate::http) async fn look_up(request: &HttpRequest, key: &str) -> Result<Arc<Agent>, Problem> {
    let app = app(request)?;
    guess(request, Guesser::Keys(address_of(request)?), keys::look_up(&app.state, key)).await
}

/// Returns the operator that a key belongs to, unless too many keys were guessed.
pub(in crate::http) async fn look_up_operator(request: &HttpRequest, key: &str) -> Result<Operator, Problem> {
    let app = app(request)?;
    let is_issued = app.operators.start_keys.is_issued(&app.state, key);
    let guesser = admit_secret(request, (key, is_issued), Guesser::Keys)?;
    guess(request, guesser, operators::keys::look_up(&app.state, key, is_issued)).await
}

/// Looks a session up, unless too many were guessed. One that was issued here never waits for the guesses of others.
///
/// # Errors
/// `too_many_requests` for a session that was issued here; `overloaded` after too many guesses; or that of `look_up`.
pub(in crate::http) async fn guess_session<T>(
    request: &HttpRequest,
    shown: (&str, bool),
    look_up: impl Future<Output = Result<T, Refusal>>,
) -> Result<T, Problem> {
    let guesser = admit_secret(request, shown, Guesser::Sessions)?;
    guess(request, guesser, look_up).await
}

/// Returns for whom a wrong secret counts, given the secret and whether it was issued here. Its requests are counted
/// before it is looked up, because nothing else bounds the look-ups of a genuine secret.
fn admit_secret(
    request: &HttpRequest,
    (secret, is_issued): (&str, bool),
    of_address: fn(IpAddr) -> Guesser,
) -> Result<Guesser, Problem> {
    if !is_issued {
        return Ok(of_address(address_of(request)?));
    }
    let secret_hash = hash(secret);
    count_for(request, &Counted::Issued(secret_hash))?;
    Ok(Guesser::Issued(secret_hash))
}

/// Looks a key or a session up, unless its sender has guessed too often.
async fn guess<T>(
    request: &HttpRequest,
    guesser: Guesser,
    look_up: impl Future<Output = Result<T, Refusal>>,
) -> Result<T, Problem> {
    let guesses = &door(request)?.guesses;
    guesses.admit(&guesser)?;
    let found = look_up.await;
    if matches!(found, Err(Refusal::KeyInvalid)) {
        guesses.count(guesser);
    }
    Ok(found?)
}

fn address_of(request: &HttpRequest) -> Result<IpAddr, Problem> {
    Ok(address::of(request, &door(request)?.trusted_proxies))
}

/// Counts a request for who sends it.
///
/// # Errors
/// `too_many_requests`.
pub fn count(request: &HttpRequest, agent: Option<&Agent>) -> Result<(), Problem> {
    let caller = match agent {
        Some(agent) => Counted::Agent(agent.no),
        None => Counted::Address(address_of(request)?),
    };
    count_for(request, &caller)
}

/// Counts a request of an operator's, for itself and not for the address that it may share with others.
///
/// # Errors
/// `too_many_requests`.
pub fn count_operator(request: &HttpRequest, operator: &Operator) -> Result<(), Problem> {
    count_for(request, &Counted::Operator(operator.secret_hash))
}

/// Counts a request for this caller.
///
/// # Errors
/// `too_many_requests`.
pub fn count_for(request: &HttpRequest, caller: &Counted) -> Result<(), Problem> {
    let door = door(request)?;
    let counted = door.limits.request(caller);
    let empty = |problem: &Problem| show(request, door.limits.gauge(0, problem.seconds_to_wait()));
    if let Some(gauge) = counted.inspect_err(empty)? {
        show(request, gauge);
    }
    Ok(())
}

/// Tells the answer's limits what is left.
pub fn show(request: &HttpRequest, gauge: Gauge) {
    request.extensions_mut().get_or_insert_with(Meter::default).show(gauge);
}
