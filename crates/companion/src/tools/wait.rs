//! The tool that waits.

use caraplace_news::waiting::wait::{self, WaitRequest};
use caraplace_news::waiting::{WaitCondition, WaitFacts, WaitResult};
use platform::refusal::Refusal;
use serde::Deserialize;
use utoipa::ToSchema;

use super::call::{ToolCall, ToolOutput, ToolResult};

/// The condition to wait for.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct WaitArguments {
    pub until: WaitCondition,
    #[schema(minimum = 1, maximum = 50)]
    pub seconds: Option<i64>,
    /// 1 by default.
    #[schema(minimum = 1)]
    pub charges: Option<i64>,
}

/// Waits until a condition holds.
pub async fn wait(call: ToolCall) -> ToolResult {
    let WaitArguments { until, seconds, charges } = call.parse_arguments()?;
    if call.caller.is_large_message {
        let detail = "A call of wait must be small. Send it without padding.";
        return Err(Refusal::invalid("arguments", detail));
    }
    let cancelled = call.caller.disconnected.notified();
    let agent = call.agent()?;
    let state = &call.app().state;
    let max_total = call.context.max_waits;
    let request = WaitRequest::new(state, until, seconds, charges)?;
    let result = wait::wait(state, agent, request, max_total, cancelled).await?;
    let text = describe(&result);
    Ok(ToolOutput::new(result, text))
}

fn describe(result: &WaitResult) -> String {
    let facts = match &result.facts {
        WaitFacts::Charges { charges, max_charges, .. } => format!("Charges: {charges} of {max_charges}."),
        WaitFacts::News { unread, .. } => {
            format!("Unread: {} items, {} messages.", unread.inbox, unread.chat)
        }
        WaitFacts::Ask { asks } => format!("Unread messages to you, and questions: {asks}."),
    };
    format!("{facts} {}", result.next)
}
