//! `/mcp`: the API for clients of the Model Context Protocol, over Streamable HTTP without sessions.
#![allow(clippy::doc_markdown, reason = "tool schemas contain these comments verbatim")]

mod call_head;
mod caller;
mod handler;
mod host_guard;
mod prompts;
mod resources;
mod tool_refusal;
mod tools;
mod unauthorized;
mod unique_keys;
mod waiting;

use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use actix_web::http::StatusCode;
use actix_web::web::{Bytes, Data, Payload};
use actix_web::{HttpMessage as _, HttpRequest, HttpResponse};
use caraplace_companion::app::App;
use caraplace_companion::tools::call::ToolCaller;
use caraplace_http::HandlerResult;
use caraplace_http::request::authentication::{check_caller_kind, count_request};
use caraplace_http::request::request_body::AllowedCallers;
use caraplace_http::request::request_id::RequestId;
use caraplace_http::request::work_account::new_work_caller;
use caraplace_http::request::{address, body};
use caraplace_http::response::negotiate::accepts;
use caraplace_http::response::problem::Problem;
use caraplace_http::state::HttpState;
use caraplace_log::reply_batcher::ReplyBatcher;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full};
use platform::concurrency::join;
use platform::input::json::without_byte_order_mark;
use platform::refusal::codes::Code;
use platform::refusal::internal;
use platform::work_shares::{ShareLimits, WorkCaller, WorkShares};
use rmcp::model::ErrorCode;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};
use tokio::runtime::Handle;
use tokio::sync::Notify;
use tokio::task::spawn_blocking;
use utoipa::ToSchema;

use super::docs::agent_docs::Documents;
use handler::McpHandler;
use host_guard::HostGuard;

type McpRequest = http::Request<Full<Bytes>>;
type McpResponse = http::Response<BoxBody<Bytes, Infallible>>;

/// The largest message that is parsed on the event loop, in bytes.
const MAX_INLINE_BYTES: usize = 16 * 1024;
/// The largest error response of the library, in bytes.
const MAX_ERROR_BYTES: usize = 512;
/// The number of larger messages that are handled at a time, on blocking threads.
const MAX_LARGE_MESSAGES: usize = 4;
/// The limits of larger messages.
const LARGE_MESSAGE_LIMITS: ShareLimits =
    ShareLimits { permits: MAX_LARGE_MESSAGES, max_waiting: 64, timeout: Duration::from_secs(5) };
/// The methods that need params.
const METHODS_WITH_PARAMS: [&str; 4] = ["initialize", "tools/call", "resources/read", "prompts/get"];
const JSON: &str = "application/json";
/// The format for clients that accept no JSON: they receive the message as the only event of a stream.
const EVENT_STREAM: &str = "text/event-stream";
/// The `Accept` header for the library, which requires both formats. Its response is always JSON.
const ACCEPT_VALUE: &str = "application/json, text/event-stream";

/// The MCP service with its guard.
pub struct Mcp {
    host_guard: HostGuard,
    service: StreamableHttpService<McpHandler, NeverSessionManager>,
    /// The shares of large messages. Each blocks a thread, and its tool call needs other threads.
    large_messages: Arc<WorkShares>,
}

impl Mcp {
    /// Returns the MCP service with the shared state of the server.
    pub fn new(app: Arc<App>, http_state: Arc<HttpState>, documents: Arc<Documents>) -> Self {
        let host_guard = HostGuard::new(&http_state.base_url, http_state.listen_address);
        let handler = McpHandler::new(app, http_state, documents);
        // We check host, origin and length before the key, so before the library sees the request.
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .with_max_request_body_bytes(body::MAX_BODY_BYTES)
            .disable_allowed_hosts();
        let service = StreamableHttpService::new(move || Ok(handler.clone()), Arc::default(), config);
        Self { host_guard, service, large_messages: WorkShares::new(LARGE_MESSAGE_LIMITS) }
    }
}

/// The sender of a message.
struct MessageSender {
    caller: Arc<ToolCaller>,
    /// The refusal for every tool call of this message, if any.
    refusal: Option<Problem>,
    request_id: Arc<str>,
}

