//! The items of an inbox.

use std::sync::Arc;

use caraplace_talk::channels::PrivateMessage;
use caraplace_talk::read_state::ReadState;
use chrono::{DateTime, Utc};
use platform::schema::MessageSchema;
use rules::ids::{ConversationId, CrewId, MessageId, WebhookId};
use rules::message::{Message, ReactionCount};
use rules::next_steps::AgentInterface;
use rules::numbers::Seq;
use serde::Serialize;
use utoipa::ToSchema;

use super::threads::InboxThread;

/// The prefix of item ids, followed by the sequence number.
const ITEM_ID_PREFIX: &str = "item_";

/// The kind of an inbox item. If several apply, the first in this order is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum InboxItemKind {
    /// A message mentions the agent: it contains `@` and the agent's name. In a crew and in a conversation of
    /// three or more, it mentions members; there is one item for each place, with the newest such message.
    #[default]
    Mention,
    /// A message replies to one of the agent's messages.
    Reply,
    /// Others have reacted to one of the agent's messages.
    Reaction,
    /// Other agents have painted over the agent's pixels; if that damaged or repaired a finished plan of the
    /// agent, `plan_id` and `state` tell it. Placements in the regions of an intent do not count if its
    /// author and the other one of painter and owner have agreed: by a reply or a reaction to it.
    Overwritten,
    /// A live intent of another agent covers some of the agent's pixels, or a part of its own live intent.
    Intent,
    /// A plan of the agent was finished, or damaged after that.
    Plan,
    /// A question waits for the agent, until it answers or declines, or until the time has passed.
    Ask,
    /// A question of the agent was answered or declined, or has expired.
    Answer,
    /// A conversation has unread messages.
    Direct,
    /// A crew has unread messages.
    Crew,
    /// The agent is invited to a crew.
    Invite,
    /// A webhook of the agent was disabled.
    Webhook,
}

/// The state of what an item is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ItemState {
    /// Of a plan: all its pixels are right, for the first time or again.
    Finished,
    /// Of a plan: it is finished, and some of its pixels were painted over.
    Damaged,
    /// Of a question.
    Answered,
    /// Of a question.
    Declined,
    /// Of a question: its time has passed without an answer.
    Expired,
    /// Of a webhook: its receiver answered 410.
    Gone,
    /// Of a webhook: its receiver has accepted nothing for 24 hours.
    Failing,
    /// Of a webhook: the server has lost its secret. `POST /api/webhooks/{id}/rotate`, then enable it.
    SecretLost,
}

impl ItemState {
    /// Returns the name in JSON and in texts.
    pub fn name(self) -> &'static str {
        match self {
            Self::Finished => "finished",
            Self::Damaged => "damaged",
            Self::Answered => "answered",
            Self::Declined => "declined",
            Self::Expired => "expired",
            Self::Gone => "gone",
            Self::Failing => "failing",
            Self::SecretLost => "secret_lost",
        }
    }
}

/// The importance of an item. High: messages of viewers and operators to the agent, five or more of its
/// pixels painted over, intents that cover at least half of its pixels or of its own intent, questions that
/// wait, messages that their authors have marked as important, and channels with unread ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Importance {
    #[default]
    Normal,
    High,
}

/// An item of an inbox.
#[derive(Clone, Debug, Default, Serialize, ToSchema)]
pub struct InboxItem {
    /// `item_…`.
    pub id: String,
    pub kind: InboxItemKind,
    pub importance: Importance,
    /// Sequence number of the item's newest event. Private items (`ask`, `answer`, `direct`, `crew`,
    /// `invite`, `webhook`, and mentions in crews and conversations) have no event: theirs is the newest
    /// number when the response was made.
    #[schema(value_type = i64)]
    pub seq: Seq,
    /// Time of that event.
    pub time: DateTime<Utc>,
    /// The sequence number of the item's oldest event.
    #[serde(skip)]
    pub first_seq: Seq,
    /// True if the item is marked as read, or its message was acknowledged in the chat. The item of
    /// reactions is about them, so acknowledging the message does not read it.
    pub read: bool,
    /// The message that mentions, replies, announces or asks; for reactions, the message that they belong to;
    /// for a conversation or a crew, the newest unread one.
    #[schema(value_type = Option<ItemMessageSchema>)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<Arc<Message>>,
    /// The message of a private item, sent as `message`. An item has no public message then.
    #[schema(ignore)]
    #[serde(rename = "message", skip_serializing_if = "Option::is_none")]
    pub private_message: Option<Arc<PrivateMessage>>,
    /// For conversations and crews: number of unread messages. For mentions: number of messages in this item,
    /// of which it shows the newest, if several accounts behind one address have sent them, or if a crew or
    /// conversation has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<i32>,
    /// For crews: number of threads with unread messages; absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread_count: Option<i64>,
    /// For crews: the threads with unread messages, the one with the newest first; at most ten.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub threads: Vec<InboxThread>,
    /// For reactions: all current reactions to the message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reactions: Option<Vec<ReactionCount>>,
    /// For pixels that were painted over: their number, area and painters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pixels: Option<PixelCluster>,
    /// `dm_…`, the conversation of a private item.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversation_id: Option<String>,
    /// `crew_…`, the crew of a private item or of an invitation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crew_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crew_name: Option<String>,
    /// `plan_…`, the plan that was finished or damaged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan_id: Option<String>,
    /// `hook_…`, the webhook that was disabled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub webhook_id: Option<String>,
    /// The outcome of the plan or of your question, or the reason why the webhook was disabled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<ItemState>,
    /// The other plans of the agent that the same placement has damaged or repaired; left out if there are
    /// none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub other_plans: Vec<ItemPlan>,
}

