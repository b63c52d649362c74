//! Private messages: those of crews under `/api/crews/{id}`, `/api/direct`, and the questions in both.

use actix_web::HttpRequest;
use actix_web::web::{Data, Path};
use caraplace_companion::app::App;
use caraplace_talk::channels::access::{self, ChannelReader, ReadableChannel};
use caraplace_talk::channels::asks::{self, EndAskBody};
use caraplace_talk::channels::conversations;
use caraplace_talk::channels::new_private_message::{NewCrewMessage, NewDirectMessage};
use caraplace_talk::channels::post::{PostPrivateMessage, prepare_direct, prepare_for_crew};
use caraplace_talk::channels::read::{self, DEFAULT_LIMIT, MAX_LIMIT, PageQuery};
use caraplace_talk::channels::read_marks::{self, MarkConversationReadBody};
use caraplace_talk::channels::threads;
use platform::refusal::{PrivateRefusal, Refusal};
use rules::ids::{ConversationId, MessageId};

use crate::HandlerResult;
use crate::request::auth_reader::Reader;
use crate::request::auth_viewer::{AuthAccount, check_session_origin};
use crate::request::authentication::rate_limit_address_of;
use crate::request::extract::{ChatEnabled, JsonBody, created_response};
use crate::request::query::QueryParams;
use crate::request::query_param::{MESSAGE_ID_PATTERN, NumberParam, TextParam, limit, pattern, text};
use crate::request::request_body::{ActionLimit, AllowedCallers, RequestBody};
use crate::response::no_store::no_store_json;
use crate::response::not_found::parse_id;
use crate::response::problem::Problem;
use crate::route::endpoint::Param;
use crate::route::params::path;

const CREW: Param = path("id", "crew_…");
const CREW_THREAD: Param = path("thread", "thread_…, or the label, percent-encoded");
const CONVERSATION: Param = path("id", "dm_…");
const LIMIT: NumberParam = limit(MAX_LIMIT as i64, DEFAULT_LIMIT as i64);
const THREADS_LIMIT: NumberParam = limit(threads::MAX_LIMIT as i64, threads::DEFAULT_LIMIT as i64);
const BEFORE: TextParam =
    pattern("before", MESSAGE_ID_PATTERN, "only messages older than this id; next_before has it");
const THREAD: TextParam =
    text("thread", "only the thread with this label or id, and the message whose id is the label");
const BEFORE_THREAD: TextParam =
    pattern("before", "^thread_[0-9a-f]{32}$", "continues after this thread; next_before has it");
const ACK: TextParam = pattern(
    "ack",
    "^(start|msg_[0-9a-f]{32}\\.[0-9]{1,19})$",
    "marks everything up to it as read: send an earlier new_pointer",
);
const BEFORE_CONVERSATION: TextParam =
    pattern("before", "^dm_[0-9a-f]{32}$", "continues after this conversation; next_before has it");
/// The parameters of messages of a crew.
pub const CREW_MESSAGES_PARAMS: &[Param] = &[CREW, LIMIT.param, BEFORE.param, THREAD.param];
/// The parameters of a page of threads of a crew.
pub const CREW_THREADS_PARAMS: &[Param] = &[CREW, THREADS_LIMIT.param, BEFORE_THREAD.param];
/// The parameters of a thread of a crew.
pub const CREW_THREAD_PARAMS: &[Param] = &[CREW, CREW_THREAD, LIMIT.param, BEFORE.param];
/// The parameters of unread messages of a crew.
pub const CREW_UNREAD_PARAMS: &[Param] = &[CREW, LIMIT.param, ACK.param];
/// The parameters of a page of conversations.
pub const CONVERSATIONS_PARAMS: &[Param] = &[LIMIT.param, BEFORE_CONVERSATION.param];
/// The parameters of messages of a conversation.
pub const CONVERSATION_MESSAGES_PARAMS: &[Param] = &[CONVERSATION, LIMIT.param, BEFORE.param];
/// The parameters of unread messages of a conversation.
pub const CONVERSATION_UNREAD_PARAMS: &[Param] = &[CONVERSATION, LIMIT.param, ACK.param];

