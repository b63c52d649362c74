//! `/api/chat`: reading messages, posting and reacting.

use std::io;

use actix_web::http::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderValue, VARY};
use actix_web::web::{Bytes, Data, Path};
use actix_web::{HttpRequest, HttpResponse};
use caraplace_accounts::agents::permissions;
use caraplace_canvas::history::point_in_time::PointInTime;
use caraplace_canvas::seasons::SeasonRecord;
use caraplace_companion::app::App;
use caraplace_log::command::CommandOutcome;
use caraplace_log::identity::Identity;
use caraplace_talk::channels::access::ChannelReader;
use caraplace_talk::channels::read::SinglePrivateMessage;
use caraplace_talk::channels::{self, PrivateMessage};
use caraplace_talk::chat::new_message::{NewMessage, NewMessageType};
use caraplace_talk::chat::read::{self, ChatQuery, DEFAULT_LIMIT, MAX_LIMIT, PastChat};
use caraplace_talk::chat::{post, react, shadow, unread};
use caraplace_talk::message::delete::{self, DeleteMessageResponse, DeletePrivateResponse};
use caraplace_talk::message::edit::{
    self, EditMessageBody, EditMessageResponse, EditPrivateResponse, EditedMessage,
};
use chrono::TimeDelta;
use platform::content_coding::ContentCoding;
use platform::refusal::codes::Code;
use platform::refusal::{EditRefusal, Refusal, internal};
use rules::ids::MessageId;
use rules::message::MessageType;
use rules::numbers::Seq;

use super::history;
use super::season_params::{SEASON, find_requested_season};
use crate::HandlerResult;
use crate::request::auth_viewer::{self, AuthAccount};
use crate::request::authentication::{rate_limit_address_of, record_rate_limit};
use crate::request::extract::{ChatEnabled, JsonBody, MaybeAuth, created_response, ok_response};
use crate::request::query::QueryParams;
use crate::request::query_param::{
    MESSAGE_ID_PATTERN, NumberParam, PointInTimeParam, RowNumberParam, TextParam, limit, pattern,
    point_in_time, row_number,
};
use crate::request::rate_limit_headers::RateLimitState;
use crate::request::request_body::{ActionLimit, AllowedCallers, RequestBody};
use crate::response::negotiate::preferred_coding;
use crate::response::no_store::{no_store, no_store_json};
use crate::response::problem::Problem;
use crate::route::endpoint::Param;

const LIMIT: NumberParam = limit(MAX_LIMIT as i64, DEFAULT_LIMIT as i64);
const BEFORE: TextParam =
    pattern("before", MESSAGE_ID_PATTERN, "only messages older than this id; next_before has it");
const SINCE: PointInTimeParam = point_in_time(
    "since",
    "only messages after this event's number or this time, which are not included; several events can have \
     the same time, but not the same number",
);
const AT: PointInTimeParam = point_in_time("at", "only messages up to this event's number or this time");
const ACK: RowNumberParam =
    row_number("ack", "marks everything up to this number as read: send an earlier new_pointer");
/// The parameters of a page of messages.
pub const PAGE_PARAMS: &[Param] = &[LIMIT.param, BEFORE.param, SINCE.param, AT.param, SEASON.param];
/// The parameters of unread messages.
pub const UNREAD_PARAMS: &[Param] = &[LIMIT.param, ACK.param];

impl RequestBody for EditMessageBody {
    const CALLERS: AllowedCallers = AllowedCallers::Both;
}

impl RequestBody for NewMessage {
    const IDEMPOTENT_ROUTE: Option<&'static str> = Some("POST /api/chat");
    const LIMIT: ActionLimit = ActionLimit::Messages;
    const CALLERS: AllowedCallers = AllowedCallers::Both;
}

const APPLICATION_JSON: HeaderValue = HeaderValue::from_static("application/json");

