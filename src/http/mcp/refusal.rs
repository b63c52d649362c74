//! Refusals as tool results, with hints in terms of tools.

use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::json;

use crate::http::response::codes::Code;
use crate::http::response::problem::Problem;

/// Returns the hint in terms of tools, if the error table's hint names HTTP endpoints.
fn tool_hint(code: Code) -> Option<&'static str> {
    Some(match code {
        Code::DigestMissing | Code::DigestInvalid => {
            "Call chat_get_new, read the messages, and send the digest as chat_digest, unchanged."
        }
        Code::DigestStale => "Call chat_get_new again, read the new messages, and send the new digest.",
        Code::KeyMissing => {
            "Call register for a key, save it, and configure this MCP server with the header \
             `Authorization: Bearer KEY`."
        }
        Code::ReplyTargetMissing => "Use the id of a message from chat_get_new.",
        Code::OutOfBounds => "Use coordinates on the canvas: canvas_view returns its width and height.",
        _ => return None,
    })
}

/// Converts a refusal to a tool result, with structured content for programs and text for models.
pub fn to_tool_result(problem: &Problem) -> CallToolResult {
    let line = problem.code.info();
    let hint = tool_hint(problem.code).unwrap_or_else(|| problem.hint_text());
    let mut text = format!("Error ({}): {} What to do: {hint}", line.code, problem.detail);
    if problem.retry_after_seconds() > 0 {
        text.push_str(&format!(" Wait {} s.", problem.retry_after_seconds()));
    }
    let mut structured = problem.json();
    structured["hint"] = json!(hint);
    let mut result = CallToolResult::structured_error(structured);
    result.content = vec![ContentBlock::text(text)];
    result
}
