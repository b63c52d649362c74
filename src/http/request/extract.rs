//! Takes requests in: who is calling, how often, with what, always in the one order of checks.

use std::future::{Future, Ready, ready};
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;

use actix_web::dev::Payload;
use actix_web::http::header::AUTHORIZATION;
use actix_web::web::{Bytes, Data};
use actix_web::{FromRequest, HttpMessage as _, HttpRequest, HttpResponse};
use futures_util::future::Either;
use serde::Serialize;

use super::address;
use super::auth_throttle::Guesser;
use super::auth_viewer::{check_whose, identify_person};
use super::body;
use super::form::{self, Form, Key, Limit, Whose};
use super::idempotency::{self, Once};
use super::rate_limits::{Counted, Gauge, Meter};
use crate::agents::keys;
use crate::app::App;
use crate::http::Answer;
use crate::http::response::codes::Code;
use crate::http::response::problem::Problem;
use crate::http::response::sanctions;
use crate::http::state::HttpState;
use crate::log::deed::{Deed, Outcome};
use crate::log::desk::Desk;
use crate::operators::{self, Operator};
use crate::refusal::Refusal;
use crate::roster::Agent;
use crate::telemetry::METRICS;
use crate::tokens::hash;

type Extracting<T> = Pin<Box<dyn Future<Output = Result<T, Problem>>>>;

/// Who is calling, as far as this instance knows without asking the database.
pub(in crate::http) enum Caller {
    Nobody,
    Known(Arc<Agent>),
    /// Has shown a key that may be good.
    Stranger(String),
}

/// Lets requests pass while there is a chat.
pub struct ChatOpen;

/// Anyone who reads, with or without a key; a wrong key is refused all the same.
pub struct Visitor(pub Option<Arc<Agent>>);

/// An agent, known by its key.
pub struct Painter(pub Arc<Agent>);

/// A body that was taken in.
pub struct Submission<F> {
    pub form: F,
    agent: Option<Arc<Agent>>,
    once: Option<Once>,
    desk: Option<Desk>,
}

impl FromRequest for ChatOpen {
    type Error = Problem;
    type Future = Ready<Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(app(request).and_then(|app| check_chat(app)).map(|()| Self))
    }
}

impl FromRequest for Visitor {
    type Error = Problem;
    type Future = Either<Ready<Result<Self, Problem>>, Extracting<Self>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let known = match recognize(request) {
            Ok(Caller::Nobody) => count(request, None).map(|()| None),
            Ok(Caller::Known(agent)) => count(request, Some(&agent)).map(|()| Some(agent)),
            Ok(Caller::Stranger(key)) => return Either::Right(Box::pin(admit(request.clone(), key))),
            Err(problem) => Err(problem),
        };
        Either::Left(ready(known.map(Self)))
    }
}

async fn admit(request: HttpRequest, key: String) -> Result<Visitor, Problem> {
    if key.starts_with(operators::keys::PREFIX) {
        let operator = look_up_operator(&request, &key).await?;
        return count_operator(&request, &operator).map(|()| Visitor(None));
    }
    let agent = look_up(&request, &key).await?;
    count(&request, Some(&agent)).map(|()| Visitor(Some(agent)))
}

impl FromRequest for Painter {
    type Error = Problem;
    type Future = Extracting<Self>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (request, mut payload) = (request.clone(), payload.take());
        Box::pin(async move {
            // A body that nobody asked for may not be too large either.
            body::take(&request, &mut payload).await?;
            let agent = identify(&request).await?.ok_or_else(key_missing)?;
            count(&request, Some(&agent))?;
            check_whose(Some(&agent), Whose::Agents)?;
            Ok(Self(agent))
        })
    }
}

impl<F: Form> FromRequest for Submission<F> {
    type Error = Problem;
    type Future = Extracting<Self>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        Box::pin(take(request.clone(), payload.take()))
    }
}

/// The order of checks, up to the fields.
async fn take<F: Form>(request: HttpRequest, mut payload: Payload) -> Result<Submission<F>, Problem> {
    let app = app(&request)?;
    if F::CHAT {
        check_chat(app)?;
    }
    if F::ROUTE.is_some() {
        check_room(app)?;
    }
    show_policy::<F>(&request, app);
    let raw = body::take(&request, &mut payload).await?;
    body::check_media_type(&request)?;
    let agent = match F::WHOSE {
        Whose::Agents => identify(&request).await?,
        Whose::Viewers | Whose::Both => Box::pin(identify_person(&request)).await?,
    };
    if F::KEY == Key::Needed && agent.is_none() {
        return Err(key_missing());
    }
    count(&request, agent.as_deref())?;
    if F::KEY == Key::Needed {
        check_whose(agent.as_deref(), F::WHOSE)?;
    }
    let once = match (&agent, F::ROUTE) {
        (Some(agent), Some(route)) => match idempotency::key_of(&request, agent.no, route)? {
            // Seldom sent, and large while it waits: every request would carry the room for it about.
            Some(key) => Some(Box::pin(Once::hold(door(&request)?, app, key, &raw)).await?),
            None => None,
        },
        _ => None,
    };
    let form = form::read(&raw)?;
    let desk = request.app_data::<Desk>().cloned();
    Ok(Submission { form, agent, once, desk })
}

