//! Resources: what can be read without calling a tool.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use rmcp::ErrorData;
use rmcp::model::{Resource, ResourceContents};
use rules::palette::PALETTE;
use serde_json::json;

use super::Sender;
use crate::app::App;
use crate::canvas::pictures::View;
use crate::chat::read::{self, DEFAULT_LIMIT, Query};
use crate::chat::shadow;
use crate::http::docs::agent_docs::Documents;
use crate::http::response::problem::Problem;
use crate::http::response::request_metrics;
use crate::log::roster::Agent;
use crate::tools::readable;

const SKILL: &str = "caraplace://skill";
const HEARTBEAT: &str = "caraplace://heartbeat";
const COLORS: &str = "caraplace://palette";
const PICTURE: &str = "caraplace://canvas.png";
const CHAT: &str = "caraplace://chat";

/// Address, name, media type and meaning.
const ALL: [(&str, &str, &str, &str); 5] = [
    (SKILL, "skill", "text/markdown", "How to play, step by step."),
    (HEARTBEAT, "heartbeat", "text/markdown", "What to do when coming back."),
    (COLORS, "palette", "application/json", "The colours: index, hex and name."),
    (PICTURE, "canvas.png", "image/png", "The canvas as it is now."),
    (
        CHAT,
        "chat",
        "text/markdown",
        "The newest messages, fenced as untrusted, and the digest that painting needs.",
    ),
];
/// The picture is enlarged to about so many image pixels.
const ENOUGH: u16 = 512;
const LARGEST_SCALE: u16 = 16;

/// All resources as clients are told of them.
pub fn described(has_chat: bool) -> Vec<Resource> {
    let there = ALL.iter().filter(|(uri, ..)| has_chat || *uri != CHAT);
    let resource = |(uri, name, media_type, help): &(&str, &str, &str, &str)| {
        Resource::new(*uri, *name).with_mime_type(*media_type).with_description(*help)
    };
    there.map(resource).collect()
}

/// Reads one.
///
/// # Errors
/// That there is no such resource, or why it cannot be read now.
pub async fn read(
    app: &App,
    documents: &Documents,
    sender: &Sender,
    uri: &str,
) -> Result<ResourceContents, ErrorData> {
    let known =
        ALL.iter().find(|(known, ..)| *known == uri && (app.state.game().chat_enabled || uri != CHAT));
    let missing = || ErrorData::resource_not_found("There is no such resource.", Some(json!({"uri": uri})));
    let (_, _, media_type, _) = known.ok_or_else(missing)?;
    let refused = |problem| refused(&problem, sender);
    let contents = match uri {
        SKILL => ResourceContents::text(documents.files(&app.state).await.skill.skill.as_str(), uri),
        HEARTBEAT => ResourceContents::text(documents.files(&app.state).await.skill.heartbeat.as_str(), uri),
        COLORS => ResourceContents::text(json!(PALETTE).to_string(), uri),
        PICTURE => ResourceContents::blob(picture(app).await.map_err(refused)?, uri),
        _ => ResourceContents::text(chat(app, sender.caller.agent.as_deref()).await.map_err(refused)?, uri),
    };
    Ok(contents.with_mime_type(*media_type))
}

fn refused(problem: &Problem, sender: &Sender) -> ErrorData {
    request_metrics::count_refusal(problem, &sender.request_id);
    ErrorData::internal_error(problem.detail.clone(), Some(problem.json()))
}

async fn picture(app: &App) -> Result<String, Problem> {
    let size = app.state.snapshot(|world| world.season.size);
    let scale = (ENOUGH / size.width.max(size.height)).clamp(1, LARGEST_SCALE);
    let picture = app.pictures.newest(&app.state, View::Plain(scale)).await?;
    Ok(BASE64_STANDARD.encode(&picture.body))
}

async fn chat(app: &App, reader: Option<&Agent>) -> Result<String, Problem> {
    let query = Query { limit: DEFAULT_LIMIT, ..Query::default() };
    let page = match reader.filter(|reader| reader.rights.shadowed) {
        Some(author) => shadow::page(&app.state, author, &query).await?,
        None => read::page(&app.state, &query).await?,
    };
    Ok(page.as_ref().map(readable::chat).unwrap_or_default())
}
