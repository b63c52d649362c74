//! The tools that the model has, and what each asks of the game.

use serde_json::{Map, Value, json};

use super::game::{Game, Told};

/// What the model may call.
pub fn described() -> anyhow::Result<Value> {
    Ok(serde_json::from_str(include_str!("tools.json"))?)
}

/// Calls a tool. Whoever paints shows the digest of the chat that the model was just given.
pub async fn call(game: &Game, call: &Value, digest: Option<&str>, turn: &str) -> anyhow::Result<Told> {
    let (name, input) = (call["name"].as_str().unwrap_or_default(), &call["input"]);
    let mut body = input.as_object().cloned().unwrap_or_else(Map::new);
    // The same call, should it ever be sent twice, is done once. Models may begin anew with their ids in each turn.
    let once = &format!("{turn}-{}", call["id"].as_str().unwrap_or_default());
    match name {
        "look" => {
            let side = |name: &str| format!("{name}={}", input[name].as_i64().unwrap_or(-1));
            let part = ["x1", "y1", "x2", "y2"].map(side).join("&");
            game.look(&format!("/api/canvas/region?{part}&max_tokens=1500")).await
        }
        "paint" => {
            body.extend(digest.map(|digest| ("chat_digest".to_owned(), json!(digest))));
            game.act("/api/pixels", &body, once).await
        }
        "say" => game.act("/api/chat", &body, once).await,
        _ => Ok(Told { well: false, text: format!("There is no tool called {name}.") }),
    }
}
