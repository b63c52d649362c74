//! The visitor's question in a request, with the results of the tools so far.

use serde_json::Value;

/// The line between what the server says and what the visitor asks.
const QUESTION_MARK: &str = "The person's question:\n";

/// A question that is to be answered.
pub(crate) struct Question {
    /// The server's words about the canvas and what the visitor looks at.
    pub introduction: String,
    /// The visitor's words.
    pub text: String,
    /// The results of the tools that were called since.
    pub findings: Vec<Finding>,
    pub can_call_tools: bool,
}

/// The result of a tool.
pub(crate) struct Finding {
    pub arguments: Value,
    pub text: String,
    pub is_error: bool,
}

impl Question {
    /// Reads a request. Returns `None` if it contains no text of a visitor.
    pub(crate) fn from_request(body: &Value) -> Option<Self> {
        let messages = body["messages"].as_array()?;
        let asked = messages.iter().rposition(|message| visitor_text(message).is_some())?;
        let message = visitor_text(&messages[asked])?;
        let (introduction, text) = message.split_once(QUESTION_MARK).unwrap_or(("", &message));
        let blocks: Vec<_> = messages[asked..].iter().flat_map(blocks).collect();
        let results = blocks.iter().filter(|block| block["type"] == "tool_result");
        let findings = results.map(|result| finding(result, &blocks)).collect();
        let has_tools = body["tools"].as_array().is_some_and(|tools| !tools.is_empty());
        let (introduction, text) = (introduction.to_owned(), text.to_owned());
        Some(Self {
            introduction,
            text,
            findings,
            can_call_tools: has_tools && body["tool_choice"]["type"] != "none",
        })
    }
}

fn blocks(message: &Value) -> impl Iterator<Item = &Value> {
    message["content"].as_array().into_iter().flatten()
}

/// Returns the text of a message of the visitor; `None` for other messages.
fn visitor_text(message: &Value) -> Option<String> {
    let texts: Vec<_> = match &message["content"] {
        Value::String(text) => vec![text.as_str()],
        _ => blocks(message).filter_map(|block| block["text"].as_str()).collect(),
    };
    (message["role"] == "user" && !texts.is_empty()).then(|| texts.join("\n"))
}

fn finding(result: &Value, blocks: &[&Value]) -> Finding {
    let call =
        blocks.iter().find(|block| block["type"] == "tool_use" && block["id"] == result["tool_use_id"]);
    Finding {
        arguments: call.map_or(Value::Null, |call| call["input"].clone()),
        text: result["content"].as_str().unwrap_or_default().to_owned(),
        is_error: result["is_error"] == true,
    }
}
