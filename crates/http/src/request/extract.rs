//! Extractors: authenticate, count and parse requests, always in the same order of checks.

use std::borrow::Cow;
use std::future::{Ready, ready};
use std::pin::Pin;
use std::sync::Arc;

use actix_web::dev::Payload;
use actix_web::http::StatusCode;
use actix_web::web::Bytes;
use actix_web::{FromRequest, HttpRequest, HttpResponse};
use caraplace_accounts::agents::permissions;
use caraplace_accounts::operators;
use caraplace_companion::app::App;
use caraplace_log::batch_effects::IdempotencyKey;
use caraplace_log::command::{Command, CommandOutcome};
use caraplace_log::idempotency::IdempotentRequest;
use caraplace_log::identity::Identity;
use caraplace_log::reply_batcher::ReplyBatcher;
use futures_util::future::Either;
use platform::telemetry::METRICS;
use rules::numbers::AccountNo;
use serde::Serialize;

use super::app_data::app;
use super::auth_viewer::{
    ReadSession, authenticate_by_key_or_session, find_read_session, look_up_read_session,
};
use super::authentication::{
    Caller, authenticate_by_key, check_caller_kind, count_operator_request, count_request, key_missing,
    look_up_key, look_up_operator_key, recognize_caller, record_rate_limit,
};
use super::body::{self, read_json_request};
use super::known_params::check_known_params;
use super::rate_limit_headers::RateLimitState;
use super::request_body::{ActionLimit, AllowedCallers, KeyRequirement, RequestBody};
use crate::HandlerResult;
use crate::response::no_store::no_store_json;
use crate::response::problem::Problem;

type ExtractFuture<T> = Pin<Box<dyn Future<Output = Result<T, Problem>>>>;

/// Extractor that refuses requests while the chat is disabled.
pub struct ChatEnabled;

/// Extractor of an optional agent or viewer, by key or by a viewer's session, for public reads. A wrong key
/// is refused; a session that has ended is like none.
pub struct MaybeAuth(pub Option<Arc<Identity>>);

/// Extractor of an agent, by key.
pub struct AuthAgent(pub Arc<Identity>);

/// Extractor of a JSON body with its sender and idempotency key.
pub struct JsonBody<F> {
    pub fields: F,
    caller: Option<Arc<Identity>>,
    idempotency: Option<IdempotentRequest>,
    reply_batcher: Option<ReplyBatcher>,
}

impl FromRequest for ChatEnabled {
    type Error = Problem;
    type Future = Ready<Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(app(request).and_then(|app| Ok(app.state.game().check_chat()?)).map(|()| Self))
    }
}

impl FromRequest for MaybeAuth {
    type Error = Problem;
    type Future = Either<Ready<Result<Self, Problem>>, ExtractFuture<Self>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let caller = match recognize_caller(request) {
            Ok(Caller::Anonymous) => match find_read_session(request) {
                Ok(ReadSession::None) => count_request(request, None).map(|()| None),
                Ok(ReadSession::Known(viewer)) => {
                    count_request(request, Some(&viewer)).map(|()| Some(viewer))
                }
                Ok(ReadSession::Unknown(token)) => {
                    return Either::Right(Box::pin(authenticate_read_session(request.clone(), token)));
                }
                Err(problem) => Err(problem),
            },
            Ok(Caller::Known(agent)) => count_request(request, Some(&agent)).map(|()| Some(agent)),
            Ok(Caller::UnknownKey(key)) => {
                return Either::Right(Box::pin(authenticate_unknown_key(request.clone(), key)));
            }
            Err(problem) => Err(problem),
        };
        Either::Left(ready(caller.and_then(|caller| check_known_params(request).map(|()| Self(caller)))))
    }
}

async fn authenticate_read_session(request: HttpRequest, token: String) -> Result<MaybeAuth, Problem> {
    let viewer = look_up_read_session(&request, &token).await?;
    count_request(&request, viewer.as_deref())?;
    check_known_params(&request).map(|()| MaybeAuth(viewer))
}

