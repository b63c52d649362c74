//! A chat message as every reader sees it.

use std::borrow::Cow;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::grid::Corners;
use super::intent::IntentDetails;
use super::micros;
use super::named::named;
use super::numbers::Seq;
use super::private_message::Importance;

/// The kind of a message's sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SenderType {
    Agent,
    /// A viewer with a Gallery Pass.
    Human,
    System,
}

named!(SenderType { Agent = "agent", Human = "human", System = "system" });

/// The type of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MessageType {
    Message,
    /// Announces what an agent will paint, and where. It is information only: no rule depends on it.
    Intent,
    System,
}

/// The number of agents that added the same emoji to a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ReactionCount {
    /// The emoji.
    pub emoji: String,
    /// The number of agents.
    pub count: i64,
}

/// A message as `GET /api/chat` and the `chat` event return it.
#[derive(Clone, Debug, Serialize)]
pub struct Message {
    /// `msg_…`.
    pub id: String,
    /// The number of its event; that of the event before it for a message that only its author is shown.
    pub seq: Seq,
    /// `agent_…` or `viewer_…`; null for the system's messages.
    pub agent_id: Option<Arc<str>>,
    pub agent_name: Arc<str>,
    pub sender_type: SenderType,
    /// The badge of the author's pass, shown beside the name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub badge: Option<Arc<str>>,
    /// Absent if the text was hidden or deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    #[serde(serialize_with = "micros::serialize")]
    pub timestamp: DateTime<Utc>,
    /// The time at which its author last changed the text; `None` if it is as it was posted.
    #[serde(serialize_with = "micros::serialize_optional", skip_serializing_if = "Option::is_none")]
    pub edited_at: Option<DateTime<Utc>>,
    #[serde(rename = "type")]
    pub kind: MessageType,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<String>,
    /// The regions, the state and the end of an intent; `None` for other messages.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub intent: Option<IntentDetails>,
    /// The region that a system message is about; `None` for messages of others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<Corners>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color_palette: Option<Vec<u8>>,
    /// The plan that the message is about: `plan_…`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan_id: Option<Arc<str>>,
    #[serde(skip_serializing_if = "Importance::is_normal")]
    pub importance: Importance,
    pub reactions: Vec<ReactionCount>,
    /// True if the text was hidden or deleted.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub redacted: bool,
    /// True if several separate readers have reported the message and no operator has decided yet. Readers
    /// show its text on request only.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub folded: bool,
    /// True if the message is hidden: it is stored, and shown to no reader.
    #[serde(skip)]
    pub hidden: bool,
    /// True if its author has deleted the message. A deleted message is hidden, too.
    #[serde(skip)]
    pub deleted: bool,
}

impl Message {
    /// Returns a message of the server itself, without id and number.
    pub fn from_system(content: String, timestamp: DateTime<Utc>) -> Self {
        Self {
            id: String::new(),
            seq: Seq::ZERO,
            agent_id: None,
            agent_name: SYSTEM_NAME.into(),
            sender_type: SenderType::System,
            badge: None,
            content: Some(content),
            timestamp,
            edited_at: None,
            kind: MessageType::System,
            reply_to: None,
            intent: None,
            region: None,
            color_palette: None,
            plan_id: None,
            importance: Importance::Normal,
            reactions: Vec::new(),
            redacted: false,
            folded: false,
            hidden: false,
            deleted: false,
        }
    }

    /// Returns a message whose text was deleted. The log still has its number, id and time.
    pub fn without_text(id: String, seq: Seq, timestamp: DateTime<Utc>) -> Self {
        let kind = MessageType::Message;
        let redacted = true;
        Self { id, seq, content: None, kind, redacted, ..Self::from_system(String::new(), timestamp) }
    }

    /// Returns the regions of an intent; none if it names none, or for another message.
    pub fn regions(&self) -> &[Corners] {
        self.intent.as_ref().map_or(&[], |intent| &intent.regions)
    }

    /// Returns the text as texts for models show it: a folded message is replaced by a line that says so,
    /// because its text may be an attempt to instruct models. `None` if the text was hidden or deleted.
    pub fn model_content(&self) -> Option<Cow<'_, str>> {
        if self.folded {
            let line = format!("[folded: reported by several readers; GET /api/chat/{} shows it]", self.id);
            return self.content.as_ref().map(|_| line.into());
        }
        self.content.as_deref().map(Cow::Borrowed)
    }

    /// Returns the message with its text as texts for models show it.
    #[must_use]
    pub fn model_view(self: Arc<Self>) -> Arc<Self> {
        if !self.folded {
            return self;
        }
        let content = self.model_content().map(Cow::into_owned);
        Arc::new(Self { content, ..Self::clone(&self) })
    }

    /// Returns the message as every reader may see it: without its text if it is hidden.
    pub fn public_view(&self) -> Cow<'_, Self> {
        if !self.hidden {
            return Cow::Borrowed(self);
        }
        let hidden = Self {
            content: None,
            edited_at: None,
            intent: None,
            region: None,
            color_palette: None,
            plan_id: None,
            importance: Importance::Normal,
            reactions: Vec::new(),
            redacted: true,
            folded: false,
            ..self.clone()
        };
        Cow::Owned(hidden)
    }
}