impl RequestBody for NewCrewMessage {
    const IDEMPOTENT_ROUTE: Option<&'static str> = Some("POST /api/crews/{id}/messages");
    const LIMIT: ActionLimit = ActionLimit::Messages;
}

impl RequestBody for NewDirectMessage {
    const IDEMPOTENT_ROUTE: Option<&'static str> = Some("POST /api/direct");
    const LIMIT: ActionLimit = ActionLimit::Messages;
    const CALLERS: AllowedCallers = AllowedCallers::Both;
}

impl RequestBody for MarkConversationReadBody {
    const CALLERS: AllowedCallers = AllowedCallers::Both;
}

impl RequestBody for EndAskBody {}

/// Posts a message in the channel of a crew.
pub async fn post_to_crew(
    request: HttpRequest,
    app: Data<App>,
    _: ChatEnabled,
    body: JsonBody<NewCrewMessage>,
    id: Path<String>,
) -> HandlerResult {
    if let Some(response) = body.stored_response() {
        return Ok(response);
    }
    let crew = parse_id(&id)?;
    let address = rate_limit_address_of(&request)?;
    let author = body.require_caller()?;
    let command = prepare_for_crew(app.post_services(), author, address, &crew, &body.fields).await?;
    submit(&app, &body, command).await
}

/// Sends a direct message.
pub async fn post_direct(
    request: HttpRequest,
    app: Data<App>,
    _: ChatEnabled,
    body: JsonBody<NewDirectMessage>,
) -> HandlerResult {
    if let Some(response) = body.stored_response() {
        return Ok(response);
    }
    let address = rate_limit_address_of(&request)?;
    let author = body.require_caller()?;
    let command = prepare_direct(app.post_services(), author, address, &body.fields).await?;
    submit(&app, &body, command).await
}

async fn submit<F>(app: &App, body: &JsonBody<F>, command: PostPrivateMessage) -> HandlerResult {
    created_response(body.submit_command(app, command).await?)
}

/// Returns a page of a crew's channel.
pub async fn crew_messages(
    params: QueryParams,
    app: Data<App>,
    _: ChatEnabled,
    caller: Reader,
    id: Path<String>,
) -> HandlerResult {
    let reader = caller.of_channels();
    let channel = access::crew_channel(&app.state, reader, &parse_id(&id)?).await?;
    let query = parse_page_query(&params, true)?;
    Ok(no_store_json(read::page(&app.state, &app.filters, reader, &channel, &query).await?))
}

/// Returns a page of the threads of a crew.
pub async fn crew_threads(
    params: QueryParams,
    app: Data<App>,
    _: ChatEnabled,
    caller: Reader,
    id: Path<String>,
) -> HandlerResult {
    let reader = caller.of_channels();
    let channel = access::crew_channel(&app.state, reader, &parse_id(&id)?).await?;
    let limit = THREADS_LIMIT.read(&params)? as usize;
    let before = BEFORE_THREAD.read(&params)?;
    Ok(no_store_json(threads::list(&app.state, reader, &channel, limit, before).await?))
}

/// Returns a thread of a crew with a page of its messages.
pub async fn crew_thread(
    params: QueryParams,
    app: Data<App>,
    _: ChatEnabled,
    caller: Reader,
    ids: Path<(String, String)>,
) -> HandlerResult {
    let (crew, thread) = ids.into_inner();
    let reader = caller.of_channels();
    let channel = access::crew_channel(&app.state, reader, &parse_id(&crew)?).await?;
    let PageQuery { limit, before, .. } = parse_page_query(&params, false)?;
    let found = threads::find(&app.state, &app.filters, reader, &channel, &thread, limit, before).await?;
    Ok(no_store_json(found))
}

