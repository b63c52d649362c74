//! `/mcp`: the same verbs for clients of the Model Context Protocol, over Streamable HTTP without sessions.
#![allow(clippy::doc_markdown, reason = "tool schemas carry these comments as they stand")]

mod front;
mod handler;
mod refusal;
mod resources;
mod tools;

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use actix_web::http::StatusCode;
use actix_web::web::{Bytes, Data, Payload};
use actix_web::{HttpMessage as _, HttpRequest, HttpResponse};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full};
use rmcp::model::ErrorCode;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use utoipa::ToSchema;

use super::Answer;
use super::docs::agent_docs::Documents;
use super::request::auth_viewer::check_whose;
use super::request::authentication::{count, identify};
use super::request::form::Whose;
use super::request::request_id::RequestId;
use super::request::{address, body};
use super::response::codes::Code;
use super::response::negotiate::accepts;
use super::response::problem::Problem;
use super::state::HttpState;
use crate::app::App;
use crate::concurrency::{join, wait_for_permit};
use crate::log::desk::Desk;
use crate::refusal::internal;
use crate::tools::call::ToolCaller;
use front::Front;
use handler::Handler;

type Incoming = http::Request<Full<Bytes>>;
type Outgoing = http::Response<BoxBody<Bytes, Infallible>>;

/// Messages of up to so many bytes are read in no time.
const SMALL: usize = 16 * 1024;
/// An answer that only says what was wrong has no more bytes.
const SHORT: usize = 512;
/// How many larger ones are read at a time.
const ASIDE: usize = 4;
/// How long others wait for that.
const PATIENCE: Duration = Duration::from_secs(5);
/// What asks for something in particular.
const NEEDS_PARAMS: [&str; 2] = ["tools/call", "resources/read"];
const JSON: &str = "application/json";
/// What is answered is always one piece of JSON, whichever of the two forms a client would rather have.
const BOTH_FORMS: &str = "application/json, text/event-stream";

/// The protocol's own part of the server, and who may come to it.
pub struct Mcp {
    front: Front,
    service: StreamableHttpService<Handler, NeverSessionManager>,
    /// Turns to be read aside: a thread is held meanwhile, and what it calls needs others.
    aside: Semaphore,
}

impl Mcp {
    /// For a game behind this door.
    pub fn new(app: Arc<App>, door: Arc<HttpState>, documents: Arc<Documents>) -> Self {
        let front = Front::new(&door.base_url, door.listen);
        let handler = Handler::new(app, door, documents);
        // Hosts, origins and lengths are checked before the key is, so before the protocol begins.
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .with_max_request_body_bytes(body::LARGEST)
            .disable_allowed_hosts();
        let service = StreamableHttpService::new(move || Ok(handler.clone()), Arc::default(), config);
        Self { front, service, aside: Semaphore::new(ASIDE) }
    }
}

/// The sender of a message.
struct Sender {
    caller: Arc<ToolCaller>,
    /// Why no tool is called for it now.
    refused: Option<Problem>,
    request_id: Arc<str>,
}

/// A JSON-RPC message of the Model Context Protocol.
#[derive(Deserialize, ToSchema)]
pub struct McpMessage {
    /// As in `initialize` or `tools/call`; `jsonrpc`, `id` and `params` stand beside it.
    pub method: String,
}

/// Answers one message of a client.
pub async fn answer(request: HttpRequest, payload: Payload, door: Data<HttpState>, mcp: Data<Mcp>) -> Answer {
    mcp.front.check(&request)?;
    let body = body::take(&request, &mut payload.into_inner()).await?;
    body::check_media_type(&request)?;
    if !accepts(&request, JSON) {
        return Err(Problem::new(Code::NotAcceptable, "What is answered here is application/json."));
    }
    let agent = identify(&request).await?;
    let counted = count(&request, agent.as_deref());
    let refused = match counted.and_then(|()| check_whose(agent.as_deref(), Whose::Agents)) {
        // A model reads what its tools answer, and not the status of the transport below them.
        Err(problem) if method(&body).as_deref() == Some("tools/call") => Some(problem),
        passed => passed.map(|()| None)?,
    };
    let address = address::of(&request, &door.trusted_proxies);
    let desk = request.app_data::<Desk>().cloned();
    let caller = Arc::new(ToolCaller { agent, address, desk });
    let request_id = request.extensions().get::<RequestId>().map(|id| id.0.clone()).unwrap_or_default();
    exchange(&mcp, &request, body, Sender { caller, refused, request_id }).await
}

