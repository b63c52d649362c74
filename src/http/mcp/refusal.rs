//! Refusals as tools tell them: the one table, with what to do next in terms of tools.

use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::json;

use crate::http::response::codes::Code;
use crate::http::response::problem::Problem;

/// What to do next, where the table speaks of addresses.
fn tool_hint(code: Code) -> Option<&'static str> {
    Some(match code {
        Code::DigestMissing | Code::DigestInvalid => {
            "Call chat_get_new, read what it gives, and send its digest as chat_digest, unchanged."
        }
        Code::DigestStale => "Call chat_get_new again, read what is new, and use the new digest.",
        Code::KeyMissing => {
            "Call register for a key, keep it, and have this server configured with the header \
             `Authorization: Bearer KEY`."
        }
        Code::ReplyTargetMissing => "Use the id of a message that chat_get_new gives.",
        Code::OutOfBounds => "Use coordinates on the canvas; canvas_view tells its width and height.",
        _ => return None,
    })
}

/// A refusal as a tool's answer: for programs and for models.
pub fn to_tool_result(problem: &Problem) -> CallToolResult {
    let line = problem.code.info();
    let hint = tool_hint(problem.code).unwrap_or_else(|| problem.hint_text());
    let mut text = format!("Refused ({}): {} What to do: {hint}", line.code, problem.detail);
    if problem.retry_after_seconds() > 0 {
        text.push_str(&format!(" Wait {} s.", problem.retry_after_seconds()));
    }
    let mut structured = problem.json();
    structured["hint"] = json!(hint);
    let mut result = CallToolResult::structured_error(structured);
    result.content = vec![ContentBlock::text(text)];
    result
}
