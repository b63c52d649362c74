//! The events that anyone can see, and how each reads on the wire.

use std::mem::discriminant;
use std::sync::Arc;

use bytes::Bytes;
use chrono::{DateTime, Utc};
use rules::grid::{Point, Size};
use rules::message::{Message, ReactionCount};
use serde::Serialize;
use serde_json::json;

/// One pixel painted.
#[derive(Clone, Debug)]
pub struct PlacementEvent {
    pub seq: i64,
    pub point: Point,
    /// Index into the palette.
    pub color: u8,
    /// `agent_…`.
    pub agent: Arc<str>,
    /// The painter's number.
    pub painter: u32,
}

/// A painter's number as it is kept for each pixel: 0 stands for the operator and for an agent whose number is too
/// large, neither of which is recognised as the painter of its own pixel.
pub fn compact_painter(agent_no: i64) -> u32 {
    u32::try_from(agent_no).unwrap_or(0)
}

/// One numbered, visible change.
#[derive(Clone, Debug)]
pub enum Event {
    Pixel(PlacementEvent),
    Chat(Arc<Message>),
    Reaction(ReactionUpdate),
    /// A message is taken down.
    Hidden(VisibilityChange),
    /// A message is brought back.
    Restored(VisibilityChange),
    Season(SeasonStart),
}

/// What an operator did to a message.
#[derive(Clone, Debug, Serialize)]
pub struct VisibilityChange {
    pub seq: i64,
    pub message_id: String,
    #[serde(skip)]
    pub at: DateTime<Utc>,
}

/// A message's reactions after one was put there or taken back.
#[derive(Clone, Debug, Serialize)]
pub struct ReactionUpdate {
    pub seq: i64,
    pub message_id: String,
    pub reactions: Vec<ReactionCount>,
}

/// A new blank canvas.
#[derive(Clone, Debug, Serialize)]
pub struct SeasonStart {
    pub seq: i64,
    /// `season_…`.
    pub season: String,
    pub title: String,
    #[serde(skip)]
    pub size: Size,
    #[serde(skip)]
    pub opened_at: DateTime<Utc>,
}

impl Event {
    /// The event's number.
    pub fn seq(&self) -> i64 {
        match self {
            Self::Pixel(placement) => placement.seq,
            Self::Chat(message) => message.seq,
            Self::Reaction(reaction) => reaction.seq,
            Self::Hidden(change) | Self::Restored(change) => change.seq,
            Self::Season(season) => season.seq,
        }
    }

    /// What it is called, and its data in JSON; none for pixels, of which many share one frame.
    pub fn name_and_data(&self) -> Option<(&'static str, String)> {
        match self {
            Self::Pixel(_) => None,
            Self::Chat(message) => Some(("chat", to_json(&*message.public_view()))),
            Self::Reaction(reaction) => Some(("reaction", to_json(reaction))),
            Self::Hidden(change) => Some(("hidden", to_json(change))),
            Self::Restored(change) => Some(("restored", to_json(change))),
            Self::Season(season) => Some(("season", to_json(season))),
        }
    }

    /// The same while there is no chat: that something was said, and not what.
    #[must_use]
    pub fn without_text(self) -> Self {
        match self {
            Self::Chat(message) => Self::Chat(Arc::new(Message { hidden: true, ..Message::clone(&message) })),
            other => other,
        }
    }

    /// Whether it is the same event, not only one with the same number.
    pub fn is_same_event(&self, other: &Self) -> bool {
        discriminant(self) == discriminant(other) && self.identity() == other.identity()
    }

    /// Returns what tells an event from any other of its kind.
    fn identity(&self) -> (i64, &str, Option<(Point, u8)>) {
        match self {
            Self::Pixel(placement) => {
                (placement.seq, &placement.agent, Some((placement.point, placement.color)))
            }
            Self::Chat(message) => (message.seq, &message.id, None),
            Self::Reaction(reaction) => (reaction.seq, &reaction.message_id, None),
            Self::Hidden(change) | Self::Restored(change) => (change.seq, &change.message_id, None),
            Self::Season(season) => (season.seq, &season.season, None),
        }
    }
}

