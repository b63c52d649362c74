//! Metrics of the writer: the size of its batches, and the duration of each phase.

use prometheus::{Histogram, IntCounter, IntGauge};

use super::register::{BATCH_SIZE_BUCKETS, metrics};

metrics! {
    /// The metrics of the writer.
    WriterMetrics {
        batch_size: Histogram = "caraplace_writer_batch_size"
            "Commands per transaction." in BATCH_SIZE_BUCKETS;
        queued: IntGauge = "caraplace_writer_queue_depth"
            "Commands that wait for the writer.";
        queue_capacity: IntGauge = "caraplace_writer_queue_capacity"
            "Maximum number of commands in the queue; one more is refused.";
        overloads: IntCounter = "caraplace_writer_overloads_total"
            "Commands refused because the queue was full.";
        placements: IntCounter = "caraplace_placements_total"
            "Pixels placed through this instance.";
        [
            /// Waiting for the head lock, and reading what other instances wrote.
            head_lock = "gate",
            /// Reading accounts, and deciding.
            decide = "decide",
            /// Writing the effects. For an optimistic write this includes the commit.
            write = "write",
            commit = "commit",
            /// Applying the events, and publishing them.
            publish = "announce"
        ]: Histogram = "caraplace_writer_phase_seconds" ["phase"]
            "Seconds that a batch spends in each phase: gate (lock of the log's head), decide, write, \
             commit, announce. A batch written at once (without the lock) has no gate phase, and its commit \
             is part of write.";
        [
            optimistic = "at_once",
            /// Another instance wrote first, so the batch is decided again.
            conflicted = "overtaken",
            locked = "behind_the_lock"
        ]: IntCounter = "caraplace_writer_passes_total" ["way"]
            "Attempts to write a batch: at_once (without the lock), overtaken (another instance wrote \
             first), behind_the_lock.";
        [committed = "committed", not_committed = "undone", unknown = "unknown"]: IntCounter =
            "caraplace_writer_batches_total" ["fate"]
            "Batches by outcome: committed, undone (nothing was written), unknown.";
    }
}