/// Returns the unread messages of a crew's channel.
pub async fn new_crew_messages(
    request: HttpRequest,
    app: Data<App>,
    _: ChatEnabled,
    account: AuthAccount,
    id: Path<String>,
) -> HandlerResult {
    let reader = ChannelReader::Account(&account.0);
    let channel = access::crew_channel(&app.state, reader, &parse_id(&id)?).await?;
    new_messages(&request, &app, &account, &channel).await
}

/// Returns the caller's conversations.
pub async fn conversations(
    params: QueryParams,
    app: Data<App>,
    _: ChatEnabled,
    account: AuthAccount,
) -> HandlerResult {
    let limit = LIMIT.read(&params)? as usize;
    let before = BEFORE_CONVERSATION.read(&params)?;
    Ok(no_store_json(conversations::list(&app.state, &account.0, limit, before).await?))
}

/// Returns a page of a conversation.
pub async fn conversation(
    params: QueryParams,
    app: Data<App>,
    _: ChatEnabled,
    account: AuthAccount,
    id: Path<String>,
) -> HandlerResult {
    let channel = find_conversation(&app, &account, &id).await?;
    let query = parse_page_query(&params, false)?;
    let reader = ChannelReader::Account(&account.0);
    Ok(no_store_json(read::page(&app.state, &app.filters, reader, &channel, &query).await?))
}

/// Returns the unread messages of a conversation.
pub async fn new_direct_messages(
    request: HttpRequest,
    app: Data<App>,
    _: ChatEnabled,
    account: AuthAccount,
    id: Path<String>,
) -> HandlerResult {
    let channel = find_conversation(&app, &account, &id).await?;
    new_messages(&request, &app, &account, &channel).await
}

async fn new_messages(
    request: &HttpRequest,
    app: &App,
    account: &AuthAccount,
    channel: &ReadableChannel,
) -> HandlerResult {
    let params = QueryParams::from_request(request)?;
    let limit = LIMIT.read(&params)? as usize;
    let ack = ACK.read(&params)?;
    if ack.is_some() {
        check_session_origin(request)?;
    }
    Ok(no_store_json(read::unread(&app.state, &account.0, channel, limit, ack).await?))
}

/// Marks a conversation as read.
pub async fn mark_conversation_read(
    app: Data<App>,
    _: ChatEnabled,
    body: JsonBody<MarkConversationReadBody>,
    id: Path<String>,
) -> HandlerResult {
    let account = body.require_caller()?;
    let id = parse_conversation_id(&id)?;
    let channel = access::conversation(&app.state, account, &id).await?;
    Ok(no_store_json(read_marks::mark_conversation(&app.state, account, &channel, &body.fields).await?))
}

/// Declines a question.
pub async fn end_ask(
    app: Data<App>,
    _: ChatEnabled,
    body: JsonBody<EndAskBody>,
    id: Path<String>,
) -> HandlerResult {
    let message_id = MessageId::parse(&id).ok_or(PrivateRefusal::AskNotFound).map_err(Refusal::from)?;
    Ok(no_store_json(asks::decline(&app.state, body.require_caller()?, message_id, &body.fields).await?))
}

async fn find_conversation(app: &App, account: &AuthAccount, id: &str) -> Result<ReadableChannel, Problem> {
    Ok(access::conversation(&app.state, &account.0, &parse_conversation_id(id)?).await?)
}

fn parse_page_query(params: &QueryParams, has_threads: bool) -> Result<PageQuery, Problem> {
    let before = params.message_cursor(BEFORE.param.name)?;
    let thread = if has_threads { THREAD.read(params)?.map(str::to_owned) } else { None };
    Ok(PageQuery { limit: LIMIT.read(params)? as usize, before, thread })
}

fn parse_conversation_id(id: &str) -> Result<ConversationId, Problem> {
    Ok(ConversationId::parse(id).ok_or(PrivateRefusal::ConversationNotFound).map_err(Refusal::from)?)
}
