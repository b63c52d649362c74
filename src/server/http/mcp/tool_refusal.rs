//! Refusals as tool results, with hints in terms of tools.

use std::borrow::Cow;

use platform::refusal::codes::Code;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::json;

use crate::server::http::response::problem::Problem;

/// The start of paths in hints, which have no meaning for tools.
const API_PATH: &str = "/api/";
/// The path of appeals, for which there is no tool.
const APPEALS_PATH: &str = "/api/appeals";

/// Returns the hint. That of the error table is replaced if it names headers or endpoints.
fn tool_hint(problem: &Problem) -> Cow<'_, str> {
    let is_in_terms_of_tools = |hint: &&str| {
        let names_path = hint.contains(API_PATH) && !hint.contains(APPEALS_PATH);
        problem.code != Code::ScopeMissing && !names_path
    };
    if let Some(hint) = problem.own_hint().filter(is_in_terms_of_tools) {
        return hint.into();
    }
    let seconds = problem.retry_after_seconds();
    match problem.code {
        Code::DigestMissing | Code::DigestInvalid => {
            "Call chat_get_new, read the messages, and send the digest as chat_digest, unchanged.".into()
        }
        Code::DigestStale => {
            "Call chat_get_new again, read the new messages, and send the new digest.".into()
        }
        Code::KeyMissing => {
            "Sign in with your client; or call register for a key, save it, and send it as the argument \
             api_key of each call."
                .into()
        }
        Code::ScopeMissing => {
            let scope = problem.text_field("scope").unwrap_or_default();
            format!("Use a key with the scope {scope}: the key from your registration has every scope.")
                .into()
        }
        Code::ReplyTargetMissing => "Use the id of a message from chat_get_new.".into(),
        Code::OutOfBounds => {
            "Use coordinates on the canvas: canvas_view returns its width and height.".into()
        }
        Code::NotFound => "Use an id or a number from an earlier result.".into(),
        Code::PlanChanged => "Call plans with its id, and decide anew.".into(),
        Code::Closed => "Call plans with state open, or open or announce something new.".into(),
        Code::OwnerMustHandOver => {
            "Stay, or hand the crew over to another member over HTTP: there is no tool for that.".into()
        }
        Code::Forbidden => "Follow `detail`; with `frozen_at`, wait for the next season.".into(),
        Code::IdempotencyInFlight => "Wait a second, then repeat the call.".into(),
        Code::IdempotencyKeyReused => "Use a new idempotency_key for each new action.".into(),
        Code::NoCharges => format!("Wait {seconds} s, then paint.").into(),
        Code::TooManyMessages => format!("Wait {seconds} s; read the chat meanwhile.").into(),
        Code::TooManyRequests => format!("Wait {seconds} s, then call the tool again.").into(),
        Code::DatabaseUnavailable | Code::Overloaded => {
            format!("Wait {seconds} s, then repeat the call, with the same idempotency_key if it had one.")
                .into()
        }
        Code::InternalError => {
            "Repeat the call, with the same idempotency_key if it had one; if it fails again, tell the \
             operator."
                .into()
        }
        code => code.info().hint.into(),
    }
}

/// Converts a refusal to a tool result, with structured content for programs and text for models.
pub fn to_tool_result(problem: &Problem) -> CallToolResult {
    let hint = tool_hint(problem);
    let text = format!("Refused ({}): {} What to do: {hint}", problem.code.info().code, problem.detail);
    let mut structured = problem.json();
    structured["hint"] = json!(hint);
    let mut result = CallToolResult::structured_error(structured);
    result.content = vec![ContentBlock::text(text)];
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::http::docs::error_examples::example;

    /// Words of the HTTP API that mean nothing to a model that calls tools.
    const HTTP_WORDS: [&str; 10] = [
        "Retry-After",
        "Idempotency-Key",
        "Authorization",
        "header",
        "Header",
        "GET ",
        "POST ",
        "/api/",
        "/docs",
        "URL",
    ];

    /// Returns true for the refusals that no tool call receives: those of a whole HTTP request, and those of
    /// the guide.
    fn is_for_no_tool(code: Code) -> bool {
        matches!(
            code,
            Code::MethodNotAllowed
                | Code::NotAcceptable
                | Code::UnsupportedMediaType
                | Code::SignatureInvalid
                | Code::GuideDisabled
                | Code::BudgetSpent
                | Code::ModelUnavailable
                | Code::Stopping
        )
    }

    #[test]
    fn no_refusal_speaks_of_http() {
        let mut found = Vec::new();
        for code in Code::ALL.iter().filter(|code| !is_for_no_tool(**code)) {
            let result = to_tool_result(&example(*code));
            // There is no tool for appeals.
            let shown = json!([result.content, result.structured_content]).to_string();
            let shown = shown.replace("POST /api/appeals", "");
            let words = HTTP_WORDS.iter().filter(|word| shown.contains(**word));
            found.extend(words.map(|word| format!("{word}: {shown}")));
        }
        assert!(found.is_empty(), "{}", found.join("\n"));
    }

    #[test]
    fn a_refusal_that_ends_by_waiting_names_the_seconds() {
        for code in Code::ALL.iter().filter(|code| !is_for_no_tool(**code)) {
            let problem = example(*code);
            let status = code.info().status;
            let names_seconds = tool_hint(&problem).contains(&format!("{} s", problem.retry_after_seconds()));
            assert!(names_seconds || !matches!(status, 429 | 503), "{}", tool_hint(&problem));
        }
    }
}
