//! What the live stream told: every number once, in order, and who painted what.

use std::collections::HashMap;

use anyhow::{Context, Result};
use serde::Deserialize;

/// Where and in which colour; the number is the key.
pub type Stroke = (u32, u32, u8);

/// The story so far of one instance's stream.
#[derive(Default)]
pub struct Story {
    /// The first number this story covers; none before the first `hello`.
    pub from: Option<u64>,
    pub last: u64,
    pub strokes: HashMap<u64, Stroke>,
    /// Numbers that came twice or were left out, as sentences.
    pub faults: Vec<String>,
    pub resets: u32,
    pub reconnects: u32,
    /// A season's start leaves nothing of what was painted before.
    pub season_at: u64,
}

#[derive(Deserialize)]
struct Head {
    head: u64,
}

/// One frame of the stream, as it arrived.
#[derive(Default, Debug, PartialEq, Eq)]
pub struct Frame {
    pub event: String,
    pub id: Option<u64>,
    pub data: String,
}

impl Story {
    pub fn tell(&mut self, frame: &Frame) -> Result<()> {
        match frame.event.as_str() {
            "hello" if self.from.is_none() => self.begin(frame),
            "reset" => {
                self.resets += 1;
                self.begin(frame)
            }
            "pixels" => self.pixels(frame),
            "hello" | "presence" => Ok(()),
            event => {
                let id = frame.id.with_context(|| format!("event {event} without a number"))?;
                self.season_at = if event == "season" { id } else { self.season_at };
                self.count(id);
                Ok(())
            }
        }
    }

    fn begin(&mut self, frame: &Frame) -> Result<()> {
        let Head { head } = serde_json::from_str(&frame.data).context("no head")?;
        self.from = Some(head + 1);
        self.last = head;
        Ok(())
    }

    fn pixels(&mut self, frame: &Frame) -> Result<()> {
        let rows: Vec<(u64, u32, u32, u8, String)> =
            serde_json::from_str(&frame.data).context("unreadable pixels")?;
        for (seq, x, y, color, _) in rows {
            self.count(seq);
            self.strokes.insert(seq, (x, y, color));
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
        let (mut story, mut cutter) = (Story::default(), Cutter::default());
        for chunk in text.as_bytes().chunks(7) {
            for frame in cutter.feed(chunk) {
                story.tell(&frame).unwrap();
            }
        }
        story
    }

    const HELLO: &str = "event: hello\ndata: {\"head\":10,\"version\":9}\n\n: comment\n\n";

    #[test]
    fn a_whole_story_has_no_faults() {
        let story = told(&format!(
            "{HELLO}event: pixels\nid: 12\ndata: [[11,1,2,3,\"agent_a\"],[12,4,5,6,\"agent_b\"]]\n\n\
             event: chat\nid: 13\ndata: {{}}\n\nevent: presence\ndata: {{\"spectators\":8}}\n\n"
        ));
        assert_eq!((story.from, story.last), (Some(11), 13));
        assert_eq!(story.strokes.get(&12), Some(&(4, 5, 6)));
        assert!(story.faults.is_empty());
    }

    #[test]
    fn holes_and_repetitions_are_noticed() {
        let story = told(&format!(
            "{HELLO}event: pixels\nid: 13\ndata: [[11,0,0,1,\"a\"],[13,0,0,1,\"a\"],[13,0,0,1,\"a\"]]\n\n"
        ));
        assert_eq!(story.faults.len(), 2, "{:?}", story.faults);
        assert!(story.faults[0].contains("12 to 12"));
    }

    #[test]
    fn a_reset_starts_the_story_anew() {
        let story = told(&format!("{HELLO}event: reset\ndata: {{\"head\":40}}\n\n"));
        assert_eq!((story.from, story.last, story.resets), (Some(41), 40, 1));
        assert!(story.faults.is_empty());
    }
}
