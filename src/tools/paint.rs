//! The tool that paints.

use serde::Deserialize;
use utoipa::ToSchema;

use super::call::{ToolCall, ToolResult, replayed};
use super::readable;
use crate::canvas::paint::{NewPixels, OneOfMany, draft_many};
use crate::chat::proof;
use crate::input::strict_json;

const ROUTE: &str = "mcp place_pixels";

/// What to place.
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
    let form: Pixels = call.form()?;
    let once = call.once(ROUTE, form.idempotency_key.as_deref()).await?;
    if let Some(stored) = once.as_ref().and_then(|once| once.stored.as_ref()) {
        return replayed(stored);
    }
    let pixels = NewPixels { pixels: form.pixels, chat_digest: form.chat_digest };
    let state = &call.app().state;
    let proof = proof::check(state, call.agent()?, pixels.chat_digest.as_deref());
    let painting = draft_many(state, &pixels, proof).await?;
    call.perform(once.as_ref(), painting, readable::painted).await
}
