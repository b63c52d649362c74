//! The events of the live stream, and their wire format.

use std::borrow::Cow;
use std::mem::discriminant;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use chrono::{DateTime, Utc};
use rules::grid::{Corners, Point, Size};
use rules::intent::{IntentDetails, IntentState};
use rules::message::{Message, ReactionCount};
use rules::micros;
use rules::numbers::{AccountNo, Seq};
use serde::{Serialize, Serializer};
use serde_json::json;

use crate::log::live::plan::PlanChange;
use crate::log::live::stream_position::StreamPosition;

/// A placement.
#[derive(Clone, Debug)]
pub struct PlacementEvent {
    pub seq: Seq,
    pub point: Point,
    /// The index into the palette.
    pub color: u8,
    /// `agent_…`.
    pub agent: Arc<str>,
    /// The number of the agent that placed the pixel.
    pub painter: u32,
}

/// Returns a painter's number as it is stored for each pixel. It is 0 for the operator and for an agent whose
/// number is too large; neither of them is recognised as the painter of its own pixel.
pub fn compact_painter(agent_no: AccountNo) -> u32 {
    u32::try_from(agent_no.0).unwrap_or(0)
}

/// A public change with a sequence number.
#[derive(Clone, Debug)]
pub enum Event {
    /// A pixel was placed.
    Pixel(PlacementEvent),
    /// A message was posted.
    Chat(Arc<Message>),
    /// An author has changed the text of a message.
    Edited(TextEdit),
    /// The reactions to a message changed.
    Reaction(ReactionUpdate),
    /// A message was hidden.
    Hidden(VisibilityChange),
    /// A hidden message was restored.
    Restored(VisibilityChange),
    /// An author has deleted a message. Clients receive it as a hidden one.
    Deleted(VisibilityChange),
    /// An intent was changed or ended by its author.
    Intent(IntentChange),
    /// A plan was opened, changed, finished or ended.
    Plan(PlanChange),
    /// A season was opened.
    Season(SeasonStart),
}

/// The text of a message after its author has changed it.
#[derive(Clone, Debug, Serialize)]
pub struct TextEdit {
    pub seq: Seq,
    pub message_id: String,
    /// The current text of the message; absent if the message has been hidden or deleted since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    #[serde(skip)]
    pub at: DateTime<Utc>,
    /// True if the message is hidden.
    #[serde(skip)]
    pub hidden: bool,
}

impl TextEdit {
    /// Sets the text of the message.
    pub fn apply_to(&self, message: &mut Message) {
        message.content.clone_from(&self.content);
        message.edited_at = Some(self.at);
    }

    /// Returns the change as every reader may see it: without the text if the message is hidden.
    fn public_view(&self) -> Cow<'_, Self> {
        if self.hidden { Cow::Owned(Self { content: None, ..self.clone() }) } else { Cow::Borrowed(self) }
    }
}

/// A decision to hide, restore or delete a message.
#[derive(Clone, Debug, Serialize)]
pub struct VisibilityChange {
    pub seq: Seq,
    pub message_id: String,
    #[serde(skip)]
    pub at: DateTime<Utc>,
}

/// A message's reactions after one of them was added or removed.
#[derive(Clone, Debug, Serialize)]
pub struct ReactionUpdate {
    pub seq: Seq,
    pub message_id: String,
    pub reactions: Vec<ReactionCount>,
}

/// An intent's details after its author changed them.
#[derive(Clone, Debug)]
pub struct IntentChange {
    pub seq: Seq,
    pub message_id: String,
    pub details: IntentDetails,
}

impl IntentChange {
    /// Returns the change as it is sent while readers may not see the intent.
    #[must_use]
    pub fn without_regions(self) -> Self {
        Self { details: IntentDetails::withdrawn(self.details.expires_at), ..self }
    }
}

/// The JSON of an [`IntentChange`].
#[derive(Serialize)]
struct IntentChangeJson<'a> {
    seq: Seq,
    message_id: &'a str,
    state: IntentState,
    regions: &'a [Corners],
    #[serde(serialize_with = "micros::serialize")]
    expires_at: DateTime<Utc>,
}

impl Serialize for IntentChange {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { seq, message_id, details: IntentDetails { state, regions, expires_at } } = self;
        let seq = *seq;
        let state = *state;
        let expires_at = *expires_at;
        IntentChangeJson { seq, message_id, state, regions, expires_at }.serialize(serializer)
    }
}

/// The opening of a season, with a blank canvas.
#[derive(Clone, Debug, Serialize)]
pub struct SeasonStart {
    pub seq: Seq,
    /// `season_…`.
    pub season: String,
    pub title: String,
    #[serde(skip)]
    pub size: Size,
    #[serde(skip)]
    pub opened_at: DateTime<Utc>,
}

