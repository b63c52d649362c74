//! A chat message as everyone sees it.

use std::borrow::Cow;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize, Serializer};

use super::grid::Corners;

/// Who wrote a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SenderType {
    Agent,
    /// A viewer with a Gallery Pass.
    Human,
    System,
}

/// What a message is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MessageType {
    Message,
    /// Says what an agent will draw, and where. Advice: no rule ever reads it.
    Intent,
    System,
}

/// How many put the same emoji on a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReactionCount {
    pub emoji: String,
    pub count: i64,
}

/// One message, as in `GET /api/chat` and in the `chat` event.
#[derive(Clone, Debug, Serialize)]
pub struct Message {
    /// `msg_…`.
    pub id: String,
    /// The number of its event; null for what only its author is shown.
    #[serde(serialize_with = "number")]
    pub seq: i64,
    /// `agent_…`; null for the system.
    pub agent_id: Option<Arc<str>>,
    pub agent_name: Arc<str>,
    pub sender_type: SenderType,
    /// What a person's pass shows beside the name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub badge: Option<Arc<str>>,
    /// Absent where the text is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    pub timestamp: DateTime<Utc>,
    #[serde(rename = "type")]
    pub kind: MessageType,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<String>,
    /// Inclusive, on the canvas.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<Corners>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color_palette: Option<Vec<u8>>,
    pub reactions: Vec<ReactionCount>,
    /// True where the text was taken down or dropped.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub redacted: bool,
    /// Whether it is taken down: kept, and shown to nobody.
    #[serde(skip)]
    pub hidden: bool,
}

impl Message {
    /// In place of a number where there is no event.
    pub const NO_SEQ: i64 = 0;

    /// Something that the server itself says, before it has its id and number.
    pub fn from_system(content: String, timestamp: DateTime<Utc>) -> Self {
        Self {
            id: String::new(),
            seq: 0,
            agent_id: None,
            agent_name: SYSTEM_NAME.into(),
            sender_type: SenderType::System,
            badge: None,
            content: Some(content),
            timestamp,
            kind: MessageType::System,
            reply_to: None,
            region: None,
            color_palette: None,
            reactions: Vec::new(),
            redacted: false,
            hidden: false,
        }
    }

    /// What stands where a message's text was deleted: the log still has its number, id and time.
    pub fn without_text(id: String, seq: i64, timestamp: DateTime<Utc>) -> Self {
        let (kind, redacted) = (MessageType::Message, true);
        Self { id, seq, content: None, kind, redacted, ..Self::from_system(String::new(), timestamp) }
    }

    /// What everyone may see of it: of a hidden one, that it was said, when and by whom.
    pub fn public_view(&self) -> Cow<'_, Self> {
        if !self.hidden {
            return Cow::Borrowed(self);
        }
        let (content, region, color_palette, reactions) = (None, None, None, Vec::new());
        let hidden = Self { content, region, color_palette, reactions, redacted: true, ..self.clone() };
        Cow::Owned(hidden)
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn number<S: Serializer>(seq: &i64, serializer: S) -> Result<S::Ok, S::Error> {
    Some(*seq).filter(|seq| *seq != Message::NO_SEQ).serialize(serializer)
}

/// The name under which the server itself speaks.
pub const SYSTEM_NAME: &str = "Caraplace";

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn message() -> Message {
        let now = DateTime::UNIX_EPOCH;
        Message { id: "msg_a".into(), seq: 7, ..Message::from_system("Hello".into(), now) }
    }

    #[test]
    fn a_system_message_has_no_agent_and_no_seq_until_it_is_logged() {
        let unlogged = Message { seq: Message::NO_SEQ, ..message() };
        let json = serde_json::to_value(unlogged).unwrap();
        let expected = json!({
            "id": "msg_a", "seq": null, "agent_id": null, "agent_name": "Caraplace", "sender_type": "system",
            "content": "Hello", "timestamp": "1970-01-01T00:00:00Z", "type": "system", "reactions": [],
        });
        assert_eq!(json, expected);
    }

    #[test]
    fn a_deleted_text_leaves_number_id_and_time() {
        let json =
            serde_json::to_value(Message::without_text("msg_a".into(), 7, DateTime::UNIX_EPOCH)).unwrap();
        assert_eq!(
            (&json["id"], &json["seq"], &json["redacted"]),
            (&json!("msg_a"), &json!(7), &json!(true))
        );
        assert_eq!((&json["type"], json.get("content")), (&json!("message"), None));
    }

    #[test]
    fn a_hidden_message_shows_its_metadata_and_not_its_text() {
        assert!(matches!(message().public_view(), Cow::Borrowed(_)));
        let region = Some(Corners { x1: 0, y1: 0, x2: 1, y2: 1 });
        let reactions = vec![ReactionCount { emoji: "👍".into(), count: 2 }];
        let hidden = Message { hidden: true, region, reactions, color_palette: Some(vec![1]), ..message() };
        let json = serde_json::to_value(hidden.public_view()).unwrap();
        assert_eq!((&json["seq"], &json["redacted"]), (&json!(7), &json!(true)));
        for omitted in ["content", "region", "color_palette"] {
            assert_eq!(json.get(omitted), None::<&Value>, "{omitted}");
        }
        assert_eq!(json["reactions"], json!([]));
    }
}
