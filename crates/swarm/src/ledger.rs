//! All acknowledged writes, and every guarantee that the server broke.

use std::{
    collections::HashMap,
    io::Write,
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
};

use parking_lot::Mutex;

use crate::{
    api_types::{Account, MessageResponse, PixelInput, Placement, PlacementResponse},
    assertions,
    crews::AckedPrivate,
};

/// An acknowledged placement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AckedPlacement {
    pub seq: u64,
    pub x: u32,
    pub y: u32,
    pub color: u8,
    /// The agent's index.
    pub agent: usize,
}

/// An acknowledged message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AckedMessage {
    pub seq: u64,
    pub id: String,
    pub agent: usize,
}

/// The writes without a response, which may or may not have been carried out.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct Unsettled {
    pub pixels: u64,
    pub messages: u64,
    pub private_messages: u64,
}

/// The record of all writes and faults of a run.
#[derive(Default)]
pub struct Ledger {
    acks: Mutex<Vec<AckedPlacement>>,
    messages: Mutex<Vec<AckedMessage>>,
    faults: Mutex<Vec<String>>,
    /// Number of pixels of the picture that were painted for the first time.
    painted: AtomicUsize,
    unsettled: Mutex<HashMap<usize, Unsettled>>,
}

impl Ledger {
    /// Records the response to a placement, and a fault if the response is wrong.
    pub fn record_placements(
        &self,
        agent: usize,
        name: &str,
        pixels: &[PixelInput],
        placed: &PlacementResponse,
    ) {
        if let Some(fault) = assertions::find_violation(pixels, placed) {
            self.record_fault(format!("{name}: {fault}"));
        }
        let acks = placed.placements().filter_map(|Placement { x, y, color, seq }| {
            Some(AckedPlacement { seq: seq?, x, y, color, agent })
        });
        self.acks.lock().extend(acks);
    }

    /// Records an acknowledged message.
    pub fn record_message(&self, agent: usize, response: &MessageResponse) {
        let (seq, id) = (response.message.seq, response.message.id.clone());
        self.messages.lock().push(AckedMessage { seq, id, agent });
    }

    /// Counts pixels of the picture that were painted for the first time.
    pub fn add_painted(&self, count: usize) {
        self.painted.fetch_add(count, Ordering::Relaxed);
    }

    /// Records a fault.
    pub fn record_fault(&self, fault: String) {
        self.faults.lock().push(fault);
    }

    /// Records a write without a response.
    pub fn record_unsettled(&self, agent: usize, unsettled: Unsettled) {
        let mut all = self.unsettled.lock();
        let agent_total = all.entry(agent).or_default();
        agent_total.pixels += unsettled.pixels;
        agent_total.messages += unsettled.messages;
        agent_total.private_messages += unsettled.private_messages;
    }

    /// Returns the number of acknowledged placements.
    pub fn placement_count(&self) -> usize {
        self.acks.lock().len()
    }

    /// Returns the number of pixels of the picture that were painted for the first time.
    pub fn painted_count(&self) -> usize {
        self.painted.load(Ordering::Relaxed)
    }

    /// Returns the acknowledged placements.
    pub fn acks(&self) -> Vec<AckedPlacement> {
        self.acks.lock().clone()
    }

    /// Returns the acknowledged messages.
    pub fn messages(&self) -> Vec<AckedMessage> {
        self.messages.lock().clone()
    }

    /// Returns the writes without a response by agent.
    pub fn unsettled_by_agent(&self) -> HashMap<usize, Unsettled> {
        self.unsettled.lock().clone()
    }

    /// Returns the faults.
    pub fn faults(&self) -> Vec<String> {
        self.faults.lock().clone()
    }

    /// Writes all acknowledged writes as CSV, for comparison with the database.
    /// Private messages have no number.
    pub fn write_csv(
        &self,
        path: &Path,
        accounts: &[Account],
        private_messages: &[AckedPrivate],
    ) -> std::io::Result<()> {
        let mut file = std::io::BufWriter::new(std::fs::File::create(path)?);
        let id = |agent: usize| &accounts[agent].id;
        writeln!(file, "seq,agent,x,y,color,message")?;
        for AckedPlacement { seq, x, y, color, agent } in self.acks() {
            writeln!(file, "{seq},{},{x},{y},{color},", id(agent))?;
        }
        for message in self.messages() {
            writeln!(file, "{},{},,,,{}", message.seq, id(message.agent), message.id)?;
        }
        for message in private_messages {
            writeln!(file, ",{},,,,{}", id(message.agent), message.id)?;
        }
        file.flush()
    }
}
