//! Checks the event stream: every number once and in order.

use std::{
    collections::{HashMap, HashSet},
    ops::RangeInclusive,
};

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::{api_types::Message, canvas_replica::CanvasReplica, plans::api_types::PlanState};

/// A placement in the stream as x, y and colour. Its number is the key.
pub type StreamedPixel = (u32, u32, u8);

/// The state of one stream.
#[derive(Default)]
pub struct StreamState {
    /// The first number since the last start or reset; `None` before the first `hello`.
    pub first_seq: Option<u64>,
    pub last_seq: u64,
    /// The ranges of numbers before each reset.
    pub earlier_ranges: Vec<RangeInclusive<u64>>,
    /// Number of placements received.
    pub placement_count: u64,
    /// The recorded events, if this spectator records them.
    pub record: Option<StreamRecord>,
    /// The replica of the canvas, or `None` until a canvas of at least version
    /// [`min_version`](Self::min_version) is loaded.
    pub replica: Option<CanvasReplica>,
    /// The minimum version of the first canvas.
    pub min_version: u64,
    /// Faults: numbers that came twice or were missing.
    pub faults: Vec<String>,
    pub resets: u32,
    pub reconnects: u32,
    /// The number of the newest season's start, which clears the canvas.
    pub season_seq: u64,
    /// The newest version of each plan.
    pub plan_versions: HashMap<String, u32>,
}

/// All received events, by number.
#[derive(Default)]
pub struct StreamRecord {
    pub placements: HashMap<u64, StreamedPixel>,
    /// The ids of the messages.
    pub messages: HashMap<u64, String>,
    /// The texts of the messages.
    pub texts: HashSet<String>,
    /// The states of each plan in the order of the events, by plan id.
    pub plan_states: HashMap<String, Vec<PlanState>>,
    /// Number of placements by agent id.
    pub placements_by_agent: HashMap<String, u64>,
}

#[derive(Deserialize)]
struct HeadData {
    head: u64,
    #[serde(default)]
    version: u64,
}

#[derive(Deserialize)]
struct PlanData {
    seq: u64,
    plan_id: String,
    state: PlanState,
    version: u32,
}

/// One frame of the stream.
#[derive(Default, Debug, PartialEq, Eq)]
pub struct Frame {
    pub event: String,
    pub id: Option<u64>,
    pub data: String,
}

impl StreamState {
    /// Returns a state that records all events.
    pub fn with_record() -> Self {
        StreamState { record: Some(StreamRecord::default()), ..StreamState::default() }
    }

    /// Checks and applies a frame.
    pub fn apply_frame(&mut self, frame: &Frame) -> Result<()> {
        match frame.event.as_str() {
            "hello" if self.first_seq.is_none() => self.start_at_head(frame),
            "reset" => {
                self.resets += 1;
                self.earlier_ranges.extend(self.first_seq.map(|from| from..=self.last_seq));
                self.start_at_head(frame)
            }
            "pixels" => self.apply_pixels(frame),
            "hello" | "presence" | "settings" | "folded" => Ok(()),
            event => self.apply_event(event, frame),
        }
    }

    /// Returns true if the stream should have sent this number.
    pub fn covers(&self, seq: u64) -> bool {
        self.first_seq.is_some_and(|from| seq >= from)
            || self.earlier_ranges.iter().any(|range| range.contains(&seq))
    }

    fn start_at_head(&mut self, frame: &Frame) -> Result<()> {
        let HeadData { head, version } = serde_json::from_str(&frame.data).context("no head")?;
        self.first_seq = Some(head + 1);
        self.last_seq = head;
        (self.replica, self.min_version) = (None, version);
        Ok(())
    }

    fn apply_event(&mut self, event: &str, frame: &Frame) -> Result<()> {
        let id = frame.id.with_context(|| format!("event {event} without a number"))?;
        self.check_seq(id);
        if event == "season" {
            self.season_seq = id;
            (self.replica, self.min_version) = (None, id);
        }
        if event == "plan" {
            self.apply_plan(id, frame)?;
        }
        if let (Some(record), "chat") = (&mut self.record, event) {
            let message: Message = serde_json::from_str(&frame.data).context("unreadable message")?;
            record.messages.insert(id, message.id);
            record.texts.extend(message.content);
        }
        Ok(())
    }

    fn apply_plan(&mut self, id: u64, frame: &Frame) -> Result<()> {
        let PlanData { seq, plan_id, state, version } =
            serde_json::from_str(&frame.data).context("unreadable plan")?;
        if seq != id {
            self.faults.push(format!("a frame with id {id} has the plan event {seq}"));
        }
        let newest = self.plan_versions.entry(plan_id.clone()).or_default();
        if version < (*newest).max(1) {
            self.faults.push(format!("number {seq}: plan {plan_id} has version {version} after {newest}"));
        }
        *newest = version.max(*newest);
        if let Some(record) = &mut self.record {
            record.plan_states.entry(plan_id).or_default().push(state);
        }
        Ok(())
    }