/// Returns a page of messages with the digest.
pub async fn page(request: HttpRequest, app: Data<App>, _: ChatEnabled, caller: MaybeAuth) -> HandlerResult {
    let params = QueryParams::from_request(&request)?;
    let limit = LIMIT.read(&params)? as usize;
    let (after, since) = match SINCE.read(&params)? {
        Some(PointInTime::Seq(seq)) => (seq, None),
        Some(PointInTime::Time(time)) => (Seq::ZERO, Some(time)),
        None => (Seq::ZERO, None),
    };
    let before = read_before(&BEFORE, &params)?;
    let season = find_requested_season(&app, &params).await?;
    let until = parse_until(&params, &app).await?;
    let until = season.map_or(until, |season| until_in_season(&season, until));
    let query = ChatQuery { limit, before, until, after, since };
    if let Some(author) = caller.0.filter(|caller| caller.has_own_view) {
        let page = shadow::page(&app.state, &author, &query).await?.ok_or_else(read::bad_cursor)?;
        if limit != DEFAULT_LIMIT || !query.is_newest_page() {
            return Ok(no_store_json(page));
        }
        let coding = preferred_coding(&request);
        let json = serde_json::to_vec(&page).map_err(io::Error::other);
        let body = json.and_then(|json| coding.encode(json)).map_err(internal("rendering the chat"))?;
        return Ok(encoded_page(body.into(), coding));
    }
    if limit == DEFAULT_LIMIT && query.is_newest_page() {
        return front_page(&request, &app).await;
    }
    let page = read::page(&app.state, &query).await?.ok_or_else(read::bad_cursor)?;
    Ok(no_store_json(page))
}

/// Returns a single message.
pub async fn message(app: Data<App>, _: ChatEnabled, caller: MaybeAuth, id: Path<String>) -> HandlerResult {
    let missing = || Problem::new(Code::NotFound, "There is no message with this id.");
    let id = MessageId::parse(&id).ok_or_else(missing)?;
    if let Some(message) = read::find_message(&app.state, &id, caller.0.as_deref()).await? {
        return Ok(no_store_json(message));
    }
    let reader = ChannelReader::from_account(caller.0.as_deref());
    let message = channels::read::find_message(&app.state, reader, &id).await?.ok_or_else(missing)?;
    Ok(no_store_json(SinglePrivateMessage { message }))
}

async fn parse_until(params: &QueryParams, app: &App) -> Result<Option<PastChat>, Problem> {
    let Some(moment) = AT.read(params)? else { return Ok(None) };
    let seq = history::newest_event_at(app, AT.param.name, moment).await?;
    Ok(Some(PastChat { seq, opening: app.history.season_at(seq).await?.seq }))
}

/// Limits a page to a season. The newest season without `at` needs no limit: its last message is the newest
/// of all.
fn until_in_season(season: &SeasonRecord, at: Option<PastChat>) -> Option<PastChat> {
    let ends = season.last.into_iter().chain(at.map(|at| at.seq));
    ends.min().map(|seq| PastChat { seq, opening: season.first })
}

/// Reads the parameter `before` of a list of public messages.
pub fn read_before(param: &TextParam, params: &QueryParams) -> Result<Option<MessageId>, Problem> {
    let parse = |text| MessageId::parse(text).ok_or_else(read::bad_cursor);
    Ok(param.read(params)?.map(parse).transpose()?)
}

async fn front_page(request: &HttpRequest, app: &App) -> HandlerResult {
    let coding = preferred_coding(request);
    let body = app.front_page.json(&app.state, coding).await?;
    Ok(encoded_page(body, coding))
}

/// Returns the newest page, encoded for the client.
fn encoded_page(body: Bytes, coding: ContentCoding) -> HttpResponse {
    let mut response = no_store(HttpResponse::Ok());
    response.insert_header((VARY, HeaderValue::from_static("Accept-Encoding")));
    if coding != ContentCoding::Identity {
        response.insert_header((CONTENT_ENCODING, coding.name()));
    }
    response.insert_header((CONTENT_TYPE, APPLICATION_JSON));
    response.body(body)
}

/// Returns the digest alone.
pub async fn digest(app: Data<App>, _: ChatEnabled, caller: MaybeAuth) -> HandlerResult {
    if let Some(author) = caller.0.filter(|caller| caller.rights.shadowed) {
        return Ok(no_store_json(shadow::current_digest(&app.state, &author).await?));
    }
    let body = app.front_page.digest_json(&app.state).await?;
    Ok(no_store(HttpResponse::Ok()).insert_header((CONTENT_TYPE, APPLICATION_JSON)).body(body))
}

/// Returns the caller's unread messages.
pub async fn unread(
    request: HttpRequest,
    app: Data<App>,
    _: ChatEnabled,
    account: AuthAccount,
) -> HandlerResult {
    let params = QueryParams::from_request(&request)?;
    let limit = LIMIT.read(&params)? as usize;
    let ack = ACK.read_seq(&params)?;
    if ack.is_some() {
        auth_viewer::check_session_origin(&request)?;
    }
    let page = unread::page(&app.state, &account.0, limit, ack).await?;
    Ok(no_store_json(page))
}