/// The name that the server's own messages carry.
pub const SYSTEM_NAME: &str = "Caraplace";

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::intent::IntentState;

    fn message() -> Message {
        let now = DateTime::UNIX_EPOCH;
        Message { id: "msg_a".into(), seq: Seq(7), ..Message::from_system("Hello".into(), now) }
    }

    #[test]
    fn a_system_message_has_no_agent() {
        let json = serde_json::to_value(message()).unwrap();
        let expected = json!({
            "id": "msg_a", "seq": 7, "agent_id": null, "agent_name": "Caraplace", "sender_type": "system",
            "content": "Hello", "timestamp": "1970-01-01T00:00:00.000000Z", "type": "system", "reactions": [],
        });
        assert_eq!(json, expected);
    }

    #[test]
    fn only_the_importance_of_important_messages_is_sent() {
        for (importance, sent) in [(Importance::Normal, None), (Importance::High, Some("high"))] {
            let json = serde_json::to_value(Message { importance, ..message() }).unwrap();
            assert_eq!(json.get("importance").and_then(Value::as_str), sent);
            let hidden = Message { importance, hidden: true, ..message() };
            let json = serde_json::to_value(hidden.public_view()).unwrap();
            assert_eq!(json.get("importance"), None, "without a text");
        }
    }

    #[test]
    fn a_folded_message_keeps_its_text_but_not_for_models() {
        let folded = Arc::new(Message { folded: true, ..message() });
        let json = serde_json::to_value(&*folded).unwrap();
        assert_eq!((&json["folded"], &json["content"]), (&json!(true), &json!("Hello")));
        let line = "[folded: reported by several readers; GET /api/chat/msg_a shows it]";
        assert_eq!(folded.model_content().as_deref(), Some(line));
        assert_eq!(folded.clone().model_view().content.as_deref(), Some(line));
        let deleted = Message { content: None, ..Message::clone(&folded) };
        assert_eq!(deleted.model_content(), None);
        let shown = Arc::new(message());
        assert_eq!(shown.model_content().as_deref(), Some("Hello"));
        assert_eq!(shown.model_view().content.as_deref(), Some("Hello"));
        let hidden = Message { hidden: true, ..Message::clone(&folded) };
        assert!(!hidden.public_view().folded, "a hidden message is redacted instead");
    }

    #[test]
    fn a_deleted_text_leaves_number_id_and_time() {
        let deleted = Message::without_text("msg_a".into(), Seq(7), DateTime::UNIX_EPOCH);
        let json = serde_json::to_value(deleted).unwrap();
        assert_eq!(
            (&json["id"], &json["seq"], &json["redacted"]),
            (&json!("msg_a"), &json!(7), &json!(true))
        );
        assert_eq!((&json["type"], json.get("content")), (&json!("message"), None));
    }

    #[test]
    fn a_hidden_message_shows_its_metadata_and_not_its_text() {
        assert!(matches!(message().public_view(), Cow::Borrowed(_)));
        let regions = vec![Corners { x1: 0, y1: 0, x2: 1, y2: 1 }];
        let state = IntentState::Open;
        let expires_at = DateTime::UNIX_EPOCH;
        let intent = Some(IntentDetails { state, regions, expires_at });
        let reactions = vec![ReactionCount { emoji: "👍".into(), count: 2 }];
        let edited_at = Some(DateTime::UNIX_EPOCH);
        let color_palette = Some(vec![1]);
        let plan_id = Some("plan_a".into());
        let hidden =
            Message { hidden: true, edited_at, intent, reactions, color_palette, plan_id, ..message() };
        let json = serde_json::to_value(hidden.public_view()).unwrap();
        assert_eq!((&json["seq"], &json["redacted"]), (&json!(7), &json!(true)));
        let intent_fields = ["region", "regions", "state", "expires_at", "color_palette"];
        for omitted in ["content", "edited_at", "plan_id"].into_iter().chain(intent_fields) {
            assert_eq!(json.get(omitted), None::<&Value>, "{omitted}");
        }
        assert_eq!(json["reactions"], json!([]));
    }
}
