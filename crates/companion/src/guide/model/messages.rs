//! The Messages API of Anthropic.

use platform::config::Secret;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Map, Value, json};

use super::answer::{AnswerPart, CallPart};
use super::key::{ModelSetupError, key_header};
use super::provider_format::ProviderFormat;
use super::{ModelMessage, ModelRequest, ModelTool, ModelToolCall, ModelToolResult};

/// The version of the API. It fixes the format of answers.
const API_VERSION: &str = "2023-06-01";

/// The format of the Messages API.
pub(super) struct MessagesFormat;

impl ProviderFormat for MessagesFormat {
    fn path(&self) -> &'static str {
        "/v1/messages"
    }

    fn headers(&self, key: Option<&Secret>) -> Result<HeaderMap, ModelSetupError> {
        let version = (HeaderName::from_static("anthropic-version"), HeaderValue::from_static(API_VERSION));
        let key = key.map(|key| key_header(key.expose())).transpose()?;
        let key = key.map(|key| (HeaderName::from_static("x-api-key"), key));
        Ok([version].into_iter().chain(key).collect())
    }

    fn body(&self, model: &str, request: &ModelRequest) -> Value {
        let system =
            json!([{"type": "text", "text": request.system, "cache_control": {"type": "ephemeral"}}]);
        let messages: Vec<_> = request.messages.iter().filter_map(message).collect();
        let mut body = json!({
            "model": model, "max_tokens": request.max_tokens, "stream": true, "system": system,
            "messages": messages,
        });
        if !request.tools.is_empty() {
            let choice = if request.may_call_tools { "auto" } else { "none" };
            body["tools"] = tools(&request.tools);
            body["tool_choice"] = json!({"type": choice});
        }
        body
    }

    fn parts(&self, event: &Value) -> Vec<AnswerPart> {
        match event["type"].as_str().unwrap_or_default() {
            "message_start" => vec![usage(&event["message"]["usage"])],
            "content_block_start" => block_start(event).into_iter().collect(),
            "content_block_delta" => block_delta(event).into_iter().collect(),
            "message_delta" => {
                let reason = event["delta"]["stop_reason"].as_str().unwrap_or_default();
                let is_cut_off = ["max_tokens", "model_context_window_exceeded"].contains(&reason);
                let cut_off = is_cut_off.then_some(AnswerPart::CutOff);
                [usage(&event["usage"])].into_iter().chain(cut_off).collect()
            }
            "message_stop" => vec![AnswerPart::Ended],
            "error" => vec![AnswerPart::Failed(text_at(event, "/error/type"))],
            // Pings, the ends of blocks, and events of later versions.
            _ => Vec::new(),
        }
    }
}

/// Returns a message in the provider's form; `None` if it is empty, which the provider refuses.
fn message(message: &ModelMessage) -> Option<Value> {
    let (role, content) = match message {
        ModelMessage::Visitor(text) => ("user", vec![text_block(text)]),
        ModelMessage::Model { text, calls } => {
            let text = (!text.trim().is_empty()).then(|| text_block(text));
            ("assistant", text.into_iter().chain(calls.iter().map(call_block)).collect())
        }
        ModelMessage::ToolResults(results) => ("user", results.iter().map(result_block).collect()),
    };
    (!content.is_empty()).then(|| json!({"role": role, "content": content}))
}

fn text_block(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn call_block(call: &ModelToolCall) -> Value {
    // The provider accepts only an object, and the result of the call says what was wrong.
    let arguments: Map<String, Value> = serde_json::from_str(&call.arguments).unwrap_or_default();
    json!({"type": "tool_use", "id": call.id, "name": call.name, "input": arguments})
}

fn result_block(result: &ModelToolResult) -> Value {
    json!({
        "type": "tool_result", "tool_use_id": result.id, "content": result.text, "is_error": result.is_error,
    })
}

/// Returns the tools; the mark on the last one lets the provider cache all of them.
fn tools(tools: &[ModelTool]) -> Value {
    let tool = |tool: &ModelTool| json!({"name": tool.name, "description": tool.description, "input_schema": tool.schema});
    let mut tools: Vec<_> = tools.iter().map(tool).collect();
    if let Some(last) = tools.last_mut() {
        last["cache_control"] = json!({"type": "ephemeral"});
    }
    Value::from(tools)
}

/// Returns the tokens so far. Those that the provider wrote to its cache or read from it are counted apart
/// there, but are part of the request.
fn usage(usage: &Value) -> AnswerPart {
    let names = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"];
    let input_tokens = names.iter().filter_map(|name| usage[name].as_u64()).reduce(u64::saturating_add);
    AnswerPart::Usage { input_tokens, output_tokens: usage["output_tokens"].as_u64() }
}

fn block_start(event: &Value) -> Option<AnswerPart> {
    let block = &event["content_block"];
    match block["type"].as_str()? {
        "text" => Some(AnswerPart::Text(text_at(block, "/text"))),
        "tool_use" => {
            let index = event["index"].as_u64()?;
            // The arguments follow in pieces; an object that stands here already is not empty.
            let arguments = block["input"].as_object().filter(|input| !input.is_empty());
            let arguments = arguments.map_or_else(String::new, |_| block["input"].to_string());
            let id = text_at(block, "/id");
            let name = text_at(block, "/name");
            Some(AnswerPart::Call(CallPart { index, id, name, arguments }))
        }
        _ => None,
    }
}

fn block_delta(event: &Value) -> Option<AnswerPart> {
    let delta = &event["delta"];
    match delta["type"].as_str()? {
        "text_delta" => Some(AnswerPart::Text(text_at(delta, "/text"))),
        "input_json_delta" => {
            let index = event["index"].as_u64()?;
            let arguments = text_at(delta, "/partial_json");
            Some(AnswerPart::Call(CallPart { index, arguments, ..CallPart::default() }))
        }
        _ => None,
    }
}

fn text_at(value: &Value, pointer: &str) -> String {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
}
