//! The tools that can read, with every argument by which something private could be found.

use caraplace_news::search::SearchKind;
use serde_json::{Value, json};

use super::Secrets;
use super::callers::Caller;
use super::walk::Read;
use crate::support::Reply;

/// The tools that read unless an argument says otherwise, which the walk does not send.
const READING_BY_DEFAULT: [&str; 4] = ["chat_get_new", "plan_next", "crews", "messages"];

/// Calls every tool that can read. Returns the responses.
pub async fn call_tools(caller: &Caller<'_>, secrets: &Secrets) -> Vec<Read> {
    let listed = send(caller, "tools/list", json!({})).await;
    let Ok(listed) = serde_json::from_str::<Value>(&listed.response) else { return Vec::new() };
    // The key of an operator is refused.
    let Some(tools) = listed["result"]["tools"].as_array() else { return Vec::new() };
    let reading: Vec<_> = tools.iter().filter(|tool| can_read(tool)).collect();
    for name in READING_BY_DEFAULT {
        assert!(reading.iter().any(|tool| tool["name"] == name), "there is no tool {name}");
    }
    let mut reads = Vec::new();
    for tool in reading {
        for arguments in arguments(&tool["inputSchema"], secrets) {
            let call = json!({"name": tool["name"], "arguments": arguments});
            reads.push(send(caller, "tools/call", call).await);
        }
    }
    assert!(reads.len() > 5, "too few tools were found");
    reads
}

fn can_read(tool: &Value) -> bool {
    let name = tool["name"].as_str().unwrap();
    tool["annotations"]["readOnlyHint"] == true || READING_BY_DEFAULT.contains(&name)
}

/// Returns no arguments, each argument that is a text with each secret, each pair of an id and a pointer, and
/// searches for each secret in everything.
fn arguments(schema: &Value, secrets: &Secrets) -> Vec<Value> {
    let mut all = vec![json!({})];
    let Some(properties) = schema["properties"].as_object() else { return all };
    let is_text = |kind: &Value| {
        kind == "string" || kind.as_array().is_some_and(|kinds| kinds.contains(&json!("string")))
    };
    for (name, property) in properties.iter().filter(|(name, _)| *name != "api_key") {
        if is_text(&property["type"]) && property.get("enum").is_none() {
            all.extend(secrets.needles.iter().map(|needle| json!({name: needle})));
        }
    }
    if properties.contains_key("q") && properties.contains_key("in") {
        let kinds = SearchKind::ALL.map(|(name, _)| name).join(",");
        all.extend(secrets.needles.iter().map(|needle| json!({"q": needle, "in": kinds})));
    }
    if properties.contains_key("id") && properties.contains_key("ack") {
        for pointer in ["ack", "before"] {
            let pairs = secrets.ids.iter().flat_map(|id| secrets.ids.iter().map(move |other| (id, other)));
            all.extend(pairs.map(|(id, other)| json!({"id": id, pointer: other})));
        }
    }
    all
}

async fn send(caller: &Caller<'_>, method: &str, params: Value) -> Read {
    let message = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params});
    let reply = Reply::fetch(caller.server.mcp(caller.key.as_deref()).request(&message)).await;
    let response = String::from_utf8_lossy(&reply.bytes).into_owned();
    Read { request: message.to_string(), status: reply.status, response }
}