fn method(body: &[u8]) -> Option<String> {
    serde_json::from_slice(body).ok().map(|message: McpMessage| message.method)
}

async fn exchange(mcp: &Mcp, request: &HttpRequest, body: Bytes, sender: Sender) -> Answer {
    let incoming = incoming(request, body.clone(), sender).map_err(internal("handing on a message"))?;
    let outgoing = match body.len() {
        // Large while it waits.
        ..=SMALL => Box::pin(mcp.service.handle(incoming)).await,
        _ => aside(mcp, incoming).await?,
    };
    let is_json = outgoing.headers().get(http::header::CONTENT_TYPE).is_some_and(|kind| kind == JSON);
    if outgoing.status().is_client_error() && !is_json {
        return Err(misunderstood(outgoing.status(), &text(outgoing).await, &body));
    }
    let status = StatusCode::from_u16(outgoing.status().as_u16()).unwrap_or(StatusCode::OK);
    let mut response = HttpResponse::build(status);
    response.insert_header(("Cache-Control", "no-store")).insert_header(("Vary", "Accept"));
    if is_json {
        response.content_type(JSON);
    }
    Ok(response.body(corrected(collected(outgoing).await, &body)))
}

/// The library takes a known method whose params it cannot read for an unknown one.
fn corrected(answer: Bytes, sent: &[u8]) -> Bytes {
    if answer.len() > SHORT {
        return answer;
    }
    let Some(method) = method(sent).filter(|method| NEEDS_PARAMS.contains(&method.as_str())) else {
        return answer;
    };
    let unknown = ErrorCode::METHOD_NOT_FOUND.0;
    let told = serde_json::from_slice::<Value>(&answer).ok().filter(|told| told["error"]["code"] == unknown);
    let Some(mut told) = told else { return answer };
    let message = format!("The params of {method} are not as the protocol has them.");
    told["error"] = json!({"code": ErrorCode::INVALID_PARAMS.0, "message": message});
    told.to_string().into()
}

/// A large message is read, for each kind of message that it might be, on a thread that may take its time.
async fn aside(mcp: &Mcp, incoming: Incoming) -> Result<Outgoing, Problem> {
    let _permit = wait_for_permit(PATIENCE, mcp.aside.acquire()).await?;
    let (service, worker) = (mcp.service.clone(), Handle::current());
    let answering = spawn_blocking(move || worker.block_on(service.handle(incoming)));
    Ok(join("answering a large message", answering).await?)
}

/// The request as the protocol's own part takes it. Keys and cookies are none of its business.
fn incoming(request: &HttpRequest, body: Bytes, sender: Sender) -> Result<Incoming, http::Error> {
    let mut incoming = http::Request::post("/mcp").header(http::header::ACCEPT, BOTH_FORMS);
    incoming = incoming.header(http::header::HOST, "localhost").header(http::header::CONTENT_TYPE, JSON);
    let own = request.headers().iter().filter(|(name, _)| name.as_str().starts_with("mcp-"));
    for (name, value) in own {
        incoming = incoming.header(name.as_str(), value.as_bytes());
    }
    incoming.extension(Arc::new(sender)).body(Full::new(body))
}

async fn collected(outgoing: Outgoing) -> Bytes {
    let Ok(body) = outgoing.into_body().collect().await;
    body.to_bytes()
}

async fn text(outgoing: Outgoing) -> String {
    String::from_utf8_lossy(&collected(outgoing).await).into_owned()
}

/// What the protocol's own part refuses in words of its own, in the one shape that all refusals have.
fn misunderstood(status: http::StatusCode, said: &str, body: &[u8]) -> Problem {
    match status {
        http::StatusCode::UNSUPPORTED_MEDIA_TYPE if serde_json::from_slice::<IgnoredAny>(body).is_ok() => {
            Problem::field(Code::InvalidField, "body", "The body is no JSON-RPC message.")
        }
        http::StatusCode::UNSUPPORTED_MEDIA_TYPE => Problem::new(Code::MalformedJson, said),
        _ => Problem::field(Code::InvalidField, "MCP-Protocol-Version", said),
    }
}
