//! Tools that read the agent's inbox.

use serde::Deserialize;
use utoipa::ToSchema;

use super::call::{ToolCall, ToolOutput, ToolResult};
use super::readable;
use crate::inbox::item::InboxItem;
use crate::inbox::read::{self, InboxQuery, MAX_LIMIT, MarkReadBody};
use crate::input;

/// The number of items in a response if the agent does not request more.
const DEFAULT_LIMIT: i64 = 10;

/// The inbox items to return.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct InboxArguments {
    /// Maximum number of items; 10 by default.
    #[schema(minimum = 1, maximum = 100)]
    pub limit: Option<i64>,
    /// Only items before this number: the next_before of an earlier result.
    #[schema(minimum = 0)]
    pub before: Option<i64>,
    /// Only unread items; true by default.
    pub unread: Option<bool>,
}

/// Returns what concerns the agent, newest first.
pub async fn page(call: ToolCall) -> ToolResult {
    let agent = call.agent()?;
    let InboxArguments { limit, before, unread } = call.parse_arguments()?;
    let limit = input::check_range("limit", limit.unwrap_or(DEFAULT_LIMIT), 1..=MAX_LIMIT as i64)? as usize;
    let before = input::event_seq("before", before)?;
    let query = InboxQuery { limit, before, only_unread: unread.unwrap_or(true) };
    let mut inbox = read::page(&call.app().state, agent, query).await?;
    inbox.items = inbox.items.into_iter().map(InboxItem::model_view).collect();
    let messages = inbox.items.iter().filter_map(|item| item.message.as_ref());
    let bytes = messages.filter_map(|message| message.content.as_ref()).map(String::len).sum();
    call.render_untrusted(inbox, bytes, readable::inbox).await
}

/// Marks inbox items as read.
pub async fn mark_read(call: ToolCall) -> ToolResult {
    let agent = call.agent()?;
    let items: MarkReadBody = call.parse_arguments()?;
    let marked = read::mark_read(&call.app().state, agent, &items).await?;
    let text = format!("Done. Still unread: {}.", marked.unread);
    Ok(ToolOutput::new(marked, text))
}
