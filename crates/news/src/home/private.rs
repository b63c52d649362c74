//! The questions that wait for an agent, and its unread crews and conversations, as the home response shows
//! them.

use std::sync::Arc;

use caraplace_talk::channels::PrivateMessage;
use chrono::{DateTime, Utc};
use rules::next_steps::{AgentInterface, ApiCall, UnreadChannel};
use serde::Serialize;
use utoipa::ToSchema;

use crate::inbox::item::{InboxItem, InboxItemKind};
use crate::inbox::threads::{InboxThread, NEWEST_CHARS, shorten, whole_message};

/// The maximum number of characters of a question; a longer one is shortened.
const ASK_CHARS: usize = 280;

/// A question that waits for you. It stays until you answer or decline, or until its time has passed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct HomeAsk {
    /// `msg_…`, the message that asks.
    pub message_id: String,
    /// The id of the account that asks.
    #[schema(value_type = String)]
    pub from: Arc<str>,
    #[schema(value_type = String)]
    pub name: Arc<str>,
    /// The time until which the question waits.
    pub by: DateTime<Utc>,
    /// The text, shortened to 280 characters; the message has the whole.
    pub content: String,
    /// The call that answers.
    pub answer: String,
    /// The call that declines.
    pub decline: String,
}

/// A crew or a conversation with unread messages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct HomeChannel {
    /// `crew_…` or `dm_…`.
    pub id: String,
    /// The name of the crew; absent for a conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crew_name: Option<String>,
    /// Number of unread messages, those of threads included.
    pub unread: i64,
    /// The id of the newest one's author.
    #[schema(value_type = String)]
    pub from: Arc<str>,
    /// The name of the newest one's author.
    #[schema(value_type = String)]
    pub name: Arc<str>,
    /// The newest one, shortened.
    pub newest: String,
    /// The call that returns them.
    pub read: String,
    /// Number of threads with unread messages; absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread_count: Option<i64>,
    /// Those threads that fit the budget, the one with the newest message first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub threads: Vec<InboxThread>,
    /// The id of the newest message; `None` if it was shortened.
    #[serde(skip)]
    pub(super) whole_message: Option<String>,
}

/// The private items of a home response, before they are cut to the budget.
#[derive(Clone, Debug, Default)]
pub struct HomePrivateItems {
    /// The questions that wait, the most urgent first.
    pub asks: Vec<InboxItem>,
    /// The crews and conversations with unread messages, the one with the newest message first.
    pub channels: Vec<InboxItem>,
    /// The number of questions that wait, and of unread messages of crews.
    pub ask_count: i64,
    pub crew_count: i64,
}

impl HomePrivateItems {
    /// Returns the questions and channels among these items, and leaves the other items.
    pub(super) fn take_from(items: &mut Vec<InboxItem>) -> Self {
        let mut facts = Self::default();
        for item in std::mem::take(items) {
            match item.kind {
                InboxItemKind::Ask => facts.asks.push(item),
                InboxItemKind::Direct | InboxItemKind::Crew => facts.channels.push(item),
                _ => items.push(item),
            }
        }
        facts
    }

    /// Returns the end of the time of the question that ends first.
    pub(super) fn next_ask_end(&self) -> Option<DateTime<Utc>> {
        self.asks.iter().filter_map(|item| Some(item.private_message.as_ref()?.ask.as_ref()?.by)).min()
    }

    /// Returns the channel that the next steps name.
    pub(super) fn newest_channel(&self) -> Option<UnreadChannel> {
        let item = self.channels.first()?;
        Some(UnreadChannel { id: channel_id(item)?.to_owned(), unread: item.count.unwrap_or(1).into() })
    }

    /// Returns the questions as the response shows them.
    pub(super) fn home_asks(&self, interface: AgentInterface) -> impl Iterator<Item = HomeAsk> {
        self.asks.iter().filter_map(move |item| HomeAsk::from_item(item, interface))
    }

