//! Metrics of event streams.

use prometheus::{IntCounter, IntGauge};

use super::register::metrics;

metrics! {
    /// The metrics of event streams.
    StreamMetrics {
        open: IntGauge = "caraplace_streams_open"
            "Open event streams.";
        opened: IntCounter = "caraplace_streams_opened_total"
            "Event streams opened.";
        max: IntGauge = "caraplace_streams_max"
            "Maximum number of event streams of this process; derived from the limit of open files.";
        frames: IntCounter = "caraplace_stream_frames_sent_total"
            "Frames sent, counted once for each stream.";
        bytes: IntCounter = "caraplace_stream_bytes_sent_total"
            "Bytes of the frames sent.";
        queued_frames: IntGauge = "caraplace_stream_queued_frames"
            "Frames queued for the slowest stream; at the hub's limit the stream is reset.";
        [
            /// The stream was too slow.
            lagged = "lagged",
            /// The events to send are too many or too old.
            too_old = "too_old",
            /// The number to resume after has not been assigned yet.
            ahead = "ahead"
        ]: IntCounter = "caraplace_stream_resets_total" ["reason"]
            "Streams that were reset, so that their client reloads: lagged (too slow), too_old or ahead (the \
             number to resume after is too old, or not assigned yet).";
        [
            /// The database could not be read.
            unreadable = "unreadable",
            /// The server shuts down.
            shutdown = "farewell",
            /// The agent has a new key or other rights.
            rights_changed = "recalled"
        ]: IntCounter = "caraplace_stream_ends_total" ["reason"]
            "Streams that were ended and may resume: unreadable (the database could not be read), farewell \
             (the server shut down), recalled (the agent got a new key or other rights).";
        [
            /// The address has reached its limit of streams.
            refused_address = "address",
            /// The process has reached its limit of streams.
            refused_process = "process"
        ]: IntCounter = "caraplace_streams_refused_total" ["bound"]
            "Event streams refused, by the limit that was reached: address (CARAPLACE_STREAMS_PER_IP) or \
             process (the limit of open files).";
    }
}

impl StreamMetrics {
    /// Counts a frame of this many bytes that is sent to a stream.
    pub fn count_frame(&self, bytes: usize) {
        self.frames.inc();
        self.bytes.inc_by(bytes as u64);
    }
}
