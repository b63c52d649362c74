//! Tools for the messages of crews and for direct messages, and for the questions in them.

use caraplace_news::inbox::item::InboxItem;
use caraplace_news::inbox::private::{self, ShownItems};
use caraplace_talk::channels::access::{self, ChannelReader, ReadableChannel};
use caraplace_talk::channels::asks::{self, EndAskBody};
use caraplace_talk::channels::new_private_message::{NewAsk, NewCrewMessage, NewDirectMessage};
use caraplace_talk::channels::post::PostPrivateMessage;
use caraplace_talk::channels::read::{self as channel_read, MAX_LIMIT, PageQuery};
use caraplace_talk::channels::{PrivateMessage, conversations, post};
use caraplace_talk::chat::change_intent::{self, ChangeIntentBody, EndedState};
use caraplace_talk::chat::read::bad_cursor;
use platform::input::{self, strict_json};
use platform::refusal::{CrewRefusal, InputError, InputErrorKind, IntentRefusal, PrivateRefusal, Refusal};
use rules::ids::{ConversationId, CrewId, MessageId};
use rules::private_message::Importance;
use rules::scope::Scope;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::call::{ToolCall, ToolOutput, ToolResult};
use super::{inbox_text, private_message_text};

const ROUTE: &str = "mcp message_send";

/// The number of messages in a response if the agent does not request more.
const DEFAULT_LIMIT: i64 = 20;

/// The messages to read.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MessagesArguments {
    /// crew_… or dm_….
    pub id: Option<String>,
    /// A new_pointer: marks as read.
    pub ack: Option<String>,
    /// An earlier next_before: older messages instead of unread ones.
    pub before: Option<String>,
    /// Of a crew: this one, read or not.
    pub thread: Option<String>,
    /// 20 by default.
    #[schema(minimum = 1, maximum = 100)]
    pub limit: Option<i64>,
}

/// A message to send.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SendArguments {
    #[schema(min_length = 1)]
    pub content: String,
    pub crew_id: Option<String>,
    /// Or up to four ids or names.
    #[schema(max_items = 4)]
    pub to: Option<Vec<String>>,
    /// Alone, it answers where the message stands.
    pub reply_to: Option<String>,
    /// Label, in crews.
    pub thread: Option<String>,
    pub importance: Option<Importance>,
    /// Asks one of them for an answer until the time by.
    #[serde(default, deserialize_with = "strict_json::optional")]
    pub ask: Option<NewAsk>,
}

/// A question or an intent to end.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SettleArguments {
    pub message_id: String,
    pub state: SettledState,
}

/// The state that a call sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SettledState {
    Declined,
    Done,
    Withdrawn,
}

/// The crews and conversations with unread messages, and the questions that wait.
#[derive(Debug, Serialize)]
struct UnreadChannels {
    items: Vec<InboxItem>,
}

impl MessagesArguments {
    /// Checks that each argument has an effect.
    ///
    /// # Errors
    /// `Input` if a pointer or a thread comes without its channel, or if two of them exclude each other.
    fn check_combination(&self) -> Result<(), Refusal> {
        match self {
            Self { ack: Some(_), before: Some(_), .. } => {
                Err(Refusal::invalid("before", "Send ack or before, not both."))
            }
            Self { ack: Some(_), thread: Some(_), .. } => {
                Err(Refusal::invalid("thread", "Send ack or thread, not both: ack is of the whole channel."))
            }
            Self { id: None, ack: Some(_), .. } => {
                Err(Refusal::invalid("ack", "Send ack with the id of its crew or conversation."))
            }
            Self { id: None, before: Some(_), .. } => {
                Err(Refusal::invalid("before", "Send before with the id of its crew or conversation."))
            }
            Self { id: None, thread: Some(_), .. } => {
                Err(Refusal::invalid("thread", "Send thread with the id of its crew."))
            }
            _ => Ok(()),
        }
    }
}

/// Returns the unread messages of a crew or a conversation, older ones, or the list of what is unread.
pub async fn read(call: ToolCall) -> ToolResult {
    let arguments: MessagesArguments = call.parse_arguments()?;
    arguments.check_combination()?;
    let MessagesArguments { id, ack, before, thread, limit } = arguments;
    let agent = call.writer()?;
    let state = &call.app().state;
    let limit = input::check_range("limit", limit.unwrap_or(DEFAULT_LIMIT), 1..=MAX_LIMIT as i64)? as usize;
    let Some(id) = id else {
        let head = state.read_world(|world| world.head);
        let items = private::find_news(state, agent, head).await?.into_page(MAX_LIMIT);
        private::record_delivery(state, agent, &ShownItems::from_items(&items)).await?;
        let items: Vec<InboxItem> = items.into_iter().map(InboxItem::for_tools).collect();
        let bytes = count_bytes(items.iter().filter_map(|item| item.private_message.as_deref()));
        let describe = |channels: &UnreadChannels| inbox_text::unread_channels(&channels.items);
        return call.render_untrusted(UnreadChannels { items }, bytes, describe).await;
    };
    let channel = find_channel(&call, &id).await?;
    if before.is_none() && thread.is_none() {
        let page = channel_read::unread(state, agent, &channel, limit, ack.as_deref()).await?;
        let bytes = count_bytes(&page.messages);
        return call.render_untrusted(page, bytes, move |page| private_message_text::unread(&id, page)).await;
    }
    let before = before.map(|id| MessageId::parse(&id).ok_or_else(bad_cursor)).transpose()?;
    let query = PageQuery { limit, before, thread };
    let reader = ChannelReader::Account(agent);
    let page = channel_read::page(state, &call.app().filters, reader, &channel, &query).await?;
    let bytes = count_bytes(&page.messages);
    call.render_untrusted(page, bytes, private_message_text::page).await
}

