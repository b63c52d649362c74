//! What the server acknowledged, and every promise it broke on the way.

use std::{
    collections::HashMap,
    io::Write,
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
};

use parking_lot::Mutex;

use crate::{
    promise,
    wire::{Account, Dot, Placed, Said},
};

/// One placement the server said yes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ack {
    pub seq: u64,
    pub x: u32,
    pub y: u32,
    pub color: u8,
    /// Which of our agents, as an index into the crowd.
    pub agent: usize,
}

/// One message the server said yes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spoken {
    pub seq: u64,
    pub id: String,
    pub agent: usize,
}

/// Of requests that never got an answer: what they asked for may or may not stand.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct Unsettled {
    pub pixels: u64,
    pub messages: u64,
}

#[derive(Default)]
pub struct Ledger {
    acks: Mutex<Vec<Ack>>,
    spoken: Mutex<Vec<Spoken>>,
    faults: Mutex<Vec<String>>,
    /// Dots of the picture painted for the first time.
    fresh: AtomicUsize,
    unsettled: Mutex<HashMap<usize, Unsettled>>,
}

impl Ledger {
    /// Writes down what was placed, and the fault when the answer is not what it must be.
    pub fn placed(&self, agent: usize, name: &str, dots: &[Dot], placed: &Placed) {
        if let Some(what) = promise::broken(dots, placed) {
            self.fault(format!("{name}: {what}"));
        }
        let acks = placed.all().map(|p| Ack { seq: p.seq, x: p.x, y: p.y, color: p.color, agent });
        self.acks.lock().extend(acks);
    }

    pub fn said(&self, agent: usize, said: &Said) {
        let (seq, id) = (said.message.seq, said.message.id.clone());
        self.spoken.lock().push(Spoken { seq, id, agent });
    }

    pub fn painted_new(&self, dots: usize) {
        self.fresh.fetch_add(dots, Ordering::Relaxed);
    }

    pub fn fault(&self, what: String) {
        self.faults.lock().push(what);
    }

    pub fn unsettled(&self, agent: usize, what: Unsettled) {
        let mut all = self.unsettled.lock();
        let own = all.entry(agent).or_default();
        own.pixels += what.pixels;
        own.messages += what.messages;
    }

    pub fn count(&self) -> usize {
        self.acks.lock().len()
    }

    pub fn fresh_count(&self) -> usize {
        self.fresh.load(Ordering::Relaxed)
    }

    pub fn acks(&self) -> Vec<Ack> {
        self.acks.lock().clone()
    }

    pub fn messages(&self) -> Vec<Spoken> {
        self.spoken.lock().clone()
    }

    pub fn unsettled_by_agent(&self) -> HashMap<usize, Unsettled> {
        self.unsettled.lock().clone()
    }

    pub fn faults(&self) -> Vec<String> {
        self.faults.lock().clone()
    }

    /// Everything acknowledged as CSV, for comparison with what is stored.
    pub fn write(&self, path: &Path, crowd: &[Account]) -> std::io::Result<()> {
        let mut file = std::io::BufWriter::new(std::fs::File::create(path)?);
        let id = |agent: usize| crowd.get(agent).map_or("", |account| account.id.as_str());
        writeln!(file, "seq,agent,x,y,color,message")?;
        for Ack { seq, x, y, color, agent } in self.acks() {
            writeln!(file, "{seq},{},{x},{y},{color},", id(agent))?;
        }
        for spoken in self.messages() {
            writeln!(file, "{},{},,,,{}", spoken.seq, id(spoken.agent), spoken.id)?;
        }
        file.flush()
    }
}
