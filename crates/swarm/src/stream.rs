//! What the live stream told: every number once, in order, and who painted what.

use std::{collections::HashMap, ops::RangeInclusive};

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::copy::Copy;

/// Where and in which colour; the number is the key.
pub type Stroke = (u32, u32, u8);

/// The story so far of one stream.
#[derive(Default)]
pub struct Story {
    /// The first number this story covers since it last began; none before the first `hello`.
    pub from: Option<u64>,
    pub last: u64,
    /// What it covered before each reset.
    pub earlier: Vec<RangeInclusive<u64>>,
    /// How many strokes it told.
    pub strokes: u64,
    /// What it told, for those who keep it.
    pub record: Option<Record>,
    /// None until the canvas is loaded: then at least [`Story::wanted`] is needed.
    pub copy: Option<Copy>,
    /// The version that a canvas must have to begin with.
    pub wanted: u64,
    /// Numbers that came twice or were left out, as sentences.
    pub faults: Vec<String>,
    pub resets: u32,
    pub reconnects: u32,
    /// A season's start leaves nothing of what was painted before.
    pub season_at: u64,
}

/// Everything told, by number.
#[derive(Default)]
pub struct Record {
    pub strokes: HashMap<u64, Stroke>,
    /// The messages' ids.
    pub messages: HashMap<u64, String>,
    /// How many strokes of each agent, by its id.
    pub painters: HashMap<String, u64>,
}

#[derive(Deserialize)]
struct Head {
    head: u64,
    #[serde(default)]
    version: u64,
}

#[derive(Deserialize)]
struct Named {
    id: String,
}

/// One frame of the stream, as it arrived.
#[derive(Default, Debug, PartialEq, Eq)]
pub struct Frame {
    pub event: String,
    pub id: Option<u64>,
    pub data: String,
}

impl Story {
    pub fn recording() -> Self {
        Story { record: Some(Record::default()), ..Story::default() }
    }

    pub fn tell(&mut self, frame: &Frame) -> Result<()> {
        match frame.event.as_str() {
            "hello" if self.from.is_none() => self.begin(frame),
            "reset" => {
                self.resets += 1;
                self.earlier.extend(self.from.map(|from| from..=self.last));
                self.begin(frame)
            }
            "pixels" => self.pixels(frame),
            "hello" | "presence" => Ok(()),
            event => self.event(event, frame),
        }
    }

    /// Whether the stream should have told this number.
    pub fn covers(&self, seq: u64) -> bool {
        self.from.is_some_and(|from| seq >= from) || self.earlier.iter().any(|range| range.contains(&seq))
    }

    fn begin(&mut self, frame: &Frame) -> Result<()> {
        let Head { head, version } = serde_json::from_str(&frame.data).context("no head")?;
        self.from = Some(head + 1);
        self.last = head;
        (self.copy, self.wanted) = (None, version);
        Ok(())
    }

    fn event(&mut self, event: &str, frame: &Frame) -> Result<()> {
        let id = frame.id.with_context(|| format!("event {event} without a number"))?;
        self.count(id);
        if event == "season" {
            self.season_at = id;
            (self.copy, self.wanted) = (None, id);
        }
        if let (Some(record), "chat") = (&mut self.record, event) {
            let Named { id: message } = serde_json::from_str(&frame.data).context("unreadable message")?;
            record.messages.insert(id, message);
        }
        Ok(())
    }

    fn pixels(&mut self, frame: &Frame) -> Result<()> {
        let rows: Vec<(u64, u32, u32, u8, String)> =
            serde_json::from_str(&frame.data).context("unreadable pixels")?;
        if frame.id != rows.last().map(|row| row.0) {
            self.faults.push(format!("a frame with id {:?} ends with another number", frame.id));
        }
        for (seq, x, y, color, agent) in rows {
            self.count(seq);
            self.strokes += 1;
            if self.copy.as_mut().is_some_and(|copy| !copy.paint(seq, x, y, color)) {
                self.faults.push(format!("number {seq} lies beside the canvas"));
            }
            if let Some(record) = &mut self.record {
                record.strokes.insert(seq, (x, y, color));
                *record.painters.entry(agent).or_default() += 1;
            }
        }
        Ok(())
    }

