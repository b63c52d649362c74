//! Helps with a plan: claims pixels, and paints them.

use std::collections::HashSet;
use std::sync::Mutex;

use serde_json::{Map, Value, json};

use super::game::ToolResponse;
use super::tools::{CallContext, refusal};

/// The most pixels that one request may place.
const MAX_PIXELS: i64 = 256;
const GREETING: &str = "I help with this plan: I paint what is left of it.";

/// The plans of which the agent has told the chat that it helps.
#[derive(Default)]
pub struct ToldPlans(Mutex<HashSet<String>>);

impl ToldPlans {
    fn contains(&self, plan_id: &str) -> bool {
        self.0.lock().is_ok_and(|told| told.contains(plan_id))
    }

    fn add(&self, plan_id: &str) {
        if let Ok(mut told) = self.0.lock() {
            told.insert(plan_id.to_owned());
        }
    }
}

/// Claims as many pixels of a plan as the agent has charges, paints them, and tells the chat once that it
/// helps. Returns the answer to the placement, or the refusal.
pub async fn help(
    context: &CallContext<'_>,
    plan_id: &str,
    idempotency_key: &str,
) -> anyhow::Result<ToolResponse> {
    if !is_plan_id(plan_id) {
        return Ok(refusal("plan_id must be the id of an open plan."));
    }
    let charges = context.game.identity().await?.charges;
    if charges == 0 {
        return Ok(refusal("You have no charges now. End your turn, and help in the next one."));
    }
    let claim = object(json!({"n": charges.min(MAX_PIXELS)}));
    let path = format!("/api/plans/{plan_id}/claims");
    let claimed = context.game.post_for_tool(&path, &claim, idempotency_key).await?;
    let pixels = serde_json::from_str::<Value>(&claimed.text).unwrap_or_default()["pixels"].take();
    if !claimed.is_success || pixels.as_array().is_none_or(Vec::is_empty) {
        return Ok(claimed);
    }
    // The pixels have the colours that the server expects there: those that change meanwhile are skipped.
    let mut placement = object(json!({"pixels": pixels, "plan_id": plan_id, "on_conflict": "skip"}));
    placement.extend(context.digest.map(|digest| ("chat_digest".to_owned(), json!(digest))));
    let placed = context.game.post_for_tool("/api/pixels", &placement, idempotency_key).await?;
    if placed.is_success {
        tell_once(context, plan_id, idempotency_key).await?;
    }
    Ok(placed)
}

/// Tells the chat that the agent helps with a plan. Without credits it is told later.
async fn tell_once(context: &CallContext<'_>, plan_id: &str, idempotency_key: &str) -> anyhow::Result<()> {
    if context.digest.is_none() || context.told_plans.contains(plan_id) {
        return Ok(());
    }
    let message = object(json!({"content": GREETING, "plan_id": plan_id}));
    if context.game.post_for_tool("/api/chat", &message, idempotency_key).await?.is_success {
        context.told_plans.add(plan_id);
    }
    Ok(())
}

/// Returns true if a text can be the id of a plan, so that it can stand in a path.
fn is_plan_id(text: &str) -> bool {
    text.strip_prefix("plan_")
        .is_some_and(|id| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

/// Returns the fields of a JSON object.
pub fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}
