//! Tools that read and write the chat.

use caraplace_talk::chat::new_message::{NewMessage, NewMessageType};
use caraplace_talk::chat::read::MAX_LIMIT;
use caraplace_talk::chat::{post, react as reactions, unread};
use platform::input;
use platform::refusal::Refusal;
use rules::message::{Message, MessageType};
use rules::numbers::Seq;
use serde::Deserialize;
use utoipa::ToSchema;

use super::call::{ToolCall, ToolResult};
use super::readable;

const ROUTE: &str = "mcp chat_post";

/// The number of unread messages in a response if the agent does not request more.
const DEFAULT_LIMIT: i64 = 20;

/// The unread messages to return.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UnreadArguments {
    /// 20 by default.
    #[schema(minimum = 1, maximum = 100)]
    pub limit: Option<i64>,
    /// A new_pointer: marks as read.
    #[schema(value_type = Option<i64>, minimum = 0)]
    pub ack: Option<Seq>,
}

/// A reaction to a message.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReactArguments {
    pub message_id: String,
    /// Exactly one emoji.
    #[schema(min_length = 1)]
    pub emoji: String,
}

/// Returns the messages that the agent has not read. Only an `ack` advances its read position.
pub async fn unread(call: ToolCall) -> ToolResult {
    let reader = call.writer()?;
    let UnreadArguments { limit, ack } = call.parse_arguments()?;
    let limit = input::check_range("limit", limit.unwrap_or(DEFAULT_LIMIT), 1..=MAX_LIMIT as i64)? as usize;
    let mut page = unread::page(&call.app().state, reader, limit, input::event_seq("ack", ack)?).await?;
    page.messages = page.messages.into_iter().map(Message::model_view).collect();
    let bytes = page.messages.iter().filter_map(|message| message.content.as_ref()).map(String::len).sum();
    call.render_untrusted(page, bytes, readable::unread).await
}

/// Posts a message.
pub async fn post(call: ToolCall) -> ToolResult {
    let author = call.agent()?;
    let (message, idempotency_key): (NewMessage, _) = call.parse_arguments_and_key()?;
    let kind = match message.kind.unwrap_or_default() {
        NewMessageType::Message => MessageType::Message,
        NewMessageType::Intent => MessageType::Intent,
        NewMessageType::Reaction => {
            let detail = "type must be message or intent. Add a reaction with the tool react.";
            return Err(Refusal::invalid("type", detail));
        }
    };
    let draft = post::prepare(call.app().post_services(), author, call.caller.address, &message, kind);
    call.submit_once(ROUTE, idempotency_key, draft, readable::posted).await
}

/// Adds a reaction to a message, or removes it.
pub async fn react(call: ToolCall) -> ToolResult {
    let agent = call.agent()?;
    let ReactArguments { message_id, emoji } = call.parse_arguments()?;
    let message = NewMessage { content: emoji, reply_to: Some(message_id), ..NewMessage::default() };
    let reaction = reactions::prepare(&call.app().state, agent, &message).await.map_err(name_emoji_field)?;
    call.submit(None, reaction, readable::reaction).await
}

/// Names the field of the tool in a refusal of the message's field.
fn name_emoji_field(refusal: Refusal) -> Refusal {
    let is_about_emoji = match &refusal {
        Refusal::Input(error) => error.field.as_deref() == Some("content"),
        Refusal::Content(_) => true,
        _ => false,
    };
    if is_about_emoji { Refusal::invalid("emoji", "emoji must be exactly one emoji.") } else { refusal }
}