    fn count(&mut self, seq: u64) {
        match seq {
            _ if seq == self.last + 1 => {}
            _ if seq <= self.last => self.faults.push(format!("number {seq} came again after {}", self.last)),
            _ => self.faults.push(format!("numbers {} to {} were left out", self.last + 1, seq - 1)),
        }
        self.last = self.last.max(seq);
    }
}

/// Cuts a byte stream into frames; lines may be split anywhere between chunks.
#[derive(Default)]
pub struct Cutter {
    line: Vec<u8>,
    frame: Frame,
}

impl Cutter {
    pub fn feed(&mut self, chunk: &[u8]) -> Vec<Frame> {
        let mut frames = Vec::new();
        for byte in chunk {
            match byte {
                b'\n' => frames.extend(self.end_line()),
                b'\r' => {}
                _ => self.line.push(*byte),
            }
        }
        frames
    }

    fn end_line(&mut self) -> Option<Frame> {
        let line = String::from_utf8_lossy(&std::mem::take(&mut self.line)).into_owned();
        if line.is_empty() {
            let frame = std::mem::take(&mut self.frame);
            return (!frame.event.is_empty()).then_some(frame);
        }
        let (field, value) = line.split_once(':').unwrap_or((&line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => value.clone_into(&mut self.frame.event),
            "data" => self.frame.data.push_str(value),
            "id" => self.frame.id = value.parse().ok(),
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Story {
        let (mut story, mut cutter) = (Story::recording(), Cutter::default());
        for chunk in text.as_bytes().chunks(7) {
            for frame in cutter.feed(chunk) {
                story.tell(&frame).unwrap();
            }
        }
        story
    }

    const HELLO: &str = "event: hello\ndata: {\"head\":10,\"version\":9}\n\n: comment\n\n";

    #[test]
    fn complete_stream_has_no_faults() {
        let story = told(&format!(
            "{HELLO}event: pixels\nid: 12\ndata: [[11,1,2,3,\"agent_a\"],[12,4,5,6,\"agent_b\"]]\n\n\
             event: chat\nid: 13\ndata: {{\"id\":\"msg_a\"}}\n\nevent: presence\ndata: {{\"spectators\":8}}\n\n"
        ));
        assert_eq!((story.from, story.last), (Some(11), 13));
        let record = story.record.unwrap();
        assert_eq!(record.strokes.get(&12), Some(&(4, 5, 6)));
        assert_eq!(record.messages.get(&13).map(String::as_str), Some("msg_a"));
        assert_eq!((story.strokes, record.painters.get("agent_b")), (2, Some(&1)));
        assert_eq!(story.wanted, 9);
        assert!(story.faults.is_empty());
    }

    #[test]
    fn gaps_and_repetitions_are_reported() {
        let story = told(&format!(
            "{HELLO}event: pixels\nid: 13\ndata: [[11,0,0,1,\"a\"],[13,0,0,1,\"a\"],[13,0,0,1,\"a\"]]\n\n"
        ));
        assert_eq!(story.faults.len(), 2, "{:?}", story.faults);
        assert!(story.faults[0].contains("12 to 12"));
    }

    #[test]
    fn ranges_before_a_reset_stay_covered() {
        let pixels = "event: pixels\nid: 12\ndata: [[11,0,0,1,\"a\"],[12,0,0,1,\"a\"]]\n\n";
        let story = told(&format!("{HELLO}{pixels}event: reset\ndata: {{\"head\":40}}\n\n"));
        assert_eq!(
            [10, 11, 12, 13, 40, 41].map(|seq| story.covers(seq)),
            [false, true, true, false, false, true]
        );
    }

    #[test]
    fn reset_starts_at_the_new_head() {
        let story = told(&format!("{HELLO}event: reset\ndata: {{\"head\":40}}\n\n"));
        assert_eq!((story.from, story.last, story.resets), (Some(41), 40, 1));
        assert_eq!([10, 11, 40, 41].map(|seq| story.covers(seq)), [false, false, false, true]);
        assert!(story.faults.is_empty());
    }
}
