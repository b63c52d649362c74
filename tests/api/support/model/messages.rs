//! Requests and answers of the Messages API.

use serde_json::{Value, json};

use super::{MODEL_KEY, ScriptedCall, halves};

/// The number of events up to the end of the first half of a text.
pub(super) const FIRST_HALF_EVENTS: usize = 4;

/// Returns the events of a complete answer.
pub(super) fn complete(
    text: &str,
    calls: &[ScriptedCall],
    is_cut_off: bool,
    usage: (u64, u64),
) -> Vec<String> {
    let mut events = vec![start(usage), event(&json!({"type": "ping"}))];
    let mut index = 0;
    if !text.is_empty() {
        let deltas = halves(text).map(|half| json!({"type": "text_delta", "text": half}));
        events.extend(block(index, &json!({"type": "text", "text": ""}), &deltas));
        index += 1;
    }
    for (tool, arguments) in calls {
        let id = format!("toolu_{index}");
        let arguments = arguments.to_string();
        let deltas = halves(&arguments).map(|half| json!({"type": "input_json_delta", "partial_json": half}));
        events.extend(block(
            index,
            &json!({"type": "tool_use", "id": id, "name": tool, "input": {}}),
            &deltas,
        ));
        index += 1;
    }
    let reason = match (is_cut_off, calls.is_empty()) {
        (true, _) => "max_tokens",
        (false, true) => "end_turn",
        (false, false) => "tool_use",
    };
    let delta = json!({"stop_reason": reason, "stop_sequence": null});
    events
        .push(event(&json!({"type": "message_delta", "delta": delta, "usage": {"output_tokens": usage.1}})));
    events.push(event(&json!({"type": "message_stop"})));
    events
}

/// Returns the events of an answer up to the end of this text.
pub(super) fn beginning(text: &str, usage: (u64, u64)) -> Vec<String> {
    let deltas = halves(text).map(|half| json!({"type": "text_delta", "text": half}));
    let mut events = vec![start(usage)];
    events.extend(block(0, &json!({"type": "text", "text": ""}), &deltas));
    events.truncate(events.len() - 1);
    events
}

/// Returns the event of an overloaded provider.
pub(super) fn overloaded() -> String {
    let error = json!({"type": "overloaded_error", "message": format!("Overloaded by {MODEL_KEY}")});
    event(&json!({"type": "error", "error": error}))
}

/// Returns the results of tools in the last message, and true for errors.
pub(super) fn last_results(body: &Value) -> Vec<(String, bool)> {
    let last = body["messages"].as_array().unwrap().last().unwrap();
    let blocks = last["content"].as_array().unwrap().iter();
    let results = blocks.filter(|block| block["type"] == "tool_result");
    results
        .map(|result| {
            let text = result["content"].as_str().unwrap().to_owned();
            (text, result["is_error"].as_bool().unwrap_or_default())
        })
        .collect()
}

fn start((input_tokens, _): (u64, u64)) -> String {
    let usage = json!({
        "input_tokens": input_tokens, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
        "output_tokens": 1,
    });
    let message = json!({
        "id": "msg_1", "type": "message", "role": "assistant", "content": [], "stop_reason": null,
        "usage": usage,
    });
    event(&json!({"type": "message_start", "message": message}))
}

/// Returns the events of one block of the content.
fn block(index: usize, start: &Value, deltas: &[Value]) -> Vec<String> {
    let mut events =
        vec![event(&json!({"type": "content_block_start", "index": index, "content_block": start}))];
    let delta = |delta: &Value| json!({"type": "content_block_delta", "index": index, "delta": delta});
    events.extend(deltas.iter().map(|it| event(&delta(it))));
    events.push(event(&json!({"type": "content_block_stop", "index": index})));
    events
}

fn event(data: &Value) -> String {
    format!("event: {}\ndata: {data}\n\n", data["type"].as_str().unwrap())
}