impl<F> Submission<F> {
    /// Who sent it.
    ///
    /// # Errors
    /// `key_missing` where the form does not need a key and none was sent.
    pub fn agent(&self) -> Result<&Arc<Agent>, Problem> {
        self.caller().ok_or_else(key_missing)
    }

    /// Who sent it, if a key was sent.
    pub fn caller(&self) -> Option<&Arc<Agent>> {
        self.agent.as_ref()
    }

    /// The first success again, when this request has been answered before.
    pub fn replay(&self) -> Option<HttpResponse> {
        self.once.as_ref()?.stored().map(replayed)
    }

    /// Brings a deed through the gate.
    ///
    /// # Errors
    /// Why it was not done.
    pub async fn perform<D: Deed>(&self, app: &App, deed: D) -> Result<Outcome<D::Done>, Problem> {
        let (agent, repeatable) = (self.agent()?, self.once.as_ref().map(Once::repeatable));
        match app.log.perform(agent, repeatable, deed, self.desk.clone()).await {
            Ok(outcome) => Ok(outcome),
            // Seldom needed, and large while it waits.
            Err(refusal) => Err(Box::pin(sanctions::explained(app, agent, refusal.into())).await),
        }
    }
}

/// 201 with what was done, or with what was done before.
pub fn created<T: Serialize>(outcome: Outcome<T>) -> Answer {
    Ok(match outcome {
        Outcome::Fresh(done) => HttpResponse::Created().json(done),
        Outcome::Replayed(json) => replayed(json),
    })
}

fn replayed(json: Bytes) -> HttpResponse {
    METRICS.answers.replays.inc();
    HttpResponse::Created()
        .insert_header(("Idempotent-Replayed", "true"))
        .content_type("application/json")
        .body(json)
}

/// Tells the answer's limits what is left.
pub fn show(request: &HttpRequest, gauge: Gauge) {
    let mut extensions = request.extensions_mut();
    if extensions.get::<Meter>().is_none() {
        extensions.insert(Meter::default());
    }
    if let Some(meter) = extensions.get_mut::<Meter>() {
        meter.show(gauge);
    }
}

fn show_policy<F: Form>(request: &HttpRequest, app: &App) {
    match F::LIMIT {
        Limit::Charges => show(request, Gauge::charges(&app.log.game(), None)),
        Limit::Messages => show(request, Gauge::messages(app.log.game().message_interval(), None)),
        Limit::None => {}
    }
}

pub(in crate::http) fn app(request: &HttpRequest) -> Result<&Arc<App>, Problem> {
    shared(request)
}

pub(in crate::http) fn door(request: &HttpRequest) -> Result<&Arc<HttpState>, Problem> {
    shared(request)
}

/// Every route is mounted with what all share; should one ever not be, it is out of order, not a panic.
fn shared<T: 'static>(request: &HttpRequest) -> Result<&Arc<T>, Problem> {
    request.app_data::<Data<T>>().map(|data| &**data).ok_or_else(|| Refusal::Overloaded.into())
}

/// Refuses at once what could not be written in good time.
///
/// # Errors
/// `overloaded`.
pub fn check_room(app: &App) -> Result<(), Problem> {
    if app.log.is_overloaded() {
        METRICS.writer.overloads.inc();
        return Err(Refusal::Overloaded.into());
    }
    Ok(())
}

fn check_chat(app: &App) -> Result<(), Problem> {
    if app.log.game().chat_enabled {
        return Ok(());
    }
    Err(Refusal::ChatDisabled.into())
}

/// The refusal of who shows no key where one is needed.
pub fn key_missing() -> Problem {
    Problem::new(Code::KeyMissing, "No API key came with the request.")
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
    let agent = keys::known(&app(request)?.log, key.trim());
    Ok(agent.map_or_else(|| Caller::Stranger(key.trim().to_owned()), Caller::Known))
}

pub(in crate::http) async fn look_up(request: &HttpRequest, key: &str) -> Result<Arc<Agent>, Problem> {
    let app = app(request)?;
    guess(request, Guesser::Keys(address_of(request)?), keys::look_up(&app.log, key)).await
}

/// Returns the operator that a key belongs to, unless too many keys were guessed.
pub(in crate::http) async fn look_up_operator(request: &HttpRequest, key: &str) -> Result<Operator, Problem> {
    let app = app(request)?;
    let is_issued = app.operators.start_keys.is_issued(&app.log, key);
    let guesser = admit_secret(request, (key, is_issued), Guesser::Keys)?;
    guess(request, guesser, operators::keys::look_up(&app.log, key, is_issued)).await
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
