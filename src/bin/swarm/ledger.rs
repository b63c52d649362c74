//! What the server acknowledged, and every promise it broke on the way.

use std::sync::{
    Mutex, MutexGuard, PoisonError,
    atomic::{AtomicUsize, Ordering},
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

#[derive(Default)]
pub struct Ledger {
    acks: Mutex<Vec<Ack>>,
    faults: Mutex<Vec<String>>,
    /// Dots of the picture painted for the first time.
    fresh: AtomicUsize,
    /// Pixels whose request never got an answer: they may or may not stand.
    unsettled: AtomicUsize,
}

impl Ledger {
    pub fn record(&self, acks: Vec<Ack>, fresh: usize) {
        lock(&self.acks).extend(acks);
        self.fresh.fetch_add(fresh, Ordering::Relaxed);
    }

    pub fn fault(&self, what: String) {
        lock(&self.faults).push(what);
    }

    pub fn unsettled(&self, pixels: usize) {
        self.unsettled.fetch_add(pixels, Ordering::Relaxed);
    }

    pub fn count(&self) -> usize {
        lock(&self.acks).len()
    }

    pub fn fresh_count(&self) -> usize {
        self.fresh.load(Ordering::Relaxed)
    }

    pub fn unsettled_count(&self) -> usize {
        self.unsettled.load(Ordering::Relaxed)
    }

    pub fn acks(&self) -> Vec<Ack> {
        lock(&self.acks).clone()
    }

    pub fn faults(&self) -> Vec<String> {
        lock(&self.faults).clone()
    }
}

/// A panic elsewhere does not make these lists wrong.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