/// A JSON-RPC message of the Model Context Protocol.
#[derive(Deserialize, ToSchema)]
pub struct McpMessage {
    /// The method, such as `initialize` or `tools/call`; the message also has `jsonrpc`, `id` and `params`.
    pub method: String,
}

/// `POST /mcp`: handles a message of a client.
pub async fn handle_message(
    request: HttpRequest,
    payload: Payload,
    app: Data<App>,
    http_state: Data<HttpState>,
    mcp: Data<Mcp>,
) -> HandlerResult {
    let page = mcp.host_guard.check(&request)?;
    let body = body::read(&request, &mut payload.into_inner()).await?;
    let body = body.slice_ref(without_byte_order_mark(&body));
    body::check_is_json(&request)?;
    if !accepts(&request, JSON) && !accepts(&request, EVENT_STREAM) {
        let detail = "This endpoint returns application/json, or text/event-stream.";
        return Err(Problem::new(Code::NotAcceptable, detail));
    }
    let (body, head) = call_head::take(body);
    let call = head.call();
    let agent = match caller::authenticate(&request, &app, &http_state.base_url, call).await {
        Err(problem) if problem.code.info().status == 401 => {
            return Ok(unauthorized::respond(problem, &body));
        }
        authenticated => authenticated?,
    };
    let checked = caller::check_scope(&app, agent.as_deref(), call)
        .and_then(|()| count_request(&request, agent.as_deref()))
        .and_then(|()| check_caller_kind(agent.as_deref(), AllowedCallers::Agents))
        .and_then(|()| caller::check_single_key(&request, call))
        .and_then(|()| head.check())
        .and_then(|()| caller::check_page(&app, page, call));
    let refusal = match checked {
        // Models see the results of tools, but not the status of the HTTP response.
        Err(problem) if call.is_some() => Some(problem),
        result => result.map(|()| None)?,
    };
    let address = address::rate_limit_address(&request, &http_state.trusted_proxies);
    let reply_batcher = request.app_data::<ReplyBatcher>().cloned();
    let is_large_message = body.len() > MAX_INLINE_BYTES;
    let disconnected = Arc::<Notify>::default();
    let work = new_work_caller(&http_state, address, agent.as_deref());
    let caller = Arc::new(ToolCaller {
        agent,
        work,
        guide: None,
        address,
        reply_batcher,
        disconnected: disconnected.clone(),
        is_large_message,
    });
    let request_id = request.extensions().get::<RequestId>().map(|id| id.0.clone()).unwrap_or_default();
    let may_wait = call.is_some_and(|call| call.tool == waiting::TOOL_NAME);
    let sender = MessageSender { caller, refusal, request_id };
    let response = forward_message(&mcp, &request, body, sender);
    if may_wait { waiting::answer(&request, response, &disconnected).await } else { response.await }
}

fn method(body: &[u8]) -> Option<String> {
    serde_json::from_slice(body).ok().map(|message: McpMessage| message.method)
}

async fn forward_message(
    mcp: &Mcp,
    request: &HttpRequest,
    body: Bytes,
    sender: MessageSender,
) -> HandlerResult {
    let address = sender.caller.address;
    let mcp_request =
        to_mcp_request(request, body.clone(), sender).map_err(internal("passing on an MCP message"))?;
    let mcp_response = match body.len() {
        // Boxed, because the future is large.
        ..=MAX_INLINE_BYTES => Box::pin(mcp.service.handle(mcp_request)).await,
        _ => handle_large_message(mcp, address, mcp_request).await?,
    };
    let is_json = mcp_response.headers().get(http::header::CONTENT_TYPE).is_some_and(|kind| kind == JSON);
    if mcp_response.status().is_client_error() && !is_json {
        return Err(protocol_problem(mcp_response.status(), &body_text(mcp_response).await, &body));
    }
    let status = StatusCode::from_u16(mcp_response.status().as_u16()).unwrap_or(StatusCode::OK);
    let mut response = HttpResponse::build(status);
    response.insert_header(("Cache-Control", "no-store")).insert_header(("Vary", "Accept"));
    let answer = collect_body(mcp_response).await;
    // A method that the protocol's revision does not have is unknown, whatever its params.
    let answer = if status == StatusCode::NOT_FOUND { answer } else { correct_error_code(answer, &body) };
    Ok(match is_json {
        true if accepts(request, JSON) => response.content_type(JSON).body(answer),
        true => response.content_type(EVENT_STREAM).body(to_event(&answer)),
        false => response.body(answer),
    })
}

