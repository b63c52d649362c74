//! The tools that read, with every argument by which something private could be found.

use serde_json::{Value, json};

use super::Secrets;
use super::callers::Caller;
use super::walk::Read;
use crate::support::Reply;

/// Calls every tool that only reads. Returns the responses.
pub async fn call_tools(caller: &Caller<'_>, secrets: &Secrets) -> Vec<Read> {
    let listed = send(caller, "tools/list", json!({})).await;
    let Ok(listed) = serde_json::from_str::<Value>(&listed.response) else { return Vec::new() };
    // The key of an operator is refused.
    let Some(tools) = listed["result"]["tools"].as_array() else { return Vec::new() };
    let reading = tools.iter().filter(|tool| tool["annotations"]["readOnlyHint"] == true);
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

/// Returns no arguments, and each argument that is a text with each secret.
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
    all
}

async fn send(caller: &Caller<'_>, method: &str, params: Value) -> Read {
    let message = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params});
    let reply = Reply::fetch(caller.server.mcp(caller.key.as_deref()).request(&message)).await;
    let response = String::from_utf8_lossy(&reply.bytes).into_owned();
    Read { request: message.to_string(), status: reply.status, response }
}
