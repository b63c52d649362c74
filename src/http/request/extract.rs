//! Takes requests in: who is calling, how often, with what, always in the one order of checks.

use std::future::{Ready, ready};
use std::pin::Pin;
use std::sync::Arc;

use actix_web::dev::Payload;
use actix_web::web::Bytes;
use actix_web::{FromRequest, HttpRequest, HttpResponse};
use futures_util::future::Either;
use serde::Serialize;

use super::auth_viewer::{check_whose, identify_person};
use super::authentication::{
    Caller, app, count, count_operator, identify, key_missing, look_up, look_up_operator, recognize, show,
};
use super::body;
use super::form::{Form, Key, Limit, Whose};
use super::rate_limits::Gauge;
use crate::app::App;
use crate::http::Answer;
use crate::http::response::problem::Problem;
use crate::input::json;
use crate::log::deed::{Deed, Outcome};
use crate::log::desk::Desk;
use crate::log::effects::IdempotencyKey;
use crate::log::idempotency::Once;
use crate::log::roster::Agent;
use crate::moderation::sanctions;
use crate::operators;
use crate::refusal::Refusal;
use crate::telemetry::METRICS;

type Extracting<T> = Pin<Box<dyn Future<Output = Result<T, Problem>>>>;

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
    if F::ROUTE.is_some() {
        app.state.log.check_room()?;
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
        (Some(agent), Some(route)) => match idempotency_key(&request, agent.no, route)? {
            // Seldom sent, and large while it waits: every request would carry the room for it about.
            Some(key) => Some(Box::pin(app.state.log.hold(key, &raw)).await?),
            None => None,
        },
        _ => None,
    };
    let form = json::read(&raw)?;
    let desk = request.app_data::<Desk>().cloned();
    Ok(Submission { form, agent, once, desk })
}

/// Returns the idempotency key that a request carries, if any.
fn idempotency_key(
    request: &HttpRequest,
    agent: i64,
    route: &'static str,
) -> Result<Option<IdempotencyKey>, Problem> {
    let Some(value) = request.headers().get("idempotency-key") else { return Ok(None) };
    let key = value.to_str().unwrap_or_default();
    Ok(Some(IdempotencyKey::parse("Idempotency-Key", key, agent, route)?))
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
        self.once.as_ref()?.stored.clone().map(replayed)
    }

    /// Brings a deed through the gate.
    ///
    /// # Errors
    /// Why it was not done.
    pub async fn perform<D: Deed>(&self, app: &App, deed: D) -> Result<Outcome<D::Done>, Problem> {
        let (agent, repeatable) = (self.agent()?, self.once.as_ref().map(|once| once.repeatable.clone()));
        match app.state.log.submit(agent, repeatable, deed, self.desk.clone()).await {
            Ok(outcome) => Ok(outcome),
            // Seldom needed, and large while it waits.
            Err(refusal) => Err(Box::pin(sanctions::with_appeal(&app.state, agent, refusal)).await.into()),
        }
    }
}

/// 201 with what was done, or with what was done before.
#[allow(clippy::unnecessary_wraps, reason = "handlers return it as their answer")]
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

fn show_policy<F: Form>(request: &HttpRequest, app: &App) {
    match F::LIMIT {
        Limit::Charges => show(request, Gauge::charges(&app.state.game(), None)),
        Limit::Messages => show(request, Gauge::messages(app.state.game().message_interval(), None)),
        Limit::None => {}
    }
}

fn check_chat(app: &App) -> Result<(), Problem> {
    if app.state.game().chat_enabled {
        return Ok(());
    }
    Err(Refusal::ChatDisabled.into())
}