/// Consecutive events, serialised once for everyone.
#[derive(Clone, Debug)]
pub struct Frame {
    pub first: i64,
    pub last: i64,
    pub bytes: Bytes,
}

/// The frames of consecutive events: neighbouring pixels share one.
pub fn frames(events: &[Event]) -> Vec<Frame> {
    let are_both_pixels = |a: &Event, b: &Event| matches!((a, b), (Event::Pixel(_), Event::Pixel(_)));
    events.chunk_by(are_both_pixels).filter_map(frame).collect()
}

fn frame(events: &[Event]) -> Option<Frame> {
    let (first, last) = (events.first()?, events.last()?);
    let bytes = match first.name_and_data() {
        None => pixels_frame(events, last.seq()),
        Some((event, data)) => format!("event: {event}\nid: {}\ndata: {data}\n\n", first.seq()).into(),
    };
    Some(Frame { first: first.seq(), last: last.seq(), bytes })
}

fn pixels_frame(events: &[Event], last: i64) -> Bytes {
    let placements = events.iter().filter_map(|event| match event {
        Event::Pixel(PlacementEvent { seq, point, color, agent, .. }) => {
            Some((seq, point.x, point.y, color, agent))
        }
        _ => None,
    });
    format!("event: pixels\nid: {last}\ndata: {}\n\n", to_json(&placements.collect::<Vec<_>>())).into()
}

fn to_json(data: &impl Serialize) -> String {
    // These types hold nothing that JSON cannot say.
    serde_json::to_string(data).unwrap_or_default()
}

/// A message without a number, which resuming does not count.
pub fn unnumbered_chat_frame(message: &Message) -> Bytes {
    format!("event: chat\ndata: {}\n\n", to_json(message)).into()
}

/// How many watch, and what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Presence {
    pub spectators: usize,
    /// Whether the log is followed. While it is not, `"live":false` is said besides: what is shown may be old.
    pub live: bool,
}

/// The first frame of every stream.
pub fn hello_frame(head: i64, version: i64, season: &str, presence: Presence) -> Bytes {
    let mut data =
        json!({"head": head, "version": version, "season": season, "spectators": presence.spectators});
    if !presence.live {
        data["live"] = false.into();
    }
    format!("retry: 2000\nevent: hello\ndata: {data}\n\n").into()
}

/// How many watch.
pub fn presence_frame(Presence { spectators, live }: Presence) -> Bytes {
    let live = if live { "" } else { ",\"live\":false" };
    format!("event: presence\ndata: {{\"spectators\":{spectators}{live}}}\n\n").into()
}

/// The client missed something that cannot be sent again, and must reload.
pub fn reset_frame(head: i64) -> Bytes {
    format!("event: reset\ndata: {{\"head\":{head}}}\n\n").into()
}

/// Keeps connections open that nothing happens on.
pub const KEEP_ALIVE_FRAME: Bytes = Bytes::from_static(b": still here\n\n");

/// Asks clients to come back soon, on another instance or this one again.
pub const SHUTDOWN_FRAME: Bytes = Bytes::from_static(b"retry: 1000\n: going down\n\n");

#[cfg(test)]
mod tests {
    use super::*;

    fn pixel(seq: i64) -> Event {
        let agent: Arc<str> = "agent_a".into();
        Event::Pixel(PlacementEvent { seq, point: Point { x: 10, y: 20 }, color: 5, agent, painter: 1 })
    }

    fn season(title: &str) -> SeasonStart {
        let size = Size { width: 8, height: 8 };
        let opened_at = DateTime::UNIX_EPOCH;
        SeasonStart { seq: 3, season: "season_a".into(), title: title.into(), size, opened_at }
    }

    #[test]
    fn neighbouring_pixels_share_a_frame_with_the_last_id() {
        let start = season("One");
        let frames = frames(&[pixel(1), pixel(2), Event::Season(start), pixel(4)]);
        let spans: Vec<_> = frames.iter().map(|frame| (frame.first, frame.last)).collect();
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