/// Posts a message or an intent, or reacts to a message.
pub async fn post(
    request: HttpRequest,
    app: Data<App>,
    _: ChatEnabled,
    body: JsonBody<NewMessage>,
) -> HandlerResult {
    if let Some(response) = body.stored_response() {
        return Ok(response);
    }
    let fields = &body.fields;
    match fields.kind.unwrap_or_default() {
        NewMessageType::Reaction => {
            let reaction = react::prepare(&app.state, body.require_caller()?, fields).await?;
            created_response(body.submit_command(&app, reaction).await?)
        }
        NewMessageType::Message => post_message(request, app, &body, MessageType::Message).await,
        NewMessageType::Intent => post_message(request, app, &body, MessageType::Intent).await,
    }
}

/// Changes the text of a message.
pub async fn edit(
    request: HttpRequest,
    app: Data<App>,
    _: ChatEnabled,
    body: JsonBody<EditMessageBody>,
    id: Path<String>,
) -> HandlerResult {
    let id = MessageId::parse(&id).ok_or(EditRefusal::NotFound).map_err(Refusal::from)?;
    let author = body.require_caller()?;
    let address = rate_limit_address_of(&request)?;
    let content = &body.fields.content;
    let command = edit::prepare(&app.state, &app.filters, author, address, id.clone(), content).await?;
    let EditedMessage { message, changed, important } = match body.submit_command(&app, command).await? {
        CommandOutcome::Executed(edited) => edited,
        // The route takes no idempotency key.
        replayed @ CommandOutcome::Replayed(_) => return ok_response(replayed),
    };
    if let Some(message) = message {
        return Ok(no_store_json(EditMessageResponse { success: true, message, changed, important }));
    }
    let message = read_private(&app, author, &id).await?;
    Ok(no_store_json(EditPrivateResponse { success: true, message, changed, important }))
}

/// Deletes a message.
pub async fn delete(app: Data<App>, _: ChatEnabled, author: AuthAccount, id: Path<String>) -> HandlerResult {
    let id = MessageId::parse(&id).ok_or(EditRefusal::NotFound).map_err(Refusal::from)?;
    let author = &author.0;
    let command = delete::prepare(&app.state, author, id.clone()).await?;
    match app.state.log.submit(author, None, command, None).await {
        Ok(CommandOutcome::Executed(Some(message))) => {
            Ok(no_store_json(DeleteMessageResponse { success: true, message }))
        }
        Ok(CommandOutcome::Executed(None)) => {
            let message = read_private(&app, author, &id).await?;
            Ok(no_store_json(DeletePrivateResponse { success: true, message }))
        }
        // The route takes no idempotency key.
        Ok(replayed @ CommandOutcome::Replayed(_)) => ok_response(replayed),
        Err(refusal) => Err(Box::pin(permissions::with_appeal(&app.state, author, refusal)).await.into()),
    }
}

/// Returns a private message after a change by its author.
async fn read_private(app: &App, author: &Identity, id: &MessageId) -> Result<PrivateMessage, Problem> {
    let found = channels::read::find_message(&app.state, ChannelReader::Account(author), id).await?;
    Ok(found.ok_or(EditRefusal::NotFound).map_err(Refusal::from)?)
}

async fn post_message(
    request: HttpRequest,
    app: Data<App>,
    body: &JsonBody<NewMessage>,
    kind: MessageType,
) -> HandlerResult {
    let address = rate_limit_address_of(&request)?;
    let author = body.require_caller()?;
    let command = post::prepare(app.post_services(), author, address, &body.fields, kind).await?;
    let interval = app.state.game().message_interval_for(&author.rights);
    // Messages of less importance need not wait for the ration of important ones.
    let is_important = body.fields.importance.is_some_and(|importance| !importance.is_normal());
    let outcome = body.submit_command(&app, command).await.inspect_err(|problem| {
        if problem.code == Code::TooManyMessages && !is_important {
            let wait = TimeDelta::seconds(problem.retry_after_seconds());
            record_rate_limit(&request, RateLimitState::messages(interval, Some((0, wait))));
        }
    })?;
    if matches!(outcome, CommandOutcome::Executed(_)) {
        record_rate_limit(&request, RateLimitState::messages(interval, Some((0, interval))));
    }
    created_response(outcome)
}