async fn authenticate_unknown_key(request: HttpRequest, key: String) -> Result<MaybeAuth, Problem> {
    if key.starts_with(operators::keys::PREFIX) {
        let operator = look_up_operator_key(&request, &key).await?;
        count_operator_request(&request, &operator)?;
        return check_known_params(&request).map(|()| MaybeAuth(None));
    }
    let agent = look_up_key(&request, &key).await?;
    count_request(&request, Some(&agent))?;
    check_known_params(&request).map(|()| MaybeAuth(Some(agent)))
}

impl FromRequest for AuthAgent {
    type Error = Problem;
    type Future = ExtractFuture<Self>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let request = request.clone();
        let mut payload = payload.take();
        Box::pin(async move {
            // An unused body is read, too, so that its size is checked.
            body::read(&request, &mut payload).await?;
            let agent = authenticate_by_key(&request).await?.ok_or_else(key_missing)?;
            count_request(&request, Some(&agent))?;
            check_caller_kind(Some(&agent), AllowedCallers::Agents)?;
            check_known_params(&request)?;
            Ok(Self(agent))
        })
    }
}

impl<F: RequestBody> FromRequest for JsonBody<F> {
    type Error = Problem;
    type Future = ExtractFuture<Self>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        Box::pin(extract_json_body(request.clone(), payload.take()))
    }
}

/// Runs the checks in their order. The refusal of the body comes last.
async fn extract_json_body<F: RequestBody>(
    request: HttpRequest,
    mut payload: Payload,
) -> Result<JsonBody<F>, Problem> {
    let requirements = Requirements::of::<F>();
    let (raw, caller) = read_body(&request, &mut payload, &requirements).await?;
    let fields = read_json_request::<F>(&request, &raw);
    let is_dry_run = fields.as_ref().is_ok_and(F::is_dry_run);
    let idempotency = match (&caller, requirements.idempotent_route) {
        (Some(caller), Some(route)) if !is_dry_run => {
            claim_idempotency_key(&request, caller.no, route, &raw).await?
        }
        _ => None,
    };
    let reply_batcher = request.app_data::<ReplyBatcher>().cloned();
    Ok(JsonBody { fields: fields?, caller, idempotency, reply_batcher })
}

/// The requirements of a type of bodies. Functions that take them as a value are compiled once, not for each
/// type.
struct Requirements {
    idempotent_route: Option<&'static str>,
    key: KeyRequirement,
    limit: ActionLimit,
    callers: AllowedCallers,
}

impl Requirements {
    fn of<F: RequestBody>() -> Self {
        Self { idempotent_route: F::IDEMPOTENT_ROUTE, key: F::KEY, limit: F::LIMIT, callers: F::CALLERS }
    }
}

/// Reads a body and authenticates its sender, with all checks that come before the body is parsed.
async fn read_body(
    request: &HttpRequest,
    payload: &mut Payload,
    requirements: &Requirements,
) -> Result<(Bytes, Option<Arc<Identity>>), Problem> {
    let app = app(request)?;
    if requirements.idempotent_route.is_some() {
        app.state.log.check_queue_capacity()?;
    }
    record_policy(request, app, requirements.limit);
    let raw = body::read(request, payload).await?;
    body::check_is_json(request)?;
    let caller = match requirements.callers {
        AllowedCallers::Agents => authenticate_by_key(request).await?,
        AllowedCallers::Viewers | AllowedCallers::Both => {
            Box::pin(authenticate_by_key_or_session(request)).await?
        }
    };
    let needs_key = requirements.key == KeyRequirement::Required;
    if needs_key && caller.is_none() {
        return Err(key_missing());
    }
    count_request(request, caller.as_deref())?;
    if needs_key {
        check_caller_kind(caller.as_deref(), requirements.callers)?;
    }
    Ok((raw, caller))
}

/// Claims the idempotency key of a request, if it has one.
async fn claim_idempotency_key(
    request: &HttpRequest,
    agent: AccountNo,
    route: &'static str,
    body: &[u8],
) -> Result<Option<IdempotentRequest>, Problem> {
    let Some(key) = idempotency_key(request, agent, route)? else { return Ok(None) };
    let identified = identified_bytes(request, route, body);
    // Boxed, because the key is rarely sent and every request would reserve the future's size.
    Ok(Some(Box::pin(app(request)?.state.log.claim_idempotency_key(key, &identified)).await?))
}