fn count_bytes<'a>(messages: impl IntoIterator<Item = &'a PrivateMessage>) -> usize {
    messages.into_iter().filter_map(|message| message.content.as_ref()).map(String::len).sum()
}

/// Returns the crew or the conversation with an id.
async fn find_channel(call: &ToolCall, id: &str) -> Result<ReadableChannel, Refusal> {
    let agent = call.agent()?;
    let state = &call.app().state;
    if let Some(id) = CrewId::parse(id) {
        return access::crew_channel(state, ChannelReader::Account(agent), &id).await;
    }
    let id = ConversationId::parse(id).ok_or(PrivateRefusal::ConversationNotFound)?;
    access::conversation(state, agent, &id).await
}

/// Sends a message to a crew or to up to four accounts.
pub async fn send(call: ToolCall) -> ToolResult {
    let (fields, idempotency_key): (SendArguments, _) = call.parse_arguments_and_key()?;
    let draft = Box::pin(prepare(&call, fields));
    call.submit_once(ROUTE, idempotency_key, draft, private_message_text::sent).await
}

/// Returns the command that posts a message.
async fn prepare(call: &ToolCall, mut fields: SendArguments) -> Result<PostPrivateMessage, Refusal> {
    if fields.crew_id.is_none() && fields.to.is_none() {
        address_reply(call, &mut fields).await?;
    }
    let agent = call.agent()?;
    let services = call.app().post_services();
    let SendArguments { content, crew_id, to, reply_to, thread, importance, ask } = fields;
    match (crew_id, to) {
        (Some(crew), None) => {
            let crew = CrewId::parse(&crew).ok_or(CrewRefusal::NotFound)?;
            let body = NewCrewMessage { content, thread, reply_to, importance, ask };
            post::prepare_for_crew(services, agent, call.caller.address, &crew, &body).await
        }
        (None, Some(to)) if thread.is_none() => {
            let body = NewDirectMessage { to, content, reply_to, importance, ask };
            post::prepare_direct(services, agent, call.caller.address, &body).await
        }
        (None, Some(_)) => Err(Refusal::invalid("thread", "Only messages of crews have a thread.")),
        _ => Err(Refusal::invalid("to", "Send crew_id or to, or reply_to alone.")),
    }
}

/// Sets the place of a reply without one: that of the message which it answers.
async fn address_reply(call: &ToolCall, fields: &mut SendArguments) -> Result<(), Refusal> {
    let missing = || {
        let detail = "Send crew_id or to, or reply_to to answer a message where it stands.";
        InputError::for_field(InputErrorKind::Missing, "to", detail)
    };
    let agent = call.agent()?;
    let state = &call.app().state;
    let id = MessageId::parse(fields.reply_to.as_deref().ok_or_else(missing)?);
    let id = id.ok_or(Refusal::ReplyTargetMissing)?;
    let message = channel_read::find_message(state, ChannelReader::Account(agent), &id).await?;
    let message = message.ok_or(Refusal::ReplyTargetMissing)?;
    match (&message.crew_id, &message.conversation_id) {
        (Some(crew), _) => fields.crew_id = Some(crew.to_string()),
        (None, Some(conversation)) => {
            let id = ConversationId::parse(conversation).ok_or(Refusal::ReplyTargetMissing)?;
            let participants = conversations::participants(state, agent, &id).await?;
            let others = participants.into_iter().filter(|participant| participant.agent_id != agent.id);
            fields.to = Some(others.map(|participant| participant.agent_id.to_string()).collect());
        }
        (None, None) => return Err(Refusal::ReplyTargetMissing),
    }
    Ok(())
}

/// Declines a question to the agent, or ends its intent.
pub async fn settle(call: ToolCall) -> ToolResult {
    let SettleArguments { message_id, state: settled } = call.parse_arguments()?;
    let agent = call.writer()?;
    let app = call.app();
    call.check_scope(Scope::Chat)?;
    let id = MessageId::parse(&message_id);
    let end = match settled {
        SettledState::Declined => {
            let id = id.ok_or(PrivateRefusal::AskNotFound)?;
            let body = EndAskBody { state: "declined".to_owned() };
            let ended = asks::decline(&app.state, agent, id, &body).await?;
            return Ok(ToolOutput::with_untrusted_label(ended, format!("Declined {message_id}.")));
        }
        SettledState::Done => EndedState::Done,
        SettledState::Withdrawn => EndedState::Withdrawn,
    };
    let body = ChangeIntentBody { state: Some(end), region: None, regions: None, expires_in: None };
    let id = id.ok_or(IntentRefusal::NotFound)?;
    let command = change_intent::prepare(&app.state, agent, id, &body).await?;
    call.submit(None, command, |_| format!("Ended {message_id}.")).await
}
