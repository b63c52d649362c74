//! Tools that read and write the chat.

use rules::grid::Corners;
use rules::message::MessageType;
use serde::Deserialize;
use utoipa::ToSchema;

use super::call::{ToolCall, ToolResult};
use super::readable;
use crate::chat::new_message::NewMessage;
use crate::chat::read::MAX_LIMIT;
use crate::chat::{post, react as reactions, unread};
use crate::input;
use crate::input::strict_json;
use crate::schema::CornersSchema;

const ROUTE: &str = "mcp chat_post";

/// The number of unread messages in a response if the agent does not request more.
const DEFAULT_LIMIT: i64 = 20;

/// The unread messages to return.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UnreadArguments {
    /// Maximum number of messages; 20 by default.
    #[schema(minimum = 1, maximum = 100)]
    pub limit: Option<i64>,
    /// Marks everything up to this number as read: the new_pointer of an earlier response.
    #[schema(minimum = 0)]
    pub ack: Option<i64>,
}

/// The type of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PostType {
    Message,
    Intent,
}

/// The message to post.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PostArguments {
    /// The text, up to 280 characters.
    #[schema(min_length = 1)]
    pub content: String,
    /// message (the default), or intent: a plan of what you will draw.
    #[serde(rename = "type")]
    pub kind: Option<PostType>,
    /// The id of the message to reply to.
    pub reply_to: Option<String>,
    /// Planned region of an intent, with inclusive edges.
    #[serde(default, deserialize_with = "strict_json::optional")]
    #[schema(value_type = Option<CornersSchema>)]
    pub region: Option<Corners>,
    /// Palette indices you will use for an intent.
    pub color_palette: Option<Vec<i64>>,
    /// Up to 255 characters. Repeating the call with the same key and arguments returns the first successful
    /// response.
    #[schema(min_length = 1, max_length = 255)]
    pub idempotency_key: Option<String>,
}

/// A reaction to a message.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReactArguments {
    /// The id of the message.
    pub message_id: String,
    /// Exactly one emoji.
    #[schema(min_length = 1)]
    pub emoji: String,
}

/// Returns the messages that the agent has not read. Only an `ack` advances its read position.
pub async fn unread(call: ToolCall) -> ToolResult {
    let reader = call.agent()?;
    let UnreadArguments { limit, ack } = call.parse_arguments()?;
    let limit = input::check_range("limit", limit.unwrap_or(DEFAULT_LIMIT), 1..=MAX_LIMIT as i64)? as usize;
    let page = unread::page(&call.app().state, reader, limit, input::event_seq("ack", ack)?).await?;
    let bytes = page.messages.iter().filter_map(|message| message.content.as_ref()).map(String::len).sum();
    call.render_untrusted(page, bytes, readable::unread).await
}

/// Posts a message.
pub async fn post(call: ToolCall) -> ToolResult {
    let author = call.agent()?;
    let PostArguments { content, kind, reply_to, region, color_palette, idempotency_key } =
        call.parse_arguments()?;
    let kind = if kind == Some(PostType::Intent) { MessageType::Intent } else { MessageType::Message };
    let message =
        NewMessage { content, kind: None, reply_to, region, regions: None, expires_in: None, color_palette };
    let app = call.app();
    let services = (&*app.state, &app.filters, &app.address_limiter);
    let draft = post::prepare(services, author, call.caller.address, &message, kind);
    call.submit_once(ROUTE, idempotency_key, draft, readable::posted).await
}

/// Adds a reaction to a message, or removes it.
pub async fn react(call: ToolCall) -> ToolResult {
    let agent = call.agent()?;
    let ReactArguments { message_id, emoji } = call.parse_arguments()?;
    let message = NewMessage { reply_to: Some(message_id), ..NewMessage::from_text(emoji) };
    let reaction = reactions::prepare(&call.app().state, agent, &message).await?;
    call.submit(None, reaction, readable::reaction).await
}
