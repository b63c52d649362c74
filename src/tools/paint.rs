//! The tool that paints.

use serde::Deserialize;
use utoipa::ToSchema;

use super::call::{ToolCall, ToolResult};
use super::readable;
use crate::canvas::paint::{NewPixels, OneOfMany, draft_many};
use crate::chat::proof;
use crate::input::strict_json;

const ROUTE: &str = "mcp place_pixels";

/// Pixels to place.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = PlacePixels)]
pub struct Pixels {
    /// All of them are placed, or none.
    #[serde(deserialize_with = "strict_json::several")]
    pub pixels: Vec<OneOfMany>,
    /// From chat_get_new; not needed while the chat is switched off.
    pub chat_digest: Option<String>,
    /// Up to 255 characters; the same key with the same arguments gives the first success again.
    #[schema(min_length = 1, max_length = 255)]
    pub idempotency_key: Option<String>,
}

/// Places pixels, or none.
pub async fn place(call: ToolCall) -> ToolResult {
    let Pixels { pixels, chat_digest, idempotency_key } = call.form()?;
    let pixels = NewPixels { pixels, chat_digest };
    let state = &call.app().state;
    let proof = proof::check(state, call.agent()?, pixels.chat_digest.as_deref());
    call.perform_once(ROUTE, idempotency_key, draft_many(state, &pixels, proof), readable::painted).await
}
