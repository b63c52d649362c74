//! The tool that places pixels.

use caraplace_canvas::paint::prepare_pixels;
use caraplace_canvas::placement_request::PlacePixelsBody;

use super::call::{ToolCall, ToolOutput, ToolResult};
use super::{dry_run_text, readable};

const ROUTE: &str = "mcp place_pixels";

/// Places pixels, as `POST /api/pixels` does.
pub async fn place(call: ToolCall) -> ToolResult {
    let (pixels, idempotency_key): (PlacePixelsBody, _) = call.parse_arguments_and_key()?;
    let state = &call.app().state;
    let agent = call.agent()?;
    let command = prepare_pixels(state, agent, &pixels);
    if pixels.dry_run {
        let response = Box::pin(command.await?.preview(state, agent)).await?;
        let has_texts = !response.intents.is_empty() || !response.plans.is_empty();
        let text = dry_run_text::describe(&response);
        let output = ToolOutput::new(response, text);
        return Ok(if has_texts { output.labelled_untrusted() } else { output });
    }
    let output = call.submit_once(ROUTE, idempotency_key, command, readable::placed).await?;
    let notes = &output.structured["notes"];
    let has_texts = ["intents_since_digest", "inside"].iter().any(|list| !notes[list].is_null());
    Ok(if has_texts { output.labelled_untrusted() } else { output })
}