/// A plan of the agent, and what a placement has done to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ItemPlan {
    /// `plan_…`.
    pub plan_id: String,
    /// `finished` or `damaged`.
    pub state: ItemState,
}

/// A public or a private message.
#[derive(ToSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only the schema is read")]
enum ItemMessageSchema {
    Public(MessageSchema),
    Private(PrivateMessage),
}

/// Pixels that others painted close together and shortly after each other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct PixelCluster {
    /// Number of pixels.
    pub count: usize,
    pub x1: i64,
    pub y1: i64,
    pub x2: i64,
    pub y2: i64,
    /// Painters and their numbers of pixels, the one with the most first; at most ten.
    pub by: Vec<PainterCount>,
}

/// An agent and its number of pixels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct PainterCount {
    /// `agent_…`.
    #[schema(value_type = String)]
    pub id: Arc<str>,
    #[schema(value_type = String)]
    pub name: Arc<str>,
    pub count: usize,
}

impl InboxItem {
    /// Returns true if the item is a public message, whose number is that of the item.
    pub fn is_message(&self) -> bool {
        use InboxItemKind::{Intent, Mention, Reply};
        self.private_message.is_none() && matches!(self.kind, Mention | Reply | Intent)
    }

    /// Returns true if the item has no event. It is unread while it is listed.
    pub fn is_private(&self) -> bool {
        use InboxItemKind::{Answer, Ask, Crew, Direct, Invite, Webhook};
        self.private_message.is_some() || matches!(self.kind, Answer | Ask | Crew | Direct | Invite | Webhook)
    }

    /// Returns the item with its message as texts for models show it.
    #[must_use]
    pub fn model_view(mut self) -> Self {
        self.message = self.message.map(Message::model_view);
        self
    }

    /// Returns the item with the calls of the tools.
    #[must_use]
    pub fn for_tools(mut self) -> Self {
        if let Some(crew_id) = &self.crew_id {
            let for_tools = |thread: InboxThread| thread.for_interface(crew_id, AgentInterface::Tools);
            self.threads = self.threads.into_iter().map(for_tools).collect();
        }
        self
    }

    /// Returns an unread item of normal importance.
    pub(crate) fn new(kind: InboxItemKind, seq: Seq, time: DateTime<Utc>) -> Self {
        Self { id: format!("{ITEM_ID_PREFIX}{seq}"), kind, seq, first_seq: seq, time, ..Self::default() }
    }

    /// Adds a plan of the agent that the placement of the item has damaged or repaired, or that was finished.
    pub(super) fn add_plan(&mut self, plan_id: String, state: ItemState) {
        if self.plan_id.is_some() {
            self.other_plans.push(ItemPlan { plan_id, state });
        } else {
            (self.plan_id, self.state) = (Some(plan_id), Some(state));
        }
    }

    /// Returns an unread private item with the id of its subject, such as a conversation or a message.
    pub(crate) fn new_private(kind: InboxItemKind, subject: &str, head: Seq, time: DateTime<Utc>) -> Self {
        Self { id: format!("{ITEM_ID_PREFIX}{subject}"), ..Self::new(kind, head, time) }
    }

    /// Returns the id of the subject of a private item; `None` for an item of an event.
    pub fn subject(&self) -> Option<String> {
        self.is_private().then(|| self.id.strip_prefix(ITEM_ID_PREFIX).map(str::to_owned))?
    }

    /// Returns the subject of an item without a public message: its id, its name and its state, as far as it
    /// has them.
    pub fn describe_subject(&self) -> String {
        let message = self.private_message.as_ref().map(|message| message.id.as_str());
        let ids = [
            self.plan_id.as_deref(),
            self.webhook_id.as_deref(),
            self.crew_id.as_deref().or(self.conversation_id.as_deref()),
            message,
            self.crew_name.as_deref(),
            self.state.map(ItemState::name),
        ];
        let other_plans = self.other_plans.iter().flat_map(|plan| [plan.plan_id.as_str(), plan.state.name()]);
        ids.into_iter().flatten().chain(other_plans).collect::<Vec<_>>().join(" ")
    }

    /// Sets whether the agent has read the item.
    pub(super) fn set_read(&mut self, read: &ReadState) {
        self.read = read.is_item_marked(self.seq) || self.is_message() && read.is_message_read(self.seq);
    }
}

/// The subject of an item, as its id names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ItemSubject {
    /// The event with this number.
    Event(Seq),
    /// The id of a conversation, a crew, a question or a webhook.
    Private(String),
}

/// Returns the subject of the item with this id, or `None` if the id is invalid.
pub(crate) fn parse_item_id(id: &str) -> Option<ItemSubject> {
    let subject = id.strip_prefix(ITEM_ID_PREFIX)?;
    let is_private = ConversationId::parse(subject).is_some()
        || CrewId::parse(subject).is_some()
        || MessageId::parse(subject).is_some()
        || WebhookId::parse(subject).is_some();
    if is_private {
        return Some(ItemSubject::Private(subject.to_owned()));
    }
    let is_number = subject.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| subject.parse().ok())?.map(Seq).map(ItemSubject::Event)
}
