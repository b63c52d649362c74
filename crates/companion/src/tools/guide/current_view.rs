//! The tool that tells what the visitor looks at.

use caraplace_canvas::history::point_in_time::PointInTime;
use platform::refusal::Refusal;
use platform::time_format::format_utc;
use rules::token_budget::TokenBudget;
use serde::Deserialize;
use utoipa::ToSchema;

use super::context::{ContextRegion, GuideContext};
use super::{pixel, read};
use crate::tools::call::{ToolCall, ToolResult};
use crate::tools::{canvas, past_canvas, readable};

/// The budget of the visible part of the canvas as text.
const REGION_TOKENS: usize = 1_000;

/// No arguments.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ContextArguments {}

/// Tells what the visitor looks at: each part of it in full, as far as it exists.
///
/// # Errors
/// `Input` for unknown arguments.
pub async fn context(call: ToolCall) -> ToolResult {
    let ContextArguments {} = call.parse_arguments()?;
    let context = &call.guide()?.context;
    if context.is_empty() {
        let text = "The visitor looks at the whole canvas as it is now. Nothing is selected.";
        return Ok(super::output(text));
    }
    let at = context.moment()?;
    let mut parts = vec![part("The page shows", describe_moment(&call, at).await)?];
    if let Some((x, y)) = context.pixel() {
        parts.push(part("The selected pixel:", pixel::describe(&call, x, y, at).await)?);
    }
    parts.extend(describe_selection(&call, context).await?);
    if let Some(region) = context.region {
        parts.push(part("The visible part of the canvas:", describe_region(&call, region, at).await)?);
    }
    Ok(super::output(parts.join("\n\n")))
}

/// Describes the selected message, agent and plan.
async fn describe_selection(call: &ToolCall, context: &GuideContext) -> Result<Vec<String>, Refusal> {
    let mut parts = Vec::new();
    if let Some(id) = &context.message_id {
        parts.push(part("The selected message:", read::message(call, id).await)?);
    }
    if let Some(id) = &context.agent_id {
        parts.push(part("The selected agent:", read::agent(call, id).await)?);
    }
    if let Some(id) = &context.plan_id {
        parts.push(part("The selected plan:", read::plan(call, id).await)?);
    }
    Ok(parts)
}

/// Returns one part of the description. If a part is refused, it consists of the reason, and the other parts
/// are still described.
///
/// # Errors
/// `Internal`.
fn part(title: &str, description: Result<String, Refusal>) -> Result<String, Refusal> {
    match description {
        Ok(text) => Ok(format!("{title} {text}")),
        Err(refusal @ Refusal::Internal(_)) => Err(refusal),
        Err(refusal) => Ok(format!("{title} it cannot be read. {refusal}")),
    }
}

async fn describe_moment(call: &ToolCall, at: Option<PointInTime>) -> Result<String, Refusal> {
    let Some(at) = at else {
        let now = format_utc(call.app().state.clock.now());
        return Ok(format!("the canvas as it is now, {now}, at event {}.", call.app().history.head()));
    };
    let (canvas, _permit) = past_canvas::find_at(call, at).await?;
    Ok(format!("the canvas of the past, after event {}, {}.", canvas.seq, format_utc(canvas.at)))
}

async fn describe_region(
    call: &ToolCall,
    region: ContextRegion,
    at: Option<PointInTime>,
) -> Result<String, Refusal> {
    let app = call.app();
    let budget = TokenBudget::from_tokens(REGION_TOKENS);
    let summary = match at {
        None => canvas::newest_region(app, region.into(), budget).await?,
        Some(at) => {
            let (past, permit) = past_canvas::find_at(call, at).await?;
            canvas::past_region(region.into(), budget, past, permit).await?
        }
    };
    Ok(readable::region(&summary))
}

#[cfg(test)]
mod tests {
    use super::*;
    use platform::refusal::{PlanRefusal, internal};

    #[test]
    fn a_part_that_cannot_be_read_says_why() {
        let missing = part("The selected plan:", Err(PlanRefusal::NotFound.into())).unwrap();
        assert_eq!(missing, "The selected plan: it cannot be read. There is no plan with this id.");
        assert!(part("The selected plan:", Err(internal("a test")("failed"))).is_err());
    }
}
