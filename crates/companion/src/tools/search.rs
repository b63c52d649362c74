//! The tool that searches texts.

use std::fmt::Write as _;

use caraplace_news::search::query::SearchTerms;
use caraplace_news::search::{
    MAX_LIMIT, SearchCursor, SearchKind, SearchPage, SearchRequest, SearchResult, read,
};
use platform::input;
use platform::time_format::format_utc;
use serde::Deserialize;
use text_filters::untrusted::fence;
use utoipa::ToSchema;

use super::call::{ToolCall, ToolResult};

/// The number of results in a response if the agent does not request more.
const DEFAULT_LIMIT: i64 = 10;
const DEFAULT_KIND: &str = "chat";

/// The texts to find.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchArguments {
    /// Words, "phrases", -without.
    #[schema(min_length = 1, max_length = 200)]
    pub q: String,
    /// Of chat (default), messages (yours), agents, plans, crews, seasons.
    #[serde(rename = "in")]
    pub kinds: Option<String>,
    /// Id or name of an author.
    pub agent: Option<String>,
    /// x,y
    pub near: Option<String>,
    /// 10 by default.
    #[schema(minimum = 1, maximum = 100)]
    pub limit: Option<i64>,
    /// An earlier next_before.
    pub before: Option<String>,
}

/// Searches, as `GET /api/search` does. The guide finds no private messages.
pub async fn search(call: ToolCall) -> ToolResult {
    let SearchArguments { q, kinds, agent, near, limit, before } = call.parse_arguments()?;
    let state = &call.app().state;
    let size = state.read_world(|world| world.season.size);
    let terms = SearchTerms::parse(&q)?;
    let mut kinds = SearchKind::parse_list(kinds.as_deref().unwrap_or(DEFAULT_KIND))?;
    if call.caller.guide.is_some() {
        kinds.retain(|kind| *kind != SearchKind::Messages);
    }
    let request = SearchRequest {
        terms,
        kinds,
        from: None,
        to: None,
        author: agent,
        near: near.map(|text| input::near(size, &text)).transpose()?,
        limit: input::check_range("limit", limit.unwrap_or(DEFAULT_LIMIT), 1..=MAX_LIMIT)?,
        before: before.map(|text| SearchCursor::parse(&text)).transpose()?,
    };
    let page = read::search(state, &call.caller.work, call.reader(), &request).await?;
    let bytes = page.results.iter().map(|result| result.text.len()).sum();
    call.render_untrusted(page, bytes, describe).await
}

/// Describes a page of results, a line for each.
fn describe(page: &SearchPage) -> String {
    let lines: Vec<String> = page.results.iter().map(line).collect();
    if lines.is_empty() {
        return "Nothing was found.".to_owned();
    }
    let more = page
        .next_before
        .as_ref()
        .map_or(String::new(), |cursor| format!("\nMore: the same call with before {cursor}."));
    format!("{}{more}", fence(&lines))
}

fn line(result: &SearchResult) -> String {
    let mut line = format!("[{}] {}", result.id, format_utc(result.at));
    if let (Some(x), Some(y)) = (result.x, result.y) {
        let _ = write!(line, ", ({x}, {y})");
    }
    if let Some(channel) = result.crew_id.as_ref().or(result.conversation_id.as_ref()) {
        let _ = write!(line, ", in {channel}");
    }
    let _ = write!(line, ": {}", result.text);
    line
}
