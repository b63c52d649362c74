//! The tool that places pixels.

use serde::Deserialize;
use utoipa::ToSchema;

use super::call::{ToolCall, ToolResult};
use super::readable;
use crate::canvas::paint::{BatchPixel, PlacePixelsBody, prepare_pixels};
use crate::chat::digest_check;
use crate::input::strict_json;

const ROUTE: &str = "mcp place_pixels";

/// The pixels to place.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PlacePixelsArguments {
    /// The pixels. All of them are placed, or none.
    #[serde(deserialize_with = "strict_json::several")]
    pub pixels: Vec<BatchPixel>,
    /// The digest that chat_get_new returns. It is not needed while the chat is switched off.
    pub chat_digest: Option<String>,
    /// Up to 255 characters. Repeating the call with the same key and arguments returns the first successful
    /// response.
    #[schema(min_length = 1, max_length = 255)]
    pub idempotency_key: Option<String>,
}

/// Places all pixels, or none.
pub async fn place(call: ToolCall) -> ToolResult {
    let PlacePixelsArguments { pixels, chat_digest, idempotency_key } = call.parse_arguments()?;
    let pixels = PlacePixelsBody { pixels, chat_digest };
    let state = &call.app().state;
    let proof = digest_check::check(state, call.agent()?, pixels.chat_digest.as_deref());
    call.submit_once(ROUTE, idempotency_key, prepare_pixels(state, &pixels, proof), readable::placed).await
}