    fn apply_pixels(&mut self, frame: &Frame) -> Result<()> {
        let rows: Vec<(u64, u32, u32, u8, String)> =
            serde_json::from_str(&frame.data).context("unreadable pixels")?;
        if frame.id != rows.last().map(|row| row.0) {
            self.faults.push(format!("a frame with id {:?} does not end with this number", frame.id));
        }
        for (seq, x, y, color, agent) in rows {
            self.check_seq(seq);
            self.placement_count += 1;
            if self.replica.as_mut().is_some_and(|copy| !copy.apply_placement(seq, x, y, color)) {
                self.faults.push(format!("number {seq} is outside the canvas"));
            }
            if let Some(record) = &mut self.record {
                record.placements.insert(seq, (x, y, color));
                *record.placements_by_agent.entry(agent).or_default() += 1;
            }
        }
        Ok(())
    }

    fn check_seq(&mut self, seq: u64) {
        match seq {
            _ if seq == self.last_seq + 1 => {}
            _ if seq <= self.last_seq => {
                self.faults.push(format!("number {seq} came again after {}", self.last_seq));
            }
            _ => self.faults.push(format!("numbers {} to {} are missing", self.last_seq + 1, seq - 1)),
        }
        self.last_seq = self.last_seq.max(seq);
    }
}

/// Splits a byte stream into frames. Chunks may end anywhere in a line.
#[derive(Default)]
pub struct FrameParser {
    line: Vec<u8>,
    frame: Frame,
}

impl FrameParser {
    /// Adds received bytes. Returns the complete frames.
    pub fn feed(&mut self, chunk: &[u8]) -> Vec<Frame> {
        let mut frames = Vec::new();
        for byte in chunk {
            match byte {
                b'\n' => frames.extend(self.finish_line()),
                b'\r' => {}
                _ => self.line.push(*byte),
            }
        }
        frames
    }

    fn finish_line(&mut self) -> Option<Frame> {
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

    fn replay(text: &str) -> StreamState {
        let (mut state, mut parser) = (StreamState::with_record(), FrameParser::default());
        for chunk in text.as_bytes().chunks(7) {
            for frame in parser.feed(chunk) {
                state.apply_frame(&frame).unwrap();
            }
        }
        state
    }

    const HELLO: &str = "event: hello\ndata: {\"head\":10,\"version\":9}\n\n: comment\n\n";

    #[test]
    fn complete_stream_has_no_faults() {
        let state = replay(&format!(
            "{HELLO}event: pixels\nid: 12\ndata: [[11,1,2,3,\"agent_a\"],[12,4,5,6,\"agent_b\"]]\n\n\
             event: chat\nid: 13\ndata: {{\"id\":\"msg_a\",\"seq\":13,\"type\":\"message\"}}\n\nevent: presence\ndata: {{\"spectators\":8}}\n\n"
        ));
        assert_eq!((state.first_seq, state.last_seq), (Some(11), 13));
        let record = state.record.unwrap();
        assert_eq!(record.placements.get(&12), Some(&(4, 5, 6)));
        assert_eq!(record.messages.get(&13).map(String::as_str), Some("msg_a"));
        assert_eq!((state.placement_count, record.placements_by_agent.get("agent_b")), (2, Some(&1)));
        assert_eq!(state.min_version, 9);
        assert!(state.faults.is_empty());
    }

    #[test]
    fn plan_events_are_numbered_and_versions_do_not_decrease() {
        let event = |id: u64, seq: u64, state: &str, version: u32| {
            format!(
                "event: plan\nid: {id}\ndata: {{\"seq\":{seq},\"plan_id\":\"plan_a\",\"state\":\"{state}\",\
                 \"version\":{version}}}\n\n"
            )
        };
        let told =
            [event(11, 11, "open", 1), event(12, 12, "open", 2), event(13, 13, "finished", 2)].concat();
        let state = replay(&format!("{HELLO}{told}"));
        assert!(state.faults.is_empty(), "{:?}", state.faults);
        let expected = [PlanState::Open, PlanState::Open, PlanState::Finished];
        assert_eq!(state.record.unwrap().plan_states["plan_a"], expected);
        let state = replay(&format!("{HELLO}{}{}", event(11, 11, "open", 2), event(12, 13, "closed", 1)));
        assert_eq!(state.faults.len(), 2, "{:?}", state.faults);
    }

    #[test]
    fn gaps_and_repetitions_are_reported() {
        let state = replay(&format!(
            "{HELLO}event: pixels\nid: 13\ndata: [[11,0,0,1,\"a\"],[13,0,0,1,\"a\"],[13,0,0,1,\"a\"]]\n\n"
        ));
        assert_eq!(state.faults.len(), 2, "{:?}", state.faults);
        assert!(state.faults[0].contains("12 to 12"));
    }

    #[test]
    fn ranges_before_a_reset_stay_covered() {
        let pixels = "event: pixels\nid: 12\ndata: [[11,0,0,1,\"a\"],[12,0,0,1,\"a\"]]\n\n";
        let state = replay(&format!("{HELLO}{pixels}event: reset\ndata: {{\"head\":40}}\n\n"));
        assert_eq!(
            [10, 11, 12, 13, 40, 41].map(|seq| state.covers(seq)),
            [false, true, true, false, false, true]
        );
    }

    #[test]
    fn reset_starts_at_the_new_head() {
        let state = replay(&format!("{HELLO}event: reset\ndata: {{\"head\":40}}\n\n"));
        assert_eq!((state.first_seq, state.last_seq, state.resets), (Some(41), 40, 1));
        assert_eq!([10, 11, 40, 41].map(|seq| state.covers(seq)), [false, false, false, true]);
        assert!(state.faults.is_empty());
    }
}