impl Event {
    /// Returns the sequence number.
    pub fn seq(&self) -> Seq {
        match self {
            Self::Pixel(placement) => placement.seq,
            Self::Chat(message) => message.seq,
            Self::Edited(edit) => edit.seq,
            Self::Reaction(reaction) => reaction.seq,
            Self::Hidden(change) | Self::Restored(change) | Self::Deleted(change) => change.seq,
            Self::Intent(change) => change.seq,
            Self::Plan(change) => change.seq,
            Self::Season(season) => season.seq,
        }
    }

    /// Returns the id of the message that the event shows or is about, if an account may see it differently;
    /// `None` for other events.
    pub fn message_id(&self) -> Option<&str> {
        match self {
            Self::Chat(message) => Some(&message.id),
            Self::Reaction(update) => Some(&update.message_id),
            Self::Intent(change) => Some(&change.message_id),
            Self::Pixel(_)
            | Self::Edited(_)
            | Self::Hidden(_)
            | Self::Restored(_)
            | Self::Deleted(_)
            | Self::Plan(_)
            | Self::Season(_) => None,
        }
    }

    /// Returns the event's name and its data as JSON, or `None` for pixels, because many of them share one
    /// frame.
    pub fn name_and_data(&self) -> Option<(&'static str, String)> {
        match self {
            Self::Pixel(_) => None,
            Self::Chat(message) => Some(("chat", to_json(&*message.public_view()))),
            Self::Edited(edit) => Some(("edited", to_json(&*edit.public_view()))),
            Self::Reaction(reaction) => Some(("reaction", to_json(reaction))),
            Self::Hidden(change) | Self::Deleted(change) => Some(("hidden", to_json(change))),
            Self::Restored(change) => Some(("restored", to_json(change))),
            Self::Intent(change) => Some(("intent", to_json(change))),
            Self::Plan(change) => Some(("plan", to_json(change))),
            Self::Season(season) => Some(("season", to_json(season))),
        }
    }

    /// Returns the event as it is sent while the chat is switched off: a message without its text.
    #[must_use]
    pub fn without_text(self) -> Self {
        match self {
            Self::Chat(message) => Self::Chat(Arc::new(Message { hidden: true, ..Message::clone(&message) })),
            Self::Edited(edit) => Self::Edited(TextEdit { hidden: true, ..edit }),
            Self::Intent(change) => Self::Intent(change.without_regions()),
            other => other,
        }
    }

    /// Returns true if it is the same event, not only one with the same number.
    pub fn is_same_event(&self, other: &Self) -> bool {
        discriminant(self) == discriminant(other) && self.content_key() == other.content_key()
    }

    /// Returns the values that distinguish the event from any other of its kind.
    fn content_key(&self) -> (Seq, &str, Option<(Point, u8)>) {
        match self {
            Self::Pixel(placement) => {
                (placement.seq, &placement.agent, Some((placement.point, placement.color)))
            }
            Self::Chat(message) => (message.seq, &message.id, None),
            Self::Edited(edit) => (edit.seq, &edit.message_id, None),
            Self::Reaction(reaction) => (reaction.seq, &reaction.message_id, None),
            Self::Hidden(change) | Self::Restored(change) | Self::Deleted(change) => {
                (change.seq, &change.message_id, None)
            }
            Self::Intent(change) => (change.seq, &change.message_id, None),
            Self::Plan(change) => (change.seq, &change.plan_id, None),
            Self::Season(season) => (season.seq, &season.season, None),
        }
    }
}

/// Consecutive events, serialized once for all streams.
#[derive(Clone, Debug)]
pub struct Frame {
    pub first: Seq,
    pub last: Seq,
    pub bytes: Bytes,
    /// The event if some account may see it differently; `None` for others.
    pub event: Option<Arc<Event>>,
}

/// Returns the frames of consecutive events. Neighbouring pixels share one frame.
pub fn frames(events: &[Event]) -> Vec<Frame> {
    let are_both_pixels = |a: &Event, b: &Event| matches!((a, b), (Event::Pixel(_), Event::Pixel(_)));
    events.chunk_by(are_both_pixels).filter_map(frame).collect()
}

fn frame(events: &[Event]) -> Option<Frame> {
    let first = events.first()?;
    let last = events.last()?;
    let bytes = match first.name_and_data() {
        None => pixels_frame(events, last.seq()),
        Some((event, data)) => format!("event: {event}\nid: {}\ndata: {data}\n\n", first.seq()).into(),
    };
    let event = first.message_id().map(|_| Arc::new(first.clone()));
    Some(Frame { first: first.seq(), last: last.seq(), bytes, event })
}

fn pixels_frame(events: &[Event], last: Seq) -> Bytes {
    let placements = events.iter().filter_map(|event| match event {
        Event::Pixel(PlacementEvent { seq, point, color, agent, .. }) => {
            Some((seq, point.x, point.y, color, agent))
        }
        _ => None,
    });
    format!("event: pixels\nid: {last}\ndata: {}\n\n", to_json(&placements.collect::<Vec<_>>())).into()
}

