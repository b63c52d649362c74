//! The frames of the live stream.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use rules::numbers::Seq;
use serde_json::json;

use super::event::{Event, MessageFolding, PlacementEvent, to_json};

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

/// Returns the frame that tells open streams that the chat was switched on or off.
pub(crate) fn settings_frame(chat_enabled: bool) -> Bytes {
    format!("event: settings\ndata: {}\n\n", json!({"chat_enabled": chat_enabled})).into()
}

/// Returns the frame that tells open streams that a message was folded or unfolded.
pub(crate) fn folded_frame(folding: &MessageFolding) -> Bytes {
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
    /// The number of the event after which the stream goes on.
    pub after: Seq,
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
    format!("retry: 2000\nevent: hello\nid: {}\ndata: {data}\n\n", hello.after).into()
}

/// Returns the frame with the number of viewers.
pub(crate) fn presence_frame(Presence { spectators, live }: Presence) -> Bytes {
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
    use chrono::DateTime;
    use rules::grid::{Point, Size};

    use super::*;
    use crate::event::SeasonStart;

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
