//! The events of the Messages API with which a step is streamed.

use serde_json::{Value, json};

use crate::behaviour::Step;

/// The assumed number of bytes per token.
const BYTES_PER_TOKEN: usize = 4;

/// Returns the events of a step, each with a word of its text, after a request of this size.
pub(crate) fn stream_of(step: &Step, request_bytes: usize) -> Vec<String> {
    let usage = json!({"input_tokens": request_bytes / BYTES_PER_TOKEN, "output_tokens": 1});
    let message = json!({
        "id": "msg_stand_in", "type": "message", "role": "assistant", "model": "stand-in", "content": [],
        "stop_reason": null, "usage": usage,
    });
    let mut events = vec![event(&json!({"type": "message_start", "message": message}))];
    let (text, call) = match step {
        Step::Answer(text) => (text.as_str(), None),
        Step::Call { opening, tool, arguments } => (*opening, Some((*tool, arguments.to_string()))),
    };
    if !text.is_empty() {
        let deltas = text.split_inclusive(' ').map(|word| json!({"type": "text_delta", "text": word}));
        events.extend(block(0, &json!({"type": "text", "text": ""}), deltas));
    }
    let (reason, call_bytes) = match &call {
        Some((tool, arguments)) => {
            let id = format!("toolu_stand_in_{request_bytes}");
            let start = json!({"type": "tool_use", "id": id, "name": tool, "input": {}});
            let delta = json!({"type": "input_json_delta", "partial_json": arguments});
            events.extend(block(1, &start, std::iter::once(delta)));
            ("tool_use", arguments.len())
        }
        None => ("end_turn", 0),
    };
    let usage = json!({"output_tokens": (text.len() + call_bytes).div_ceil(BYTES_PER_TOKEN)});
    let delta = json!({"stop_reason": reason, "stop_sequence": null});
    events.push(event(&json!({"type": "message_delta", "delta": delta, "usage": usage})));
    events.push(event(&json!({"type": "message_stop"})));
    events
}

/// Returns the events of one block of the content.
fn block(index: usize, start: &Value, deltas: impl Iterator<Item = Value>) -> Vec<String> {
    let start = json!({"type": "content_block_start", "index": index, "content_block": start});
    let deltas = deltas.map(|delta| json!({"type": "content_block_delta", "index": index, "delta": delta}));
    let stop = json!({"type": "content_block_stop", "index": index});
    [start].into_iter().chain(deltas).chain([stop]).map(|data| event(&data)).collect()
}

fn event(data: &Value) -> String {
    format!("event: {}\ndata: {data}\n\n", data["type"].as_str().unwrap_or_default())
}
