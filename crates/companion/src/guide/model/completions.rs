//! Chat completions, as `OpenAI` and most servers for local models have them.

use platform::config::Secret;
use reqwest::header::{AUTHORIZATION, HeaderMap};
use serde_json::{Value, json};

use super::answer::{AnswerPart, CallPart};
use super::key::{ModelSetupError, key_header};
use super::provider_format::ProviderFormat;
use super::{ModelMessage, ModelRequest, ModelTool, ModelToolCall, ModelToolResult};

/// The format of chat completions.
pub(super) struct CompletionsFormat {
    /// The name of the field with the maximum number of tokens.
    max_tokens_field: &'static str,
}

impl CompletionsFormat {
    /// Returns the format of the provider at this address.
    pub(super) fn new(api_base: &str) -> Self {
        // The newer models of OpenAI refuse the field that all others expect.
        let is_openai = api_base.starts_with("https://api.openai.com/");
        Self { max_tokens_field: if is_openai { "max_completion_tokens" } else { "max_tokens" } }
    }
}

impl ProviderFormat for CompletionsFormat {
    fn path(&self) -> &'static str {
        "/chat/completions"
    }

    fn headers(&self, key: Option<&Secret>) -> Result<HeaderMap, ModelSetupError> {
        let key = key.map(|key| key_header(&format!("Bearer {}", key.expose()))).transpose()?;
        Ok(key.map(|key| (AUTHORIZATION, key)).into_iter().collect())
    }

    fn body(&self, model: &str, request: &ModelRequest) -> Value {
        let system = json!({"role": "system", "content": request.system});
        let messages = [system].into_iter().chain(request.messages.iter().flat_map(messages));
        let mut body = json!({
            "model": model, "stream": true, "stream_options": {"include_usage": true},
            "messages": messages.collect::<Vec<_>>(),
        });
        body[self.max_tokens_field] = json!(request.max_tokens);
        if !request.tools.is_empty() {
            body["tools"] = request.tools.iter().map(tool).collect();
            body["tool_choice"] = json!(if request.may_call_tools { "auto" } else { "none" });
        }
        body
    }

    fn parts(&self, event: &Value) -> Vec<AnswerPart> {
        if let Some(error) = event.get("error").filter(|error| !error.is_null()) {
            return vec![AnswerPart::Failed(error["type"].as_str().unwrap_or_default().to_owned())];
        }
        let choice = &event["choices"][0];
        let text = choice["delta"]["content"].as_str().map(|text| AnswerPart::Text(text.to_owned()));
        let calls = choice["delta"]["tool_calls"].as_array().into_iter().flatten();
        let reason = choice["finish_reason"].as_str();
        // The tokens stand in an event after the last one of the answer.
        let usage = event.get("usage").filter(|usage| usage.is_object()).map(usage);
        let parts = text.into_iter().chain(calls.map(call_part)).chain(usage);
        let cut_off = (reason == Some("length")).then_some(AnswerPart::CutOff);
        parts.chain(cut_off).chain(reason.map(|_| AnswerPart::Finished)).collect()
    }
}

/// Returns a message in the provider's form: one for each result of a tool.
fn messages(message: &ModelMessage) -> Vec<Value> {
    match message {
        ModelMessage::Visitor(text) => vec![json!({"role": "user", "content": text})],
        ModelMessage::Model { text, calls } if calls.is_empty() => {
            vec![json!({"role": "assistant", "content": text})]
        }
        ModelMessage::Model { text, calls } => {
            let text = (!text.is_empty()).then_some(text);
            let calls: Vec<_> = calls.iter().map(call).collect();
            vec![json!({"role": "assistant", "content": text, "tool_calls": calls})]
        }
        ModelMessage::ToolResults(results) => results.iter().map(result).collect(),
    }
}

fn call(call: &ModelToolCall) -> Value {
    // Some servers parse the arguments of earlier calls, so malformed ones are left out.
    let arguments: Value = serde_json::from_str(&call.arguments).unwrap_or_else(|_| json!({}));
    let function = json!({"name": call.name, "arguments": arguments.to_string()});
    json!({"id": call.id, "type": "function", "function": function})
}

fn result(result: &ModelToolResult) -> Value {
    // This format has no mark for errors, so the text says it.
    let text = if result.is_error { format!("Error: {}", result.text) } else { result.text.clone() };
    json!({"role": "tool", "tool_call_id": result.id, "content": text})
}

fn tool(tool: &ModelTool) -> Value {
    let function = json!({"name": tool.name, "description": tool.description, "parameters": tool.schema});
    json!({"type": "function", "function": function})
}

fn call_part(call: &Value) -> AnswerPart {
    let text = |pointer| call.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
    AnswerPart::Call(CallPart {
        index: call["index"].as_u64().unwrap_or_default(),
        id: text("/id"),
        name: text("/function/name"),
        arguments: text("/function/arguments"),
    })
}

fn usage(usage: &Value) -> AnswerPart {
    let tokens = |name: &str| usage[name].as_u64();
    AnswerPart::Usage { input_tokens: tokens("prompt_tokens"), output_tokens: tokens("completion_tokens") }
}
