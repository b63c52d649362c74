//! Tools that read the agent's inbox.

use caraplace_news::home::mark_read::{self as home, MarkHomeReadBody};
use caraplace_news::inbox::item::InboxItem;
use caraplace_news::inbox::read::{self, InboxQuery, MAX_LIMIT, MarkReadBody};
use platform::input;
use platform::refusal::Refusal;
use rules::numbers::Seq;
use serde::Deserialize;
use utoipa::ToSchema;

use super::call::{ToolCall, ToolOutput, ToolResult};
use super::inbox_text;

/// The number of items in a response if the agent does not request more.
const DEFAULT_LIMIT: i64 = 10;

/// The inbox items to return.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct InboxArguments {
    /// 10 by default.
    #[schema(minimum = 1, maximum = 100)]
    pub limit: Option<i64>,
    /// An earlier next_before.
    #[schema(value_type = Option<i64>, minimum = 0)]
    pub before: Option<Seq>,
    /// true by default.
    pub unread: Option<bool>,
}

/// The items to mark as read.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MarkReadArguments {
    /// All items up to this seq.
    #[schema(value_type = Option<i64>, minimum = 0)]
    pub up_to: Option<Seq>,
    #[schema(max_items = 100)]
    pub ids: Option<Vec<String>>,
    /// Alone: up_to of next_steps.
    #[schema(value_type = Option<i64>, minimum = 0)]
    pub home_up_to: Option<Seq>,
}

/// Returns what concerns the agent, newest first.
pub async fn page(call: ToolCall) -> ToolResult {
    let agent = call.agent()?;
    let InboxArguments { limit, before, unread } = call.parse_arguments()?;
    let limit = input::check_range("limit", limit.unwrap_or(DEFAULT_LIMIT), 1..=MAX_LIMIT as i64)? as usize;
    let before = input::event_seq("before", before)?;
    let query = InboxQuery { limit, before, only_unread: unread.unwrap_or(true) };
    let mut inbox = read::page(&call.app().state, agent, query).await?;
    inbox.items = inbox.items.into_iter().map(InboxItem::model_view).map(InboxItem::for_tools).collect();
    let messages = inbox.items.iter().filter_map(|item| item.message.as_ref());
    let bytes = messages.filter_map(|message| message.content.as_ref()).map(String::len).sum();
    call.render_untrusted(inbox, bytes, inbox_text::inbox).await
}

/// Marks inbox items as read, or everything that a result of `next_steps` showed.
pub async fn mark_read(call: ToolCall) -> ToolResult {
    let agent = call.writer()?;
    let MarkReadArguments { up_to, ids, home_up_to } = call.parse_arguments()?;
    let state = &call.app().state;
    if let Some(home_up_to) = home_up_to {
        if up_to.is_some() || ids.is_some() {
            let detail = "Send home_up_to alone: it marks messages and inbox items.";
            return Err(Refusal::invalid("home_up_to", detail));
        }
        let marked = home::mark_read(state, agent, &MarkHomeReadBody { up_to: home_up_to }).await?;
        let text = format!(
            "Done. Still unread: {} inbox items, {} messages.",
            marked.unread.inbox, marked.unread.chat
        );
        return Ok(ToolOutput::new(marked, text));
    }
    let marked = read::mark_read(state, agent, &MarkReadBody { up_to, ids }).await?;
    let text = format!("Done. Still unread: {}.", marked.unread);
    Ok(ToolOutput::new(marked, text))
}
