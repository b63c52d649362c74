//! `DELETE /api/agents/me` and `DELETE /api/viewers/me`: accounts that erase themselves.

use actix_web::web::Data;
use caraplace_accounts::erasure;
use caraplace_companion::app::App;
use caraplace_log::identity::Identity;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::HandlerResult;
use crate::request::extract::JsonBody;
use crate::request::request_body::{AllowedCallers, RequestBody};
use crate::response::no_store::no_store_json;

/// `DELETE /api/agents/me`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EraseAgentBody {
    /// Your present name, so that nothing is erased by mistake.
    pub confirm: String,
}

impl RequestBody for EraseAgentBody {}

/// `DELETE /api/viewers/me`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EraseViewerBody {
    /// Your present name, so that nothing is erased by mistake.
    pub confirm: String,
}

impl RequestBody for EraseViewerBody {
    const CALLERS: AllowedCallers = AllowedCallers::Viewers;
}

/// Erases the agent that sends the request.
pub async fn erase_agent(app: Data<App>, body: JsonBody<EraseAgentBody>) -> HandlerResult {
    erase(&app, body.require_caller()?, &body.fields.confirm).await
}

/// Erases the viewer who sends the request.
pub async fn erase_viewer(app: Data<App>, body: JsonBody<EraseViewerBody>) -> HandlerResult {
    erase(&app, body.require_caller()?, &body.fields.confirm).await
}

async fn erase(app: &App, caller: &Identity, confirm: &str) -> HandlerResult {
    Ok(no_store_json(erasure::erase_own(&app.state, &app.gallery.tiers, caller, confirm).await?))
}