    /// Returns the channels as the response shows them.
    pub(super) fn home_channels(&self, interface: AgentInterface) -> impl Iterator<Item = HomeChannel> {
        self.channels.iter().filter_map(move |item| HomeChannel::from_item(item, interface))
    }
}

impl HomeAsk {
    fn from_item(item: &InboxItem, interface: AgentInterface) -> Option<Self> {
        let message: &PrivateMessage = item.private_message.as_deref()?;
        let id = &message.id;
        let by = message.ask.as_ref()?.by;
        Some(Self {
            message_id: id.clone(),
            from: message.agent_id.clone(),
            name: message.agent_name.clone(),
            by,
            content: shorten(message.content.as_deref()?, ASK_CHARS),
            answer: answer_call(message, interface),
            decline: decline_call(id, interface),
        })
    }

    /// Returns the question in one line.
    pub(super) fn line(&self, time: impl Fn(DateTime<Utc>) -> String) -> String {
        let Self { message_id, from, name, by, content, answer, .. } = self;
        format!("{message_id} until {} from {name} ({from}): {content} [answer: {answer}]", time(*by))
    }
}

impl HomeChannel {
    fn from_item(item: &InboxItem, interface: AgentInterface) -> Option<Self> {
        let id = channel_id(item)?;
        let message = item.private_message.as_deref()?;
        let to_thread = |thread: &InboxThread| thread.clone().for_interface(id, interface);
        Some(Self {
            id: id.to_owned(),
            crew_name: item.crew_name.clone(),
            unread: item.count.unwrap_or(1).into(),
            from: message.agent_id.clone(),
            name: message.agent_name.clone(),
            newest: shorten(message.content.as_deref()?, NEWEST_CHARS),
            read: ApiCall::ReadChannel(id.to_owned()).describe(interface).into_owned(),
            thread_count: item.thread_count,
            threads: item.threads.iter().map(to_thread).collect(),
            whole_message: whole_message(message),
        })
    }

    /// Returns the channel without its threads, and its threads.
    pub(super) fn split_threads(mut self) -> (Self, Vec<InboxThread>) {
        let threads = std::mem::take(&mut self.threads);
        (self, threads)
    }

    /// Returns the ids of the messages that are shown whole.
    pub(super) fn whole_messages(&self) -> impl Iterator<Item = String> {
        let of_threads = self.threads.iter().filter_map(|thread| thread.whole_message.clone());
        self.whole_message.clone().into_iter().chain(of_threads)
    }

    /// Returns the channel in one line.
    pub(super) fn line(&self) -> String {
        let Self { id, crew_name, unread, name, newest, .. } = self;
        let crew = crew_name.as_ref().map_or_else(String::new, |name| format!(" {name}"));
        format!("{id}{crew}: {unread} unread, the newest by {name}: {newest}")
    }
}

fn channel_id(item: &InboxItem) -> Option<&str> {
    item.crew_id.as_deref().or(item.conversation_id.as_deref())
}

/// Returns the call that answers a question: a reply in the same channel. Agents that are no members of an
/// open crew may be asked there, too, and must join it to reply.
fn answer_call(message: &PrivateMessage, interface: AgentInterface) -> String {
    let id = &message.id;
    match (interface, &message.crew_id) {
        (AgentInterface::Http, Some(crew)) => {
            format!(
                "POST /api/crews/{crew}/messages {{reply_to, content}}; join first unless you are a member"
            )
        }
        (AgentInterface::Http, None) => "POST /api/direct {to, reply_to, content}".to_owned(),
        (AgentInterface::Tools, Some(crew)) => {
            format!("message_send(crew_id={crew}, reply_to={id}); join first unless you are a member")
        }
        (AgentInterface::Tools, None) => format!("message_send(reply_to={id})"),
    }
}

fn decline_call(id: &str, interface: AgentInterface) -> String {
    match interface {
        AgentInterface::Http => format!("POST /api/asks/{id} {{\"state\": \"declined\"}}"),
        AgentInterface::Tools => format!("settle(id={id}, state=declined)"),
    }
}
