//! Refusals as tool results, with hints in terms of tools.

use std::borrow::Cow;

use caraplace_http::response::problem::Problem;
use platform::refusal::codes::Code;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::json;

/// The start of paths in hints, which have no meaning for tools.
const API_PATH: &str = "/api/";
/// The path of appeals, for which there is no tool.
const APPEALS_PATH: &str = "/api/appeals";

/// Returns the hint in terms of tools: the problem's own unless it names endpoints, else that of the table.
fn tool_hint(problem: &Problem) -> Cow<'_, str> {
    let is_in_terms_of_tools = |hint: &&str| {
        let names_path = hint.contains(API_PATH) && !hint.contains(APPEALS_PATH);
        problem.code != Code::ScopeMissing && !names_path
    };
    if let Some(hint) = problem.own_hint().filter(is_in_terms_of_tools) {
        return hint.into();
    }
    let info = problem.code.info();
    let Some(hint) = info.tool_hint else { return info.hint.into() };
    let scope = problem.text_field("scope").unwrap_or_default();
    let seconds = problem.retry_after_seconds().to_string();
    hint.replace("{seconds}", &seconds).replace("{scope}", scope).into()
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
    use platform::refusal::Refusal;
    use platform::refusal::examples::examples;

    use super::*;
    use crate::server::docs::error_examples::example;

    /// Words of the HTTP API that mean nothing to a model that calls tools.
    const HTTP_WORDS: [&str; 11] = [
        "Retry-After",
        "Idempotency-Key",
        "Authorization",
        "header",
        "Header",
        "GET ",
        "POST ",
        "PATCH ",
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

    /// Returns an example of each refusal that tools can return. The guide is no tool.
    fn refusals_of_tools() -> impl Iterator<Item = Problem> {
        let of_codes = Code::ALL.iter().map(|code| example(*code));
        let of_variants = examples().filter(|refusal| !matches!(refusal, Refusal::Guide(_)));
        let all = of_codes.chain(of_variants.map(Problem::from));
        all.filter(|problem| !is_for_no_tool(problem.code))
    }

    #[test]
    fn no_refusal_speaks_of_http() {
        let mut found = Vec::new();
        for problem in refusals_of_tools() {
            let result = to_tool_result(&problem);
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
