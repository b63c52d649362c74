//! Requests and answers of chat completions.

use serde_json::{Value, json};

use super::{MODEL_KEY, ScriptedCall, halves};

/// The number of events up to the end of the first half of a text.
pub(super) const FIRST_HALF_EVENTS: usize = 2;

/// Returns the events of a complete answer.
pub(super) fn complete(
    text: &str,
    calls: &[ScriptedCall],
    is_cut_off: bool,
    (input_tokens, output_tokens): (u64, u64),
) -> Vec<String> {
    let mut events = beginning(text);
    for (index, (tool, arguments)) in calls.iter().enumerate() {
        let (id, arguments) = (format!("call_{index}"), arguments.to_string());
        let [first, second] = halves(&arguments);
        let function = json!({"name": tool, "arguments": first});
        let call = json!({"index": index, "id": id, "type": "function", "function": function});
        events.push(chunk(&json!({"tool_calls": [call]}), &Value::Null));
        let call = json!({"index": index, "function": {"arguments": second}});
        events.push(chunk(&json!({"tool_calls": [call]}), &Value::Null));
    }
    let reason = match (is_cut_off, calls.is_empty()) {
        (true, _) => "length",
        (false, true) => "stop",
        (false, false) => "tool_calls",
    };
    events.push(chunk(&json!({}), &json!(reason)));
    let usage = json!({"prompt_tokens": input_tokens, "completion_tokens": output_tokens});
    events.push(event(&json!({"object": "chat.completion.chunk", "choices": [], "usage": usage})));
    events.push("data: [DONE]\n\n".to_owned());
    events
}

/// Returns the events of an answer up to the end of this text.
pub(super) fn beginning(text: &str) -> Vec<String> {
    let mut events = vec![chunk(&json!({"role": "assistant", "content": ""}), &Value::Null)];
    if !text.is_empty() {
        events.extend(halves(text).map(|half| chunk(&json!({"content": half}), &Value::Null)));
    }
    events
}

/// Returns the event of an overloaded provider.
pub(super) fn overloaded() -> String {
    let message = format!("Overloaded by {MODEL_KEY}");
    event(&json!({"error": {"type": "overloaded_error", "message": message, "code": null}}))
}

/// Returns the results of tools at the end of the conversation. None of them is marked as an error.
pub(super) fn last_results(body: &Value) -> Vec<(String, bool)> {
    let messages = body["messages"].as_array().unwrap().iter().rev();
    let results = messages.take_while(|message| message["role"] == "tool");
    let mut texts: Vec<_> =
        results.map(|result| (result["content"].as_str().unwrap().to_owned(), false)).collect();
    texts.reverse();
    texts
}

fn chunk(delta: &Value, finish_reason: &Value) -> String {
    let choice = json!({"index": 0, "delta": delta, "finish_reason": finish_reason});
    event(&json!({"object": "chat.completion.chunk", "choices": [choice], "usage": null}))
}

fn event(data: &Value) -> String {
    format!("data: {data}\n\n")
}