/// Returns the bytes that must be the same if a request is repeated: the body, after the path if the route
/// has a parameter in it.
fn identified_bytes<'a>(request: &HttpRequest, route: &str, body: &'a [u8]) -> Cow<'a, [u8]> {
    if !route.contains('{') {
        return body.into();
    }
    [request.path().as_bytes(), b"\n", body].concat().into()
}

/// Returns the idempotency key of a request, if any.
fn idempotency_key(
    request: &HttpRequest,
    agent: AccountNo,
    route: &'static str,
) -> Result<Option<IdempotencyKey>, Problem> {
    let Some(value) = request.headers().get("idempotency-key") else { return Ok(None) };
    let key = value.to_str().unwrap_or_default();
    Ok(Some(IdempotencyKey::parse("Idempotency-Key", key, agent, route)?))
}

impl<F> JsonBody<F> {
    /// Returns the sender.
    ///
    /// # Errors
    /// `key_missing` if the body needs no key and none was sent.
    pub fn require_caller(&self) -> Result<&Arc<Identity>, Problem> {
        self.caller().ok_or_else(key_missing)
    }

    /// Returns the sender; `None` without a key.
    pub fn caller(&self) -> Option<&Arc<Identity>> {
        self.caller.as_ref()
    }

    /// Returns the stored response, with status 201, if this request is a repetition of a successful one.
    pub fn stored_response(&self) -> Option<HttpResponse> {
        self.stored_json().map(|json| replayed_response(StatusCode::CREATED, json))
    }

    /// Returns the JSON of the stored response if this request is a repetition of a successful one.
    pub fn stored_json(&self) -> Option<Bytes> {
        self.idempotency.as_ref()?.stored_response.clone()
    }

    /// Submits a command to the writer.
    pub async fn submit_command<C: Command>(
        &self,
        app: &App,
        command: C,
    ) -> Result<CommandOutcome<C::Output>, Problem> {
        let account = self.require_caller()?;
        let repeatable = self.idempotency.as_ref().map(|once| once.repeatable.clone());
        match app.state.log.submit(account, repeatable, command, self.reply_batcher.clone()).await {
            Ok(outcome) => Ok(outcome),
            // Boxed, because refusals are rare and the future is large.
            Err(refusal) => {
                Err(Box::pin(permissions::with_appeal(&app.state, account, refusal)).await.into())
            }
        }
    }
}

/// Responds with 201 and the result of a command, or with the stored response of its first success.
#[allow(clippy::unnecessary_wraps, reason = "handlers return this type")]
pub fn created_response<T: Serialize>(outcome: CommandOutcome<T>) -> HandlerResult {
    Ok(match outcome {
        CommandOutcome::Executed(output) => HttpResponse::Created().json(output),
        CommandOutcome::Replayed(json) => replayed_response(StatusCode::CREATED, json),
    })
}

/// Responds with 200 and the result of a command that creates nothing.
#[allow(clippy::unnecessary_wraps, reason = "handlers return this type")]
pub fn ok_response<T: Serialize>(outcome: CommandOutcome<T>) -> HandlerResult {
    Ok(match outcome {
        CommandOutcome::Executed(output) => no_store_json(output),
        CommandOutcome::Replayed(json) => replayed_response(StatusCode::OK, json),
    })
}

/// Responds with the stored JSON of the first success.
pub fn replayed_response(status: StatusCode, json: Bytes) -> HttpResponse {
    METRICS.requests.replays.inc();
    HttpResponse::build(status)
        .insert_header(("Idempotent-Replayed", "true"))
        .content_type("application/json")
        .body(json)
}

fn record_policy(request: &HttpRequest, app: &App, limit: ActionLimit) {
    match limit {
        ActionLimit::Charges => record_rate_limit(request, RateLimitState::charges(&app.state.game(), None)),
        ActionLimit::Messages => {
            record_rate_limit(request, RateLimitState::messages(app.state.game().message_interval(), None));
        }
        ActionLimit::None => {}
    }
}
