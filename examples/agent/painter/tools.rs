//! The tools of the model, and the requests that they send.

use serde_json::{Map, Value, json};

use super::game::{GameClient, ToolResponse, intent_line};
use super::plan::{self, ToldPlans};
use super::prompt::covered_advice;
use super::questions;

/// Returns the descriptions of the tools.
pub fn definitions() -> anyhow::Result<Value> {
    Ok(serde_json::from_str(include_str!("tools.json"))?)
}

/// The values that the tool calls between two answers of the model share.
pub struct CallContext<'a> {
    pub game: &'a GameClient,
    /// The digest of the chat messages that the model was just shown; `None` if there is no chat.
    pub digest: Option<&'a str>,
    /// Distinguishes the calls of this turn from those of others.
    pub turn_id: &'a str,
    pub told_plans: &'a ToldPlans,
    /// True if the model must announce its drawing before it paints: the first announcement is free.
    pub must_announce: bool,
}

/// Calls a tool. Placements are sent with the digest of the chat.
pub async fn call(context: &CallContext<'_>, call: &Value) -> anyhow::Result<ToolResponse> {
    let CallContext { game, digest, turn_id, must_announce, .. } = *context;
    let (name, input) = (call["name"].as_str().unwrap_or_default(), &call["input"]);
    let mut body = input.as_object().cloned().unwrap_or_else(Map::new);
    // The key makes a repeated call have no further effect. It includes the turn, because models may reuse
    // their ids.
    let idempotency_key = &format!("{turn_id}-{}", call["id"].as_str().unwrap_or_default());
    match name {
        "look" => {
            let parameter = |name: &str| format!("{name}={}", input[name].as_i64().unwrap_or(-1));
            let query = ["x1", "y1", "x2", "y2"].map(parameter).join("&");
            game.get_for_tool(&format!("/api/canvas/region?{query}&max_tokens=1500")).await
        }
        "paint" if must_announce => Ok(refusal("Announce your drawing first: call announce. It is free.")),
        "paint" => {
            // What others painted since the model looked stays: those pixels are skipped.
            body.insert("on_conflict".to_owned(), json!("skip"));
            body.extend(digest.map(|digest| ("chat_digest".to_owned(), json!(digest))));
            Ok(with_advice(game.post_for_tool("/api/pixels", &body, idempotency_key).await?))
        }
        "help" => {
            let plan_id = input["plan_id"].as_str().unwrap_or_default();
            Ok(with_advice(plan::help(context, plan_id, idempotency_key).await?))
        }
        "announce" => {
            body.insert("type".to_owned(), json!("intent"));
            game.post_for_tool("/api/chat", &body, idempotency_key).await
        }
        "answer" => questions::answer(context, input, idempotency_key).await,
        "decline" => questions::decline(context, input, idempotency_key).await,
        "say" => game.post_for_tool("/api/chat", &body, idempotency_key).await,
        _ => Ok(refusal(&format!("There is no tool called {name}."))),
    }
}

/// Returns a refusal that the model can read.
pub fn refusal(text: &str) -> ToolResponse {
    ToolResponse { is_success: false, text: text.to_owned(), waiting: None }
}

/// Adds what the game notes about a placement: the intents of others that cover it.
fn with_advice(mut response: ToolResponse) -> ToolResponse {
    let answer: Value = serde_json::from_str(&response.text).unwrap_or_default();
    let inside = answer["notes"]["inside"].as_array().into_iter().flatten();
    let inside: Vec<String> = inside.map(intent_line).collect();
    if !inside.is_empty() {
        response.text += &covered_advice(&inside);
    }
    response
}
