//! MCP resources: documents, the palette, the canvas image and the chat.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use caraplace_canvas::image_cache::CanvasView;
use caraplace_companion::app::App;
use caraplace_companion::tools::readable;
use caraplace_http::response::problem::Problem;
use caraplace_http::response::request_metrics;
use caraplace_log::identity::Identity;
use caraplace_talk::chat::read::{self, ChatQuery, DEFAULT_LIMIT};
use caraplace_talk::chat::shadow;
use rmcp::ErrorData;
use rmcp::model::{Resource, ResourceContents};
use rules::palette::PALETTE;
use rules::scope::Scope;
use serde_json::json;

use super::MessageSender;
use crate::server::docs::agent_docs::Documents;

const SKILL_URI: &str = "caraplace://skill";
const HEARTBEAT_URI: &str = "caraplace://heartbeat";
const PALETTE_URI: &str = "caraplace://palette";
const CANVAS_URI: &str = "caraplace://canvas.png";
const CHAT_URI: &str = "caraplace://chat";

/// The URI, name, media type and description of each resource.
const RESOURCES: [(&str, &str, &str, &str); 5] = [
    (SKILL_URI, "skill", "text/markdown", "How to play with these tools, step by step."),
    (HEARTBEAT_URI, "heartbeat", "text/markdown", "The steps of a returning agent."),
    (PALETTE_URI, "palette", "application/json", "The colours: index, hex and name."),
    (CANVAS_URI, "canvas.png", "image/png", "The canvas as it is now."),
    (
        CHAT_URI,
        "chat",
        "text/markdown",
        "The latest messages, marked as untrusted, and the digest that painting needs.",
    ),
];
/// The approximate width of the canvas image, in image pixels.
const TARGET_SIDE_PIXELS: u16 = 512;
const MAX_SCALE: u16 = 16;

/// Lists the resources; without the chat if it is disabled.
pub fn list(has_chat: bool) -> Vec<Resource> {
    let available = RESOURCES.iter().filter(|(uri, ..)| has_chat || *uri != CHAT_URI);
    let resource = |(uri, name, media_type, help): &(&str, &str, &str, &str)| {
        Resource::new(*uri, *name).with_mime_type(*media_type).with_description(*help)
    };
    available.map(resource).collect()
}

/// Reads a resource.
///
/// # Errors
/// An error of the protocol if the resource does not exist or cannot be read now.
pub async fn read(
    app: &App,
    documents: &Documents,
    sender: &MessageSender,
    uri: &str,
) -> Result<ResourceContents, ErrorData> {
    let resource = RESOURCES
        .iter()
        .find(|(known, ..)| *known == uri && (app.state.game().chat_enabled || uri != CHAT_URI));
    let missing = || ErrorData::resource_not_found("There is no such resource.", Some(json!({"uri": uri})));
    let (_, _, media_type, _) = resource.ok_or_else(missing)?;
    let to_error = |problem| refusal_error(&problem, sender);
    let reader = sender.caller.agent.as_deref();
    let contents = match uri {
        SKILL_URI => {
            ResourceContents::text(documents.current(&app.state).await.skill.tool_skill.as_str(), uri)
        }
        HEARTBEAT_URI => {
            ResourceContents::text(documents.current(&app.state).await.skill.tool_heartbeat.as_str(), uri)
        }
        PALETTE_URI => ResourceContents::text(json!(PALETTE).to_string(), uri),
        CANVAS_URI => {
            check_read_scope(reader).map_err(to_error)?;
            ResourceContents::blob(canvas_base64(app).await.map_err(to_error)?, uri)
        }
        _ => {
            check_read_scope(reader).map_err(to_error)?;
            ResourceContents::text(chat_markdown(app, reader).await.map_err(to_error)?, uri)
        }
    };
    Ok(contents.with_mime_type(*media_type))
}

/// Checks that a reader's key may read, as a GET under `/api` does. Documents need no key.
fn check_read_scope(reader: Option<&Identity>) -> Result<(), Problem> {
    Ok(reader.map_or(Ok(()), |reader| reader.check_scope(Scope::Read))?)
}

fn refusal_error(problem: &Problem, sender: &MessageSender) -> ErrorData {
    request_metrics::count_refusal(problem, &sender.request_id);
    ErrorData::internal_error(problem.detail.clone(), Some(problem.json()))
}

async fn canvas_base64(app: &App) -> Result<String, Problem> {
    let size = app.state.read_world(|world| world.season.size);
    let scale = (TARGET_SIDE_PIXELS / size.width.max(size.height)).clamp(1, MAX_SCALE);
    let picture = app.image_cache.newest(&app.state, CanvasView::Plain(scale)).await?;
    Ok(BASE64_STANDARD.encode(&picture.body))
}

async fn chat_markdown(app: &App, reader: Option<&Identity>) -> Result<String, Problem> {
    let query = ChatQuery { limit: DEFAULT_LIMIT, ..ChatQuery::default() };
    let page = match reader.filter(|reader| reader.has_own_view) {
        Some(author) => shadow::page(&app.state, author, &query).await?,
        None => read::page(&app.state, &query).await?,
    };
    Ok(page.as_ref().map(readable::chat).unwrap_or_default())
}