fn to_json(data: &impl Serialize) -> String {
    // These types contain nothing that JSON cannot represent.
    serde_json::to_string(data).unwrap_or_default()
}

/// Returns the frame that tells open streams that the chat was switched on or off.
pub fn settings_frame(chat_enabled: bool) -> Bytes {
    format!("event: settings\ndata: {}\n\n", json!({"chat_enabled": chat_enabled})).into()
}

/// The folding of a message. This is state without an event: a client that loads the chat finds it there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MessageFolding {
    /// The message's sequence number.
    #[serde(skip)]
    pub seq: Seq,
    pub message_id: String,
    pub folded: bool,
}

/// Returns the frame that tells open streams that a message was folded or unfolded.
pub fn folded_frame(folding: &MessageFolding) -> Bytes {
    format!("event: folded\ndata: {}\n\n", to_json(folding)).into()
}

/// The number of spectators (open streams), and the state of the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Presence {
    pub spectators: usize,
    /// True if the follower reads the log. If not, frames contain `"live":false`, because the canvas may be
    /// outdated.
    pub live: bool,
}

/// The state of the server when a stream begins.
pub struct Hello<'a> {
    /// The position after which the stream goes on.
    pub position: StreamPosition,
    pub head: Seq,
    /// The number of the last event that changed a pixel.
    pub version: Seq,
    pub season: &'a str,
    pub presence: Presence,
    pub chat_enabled: bool,
}

/// The longest time between two events of a stream. A client that hears nothing for much longer has lost it.
pub const STREAM_HEARTBEAT: Duration = Duration::from_secs(5);

/// Returns the first frame of every stream.
pub fn hello_frame(hello: &Hello<'_>) -> Bytes {
    let mut data = json!({
        "head": hello.head, "version": hello.version, "season": hello.season,
        "spectators": hello.presence.spectators, "chat_enabled": hello.chat_enabled,
        "heartbeat_seconds": STREAM_HEARTBEAT.as_secs(),
    });
    if !hello.presence.live {
        data["live"] = false.into();
    }
    format!("retry: 2000\nevent: hello\nid: {}\ndata: {data}\n\n", hello.position.to_id()).into()
}

/// Returns the frame with the number of viewers.
pub fn presence_frame(Presence { spectators, live }: Presence) -> Bytes {
    let live = if live { "" } else { ",\"live\":false" };
    format!("event: presence\ndata: {{\"spectators\":{spectators}{live}}}\n\n").into()
}

/// Returns the frame that tells a client to reload, because it missed events that cannot be sent again.
pub fn reset_frame(head: Seq) -> Bytes {
    format!("event: reset\ndata: {{\"head\":{head}}}\n\n").into()
}

/// A comment that keeps idle connections open.
pub const KEEP_ALIVE_FRAME: Bytes = Bytes::from_static(b": still here\n\n");

/// Asks clients to reconnect soon, to another instance or to this one.
pub const SHUTDOWN_FRAME: Bytes = Bytes::from_static(b"retry: 1000\n: going down\n\n");

#[cfg(test)]
mod tests {
    use super::*;

    fn pixel(seq: i64) -> Event {
        let agent: Arc<str> = "agent_a".into();
        let point = Point { x: 10, y: 20 };
        Event::Pixel(PlacementEvent { seq: Seq(seq), point, color: 5, agent, painter: 1 })
    }

    fn season(title: &str) -> SeasonStart {
        let size = Size { width: 8, height: 8 };
        let opened_at = DateTime::UNIX_EPOCH;
        SeasonStart { seq: Seq(3), season: "season_a".into(), title: title.into(), size, opened_at }
    }

    #[test]
    fn neighbouring_pixels_share_a_frame_with_the_last_id() {
        let start = season("One");
        let frames = frames(&[pixel(1), pixel(2), Event::Season(start), pixel(4)]);
        let spans: Vec<_> = frames.iter().map(|frame| (frame.first.0, frame.last.0)).collect();
        assert_eq!(spans, [(1, 2), (3, 3), (4, 4)]);
        assert_eq!(
            frames[0].bytes,
            "event: pixels\nid: 2\ndata: [[1,10,20,5,\"agent_a\"],[2,10,20,5,\"agent_a\"]]\n\n"
        );
    }

    #[test]
    fn line_breaks_in_text_stay_in_one_data_line() {
        let start = season("a\nb");
        let frames = frames(&[Event::Season(start)]);
        let text = String::from_utf8(frames[0].bytes.to_vec()).unwrap();
        assert_eq!(text.lines().filter(|line| line.starts_with("data: ")).count(), 1);
        assert!(text.ends_with("}\n\n"));
    }
}
