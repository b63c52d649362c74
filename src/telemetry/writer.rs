//! The gate's writer: how much it takes at once, and how long each part lasts.

use prometheus::{Histogram, IntCounter, IntGauge};

use super::register::{BATCH_SIZE_BUCKETS, metrics};

metrics! {
    /// The metrics of the writer.
    WriterMetrics {
        batch_size: Histogram = "caraplace_writer_batch_size"
            "Writes per transaction." in BATCH_SIZE_BUCKETS;
        queued: IntGauge = "caraplace_writer_queue_depth"
            "Writes that wait for the gate.";
        queue_capacity: IntGauge = "caraplace_writer_queue_capacity"
            "Writes that may wait for the gate; one more is refused.";
        overloads: IntCounter = "caraplace_writer_overloads_total"
            "Writes that were refused because the queue was full.";
        placements: IntCounter = "caraplace_placements_total"
            "Pixels placed through this instance.";
        [
            /// Waiting for the head's lock, and reading what others wrote.
            head_lock = "gate",
            /// Reading accounts, and deciding.
            decide = "decide",
            /// Writing what was decided; at once, its commit too.
            write = "write",
            commit = "commit",
            /// Folding it in, and telling the watchers.
            publish = "announce"
        ]: Histogram = "caraplace_writer_phase_seconds" ["phase"]
            "Seconds that a batch spends in each phase: gate (lock of the log's head), decide, write, commit, announce. What is written at once has no gate, and its commit is in write.";
        [
            optimistic = "at_once",
            /// Another instance wrote first: decided anew.
            conflicted = "overtaken",
            locked = "behind_the_lock"
        ]: IntCounter = "caraplace_writer_passes_total" ["way"]
            "How batches were tried: at_once, overtaken (at once, but another instance wrote first), behind_the_lock.";
        [committed = "committed", not_committed = "undone", unknown = "unknown"]: IntCounter =
            "caraplace_writer_batches_total" ["fate"]
            "Batches by what became of them: committed, undone (nothing was written), unknown.";
    }
}
