//! The gate's writer: how much it takes at once, and how long each part lasts.

use prometheus::{Histogram, IntCounter, IntGauge};

use super::register::{COUNTS, Register};

/// What is told of the writer.
pub struct Writer {
    pub batch_size: Histogram,
    /// Waiting for the head's lock, and reading what others wrote.
    pub gate: Histogram,
    /// Reading accounts, and deciding.
    pub decide: Histogram,
    /// Writing what was decided; at once, its commit too.
    pub write: Histogram,
    pub commit: Histogram,
    /// Folding it in, and telling the watchers.
    pub announce: Histogram,
    pub queued: IntGauge,
    pub queue_capacity: IntGauge,
    pub overloads: IntCounter,
    pub at_once: IntCounter,
    /// Another instance wrote first: decided anew.
    pub overtaken: IntCounter,
    pub behind_the_lock: IntCounter,
    pub committed: IntCounter,
    pub undone: IntCounter,
    pub unknown: IntCounter,
    pub placements: IntCounter,
}

impl Writer {
    pub(super) fn new(register: &Register<'_>) -> Self {
        let phases = register.histograms(
            "caraplace_writer_phase_seconds",
            "Seconds that a batch spends in each phase: gate (lock of the log's head), decide, write, commit, announce. What is written at once has no gate, and its commit is in write.",
            &["phase"],
        );
        let phase = |name: &str| phases.with_label_values(&[name]);
        let [committed, undone, unknown] = register.counter_of_each(
            "caraplace_writer_batches_total",
            "Batches by what became of them: committed, undone (nothing was written), unknown.",
            ("fate", ["committed", "undone", "unknown"]),
        );
        let [at_once, overtaken, behind_the_lock] = register.counter_of_each(
            "caraplace_writer_passes_total",
            "How batches were tried: at_once, overtaken (at once, but another instance wrote first), behind_the_lock.",
            ("way", ["at_once", "overtaken", "behind_the_lock"]),
        );
        Self {
            batch_size: register.histogram("caraplace_writer_batch_size", "Writes per transaction.", COUNTS),
            gate: phase("gate"),
            decide: phase("decide"),
            write: phase("write"),
            commit: phase("commit"),
            announce: phase("announce"),
            queued: register.gauge("caraplace_writer_queue_depth", "Writes that wait for the gate."),
            queue_capacity: register.gauge(
                "caraplace_writer_queue_capacity",
                "Writes that may wait for the gate; one more is refused.",
            ),
            overloads: register.counter(
                "caraplace_writer_overloads_total",
                "Writes that were refused because the queue was full.",
            ),
            at_once,
            overtaken,
            behind_the_lock,
            committed,
            undone,
            unknown,
            placements: register
                .counter("caraplace_placements_total", "Pixels placed through this instance."),
        }
    }
}
