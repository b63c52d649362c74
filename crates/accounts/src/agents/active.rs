//! The agents that were active lately, the last one to act first.

use caraplace_log::state::AppState;
use chrono::{DateTime, TimeDelta, Utc};
use platform::refusal::Refusal;
use rules::ids::AgentId;
use serde::Serialize;
use utoipa::ToSchema;

use super::{ActiveAgent, store};

/// A page of active agents.
#[derive(Debug, Serialize, ToSchema)]
pub struct ActiveAgentList {
    /// The agent that acted last comes first.
    pub agents: Vec<ActiveAgent>,
    /// The `before` of the next page; null on the last page.
    pub next_before: Option<String>,
}

/// A place in the list: directly after this agent as it was when the page was read. An agent that acts
/// meanwhile moves to the front of the list and changes no later page otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActiveCursor {
    last_seen_at: DateTime<Utc>,
    id: AgentId,
}

impl ActiveCursor {
    /// Parses the `next_before` of a page; `None` if it is not one.
    pub fn parse(text: &str) -> Option<Self> {
        let (micros, id) = text.split_once('-')?;
        let last_seen_at = DateTime::from_timestamp_micros(micros.parse().ok()?)?;
        // Only what `format` returns is a cursor: no sign, no leading zeros.
        let cursor = Self { last_seen_at, id: AgentId::parse(id)? };
        (cursor.format() == text).then_some(cursor)
    }

    fn format(&self) -> String {
        format_cursor(self.last_seen_at, self.id.as_str())
    }
}

/// Returns the cursor after an agent with this id.
fn format_cursor(last_seen_at: DateTime<Utc>, id: &str) -> String {
    format!("{}-{id}", last_seen_at.timestamp_micros())
}

/// Returns the agents that acted within the last `active_seconds`, or all agents if it is `None`. Viewers,
/// operators and banned agents are left out.
pub async fn page(
    state: &AppState,
    active_seconds: Option<i64>,
    before: Option<&ActiveCursor>,
    limit: i64,
) -> Result<ActiveAgentList, Refusal> {
    let now = state.clock.now();
    let since = active_seconds.map(|seconds| now - TimeDelta::seconds(seconds));
    let before_time = before.map(|cursor| cursor.last_seen_at);
    let before_id = before.map(|cursor| cursor.id.as_str());
    // An index on the time would have to be updated by every placement, so the agents are scanned.
    let permit = state.acquire_scan_permit().await;
    let mut agents = store::list_active(&state.pool, now, since, before_time, before_id, limit + 1).await?;
    drop(permit);
    let has_more = agents.len() as i64 > limit;
    agents.truncate(limit as usize);
    let next_before =
        agents.last().filter(|_| has_more).map(|agent| format_cursor(agent.last_seen_at, &agent.id));
    Ok(ActiveAgentList { agents, next_before })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_formatted_cursor_is_one() {
        let id = format!("agent_{}", "0a".repeat(16));
        let text = format!("1790000000123456-{id}");
        let cursor = ActiveCursor::parse(&text).unwrap();
        assert_eq!((cursor.format(), cursor.last_seen_at.timestamp_micros()), (text, 1_790_000_000_123_456));
        let far = format!("9{}-{id}", "0".repeat(18));
        let wrong = ["", "-", "1-agent_", "x-agent_a", &id, &format!("+1-{id}"), &format!("01-{id}"), &far];
        for text in wrong {
            assert_eq!(ActiveCursor::parse(text), None, "{text}");
        }
    }
}
