//! The tools of the model, and the requests that they send.

use serde_json::{Map, Value, json};

use super::game::{GameClient, ToolResponse};

/// Returns the descriptions of the tools.
pub fn definitions() -> anyhow::Result<Value> {
    Ok(serde_json::from_str(include_str!("tools.json"))?)
}

/// Calls a tool. Placements are sent with the digest of the chat messages that the model was just shown.
pub async fn call(
    game: &GameClient,
    call: &Value,
    digest: Option<&str>,
    turn: &str,
) -> anyhow::Result<ToolResponse> {
    let (name, input) = (call["name"].as_str().unwrap_or_default(), &call["input"]);
    let mut body = input.as_object().cloned().unwrap_or_else(Map::new);
    // The key makes a repeated call have no further effect. It includes the turn, because models may reuse
    // their ids.
    let idempotency_key = &format!("{turn}-{}", call["id"].as_str().unwrap_or_default());
    match name {
        "look" => {
            let parameter = |name: &str| format!("{name}={}", input[name].as_i64().unwrap_or(-1));
            let query = ["x1", "y1", "x2", "y2"].map(parameter).join("&");
            game.get_for_tool(&format!("/api/canvas/region?{query}&max_tokens=1500")).await
        }
        "paint" => {
            body.extend(digest.map(|digest| ("chat_digest".to_owned(), json!(digest))));
            game.post_for_tool("/api/pixels", &body, idempotency_key).await
        }
        "say" => game.post_for_tool("/api/chat", &body, idempotency_key).await,
        _ => Ok(ToolResponse { is_success: false, text: format!("There is no tool called {name}.") }),
    }
}