/// Returns a JSON message, which is one line, as a stream of one event.
fn to_event(message: &[u8]) -> Bytes {
    [b"event: message\ndata: ", message, b"\n\n"].concat().into()
}

/// Corrects the library's error for a known method with invalid params: it reports an unknown method.
fn correct_error_code(response: Bytes, request_body: &[u8]) -> Bytes {
    if response.len() > MAX_ERROR_BYTES {
        return response;
    }
    let Some(method) = method(request_body).filter(|method| METHODS_WITH_PARAMS.contains(&method.as_str()))
    else {
        return response;
    };
    let unknown = ErrorCode::METHOD_NOT_FOUND.0;
    let error_message =
        serde_json::from_slice::<Value>(&response).ok().filter(|value| value["error"]["code"] == unknown);
    let Some(mut error_message) = error_message else { return response };
    let message = format!("The params of {method} are invalid.");
    error_message["error"] = json!({"code": ErrorCode::INVALID_PARAMS.0, "message": message});
    error_message.to_string().into()
}

/// Handles a large message on a blocking thread, because the library parses it once for each kind of message.
async fn handle_large_message(
    mcp: &Mcp,
    address: IpAddr,
    mcp_request: McpRequest,
) -> Result<McpResponse, Problem> {
    // It costs nothing, because it is held while the tool waits, and the tool pays for its costly work
    // itself.
    let caller = WorkCaller { address, account: None };
    let permit = mcp.large_messages.acquire(&caller).await?;
    let service = mcp.service.clone();
    let worker = Handle::current();
    let answering = spawn_blocking(move || {
        let _permit = permit;
        worker.block_on(service.handle(mcp_request))
    });
    Ok(join("handling a large MCP message", answering).await?)
}

/// Builds the request for the library, without keys and cookies.
fn to_mcp_request(
    request: &HttpRequest,
    body: Bytes,
    sender: MessageSender,
) -> Result<McpRequest, http::Error> {
    let mut mcp_request = http::Request::post("/mcp").header(http::header::ACCEPT, ACCEPT_VALUE);
    mcp_request =
        mcp_request.header(http::header::HOST, "localhost").header(http::header::CONTENT_TYPE, JSON);
    let mcp_headers = request.headers().iter().filter(|(name, _)| name.as_str().starts_with("mcp-"));
    for (name, value) in mcp_headers {
        mcp_request = mcp_request.header(name.as_str(), value.as_bytes());
    }
    mcp_request.extension(Arc::new(sender)).body(Full::new(body))
}

async fn collect_body(mcp_response: McpResponse) -> Bytes {
    let Ok(body) = mcp_response.into_body().collect().await;
    body.to_bytes()
}

async fn body_text(mcp_response: McpResponse) -> String {
    String::from_utf8_lossy(&collect_body(mcp_response).await).into_owned()
}

/// Converts an error response of the library, which is plain text, to a problem.
fn protocol_problem(status: http::StatusCode, detail: &str, body: &[u8]) -> Problem {
    match status {
        http::StatusCode::UNSUPPORTED_MEDIA_TYPE if serde_json::from_slice::<IgnoredAny>(body).is_ok() => {
            Problem::for_field(Code::InvalidField, "body", "The body is not a JSON-RPC message.")
        }
        http::StatusCode::UNSUPPORTED_MEDIA_TYPE => Problem::new(Code::MalformedJson, detail),
        _ => Problem::for_field(Code::InvalidField, "MCP-Protocol-Version", detail),
    }
}
