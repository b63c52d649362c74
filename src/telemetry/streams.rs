//! The live streams.

use prometheus::{IntCounter, IntGauge};

use super::register::metrics;

metrics! {
    /// The metrics of event streams.
    StreamMetrics {
        open: IntGauge = "caraplace_streams_open"
            "Event streams that are open.";
        opened: IntCounter = "caraplace_streams_opened_total"
            "Event streams that were opened.";
        max: IntGauge = "caraplace_streams_max"
            "Event streams that this process can hold; it follows from the limit of open files.";
        frames: IntCounter = "caraplace_stream_frames_sent_total"
            "Frames handed to streams, one for each stream that gets it.";
        bytes: IntCounter = "caraplace_stream_bytes_sent_total"
            "Bytes of the frames handed to streams.";
        queued_frames: IntGauge = "caraplace_stream_queued_frames"
            "Frames that the slowest stream has still to take; at the hub's limit it is reset.";
        [
            /// Too slow to be told everything.
            lagged = "lagged",
            /// Too many events behind for them to be sent.
            too_old = "too_old",
            /// It names a number that was never given.
            ahead = "ahead"
        ]: IntCounter = "caraplace_stream_resets_total" ["reason"]
            "Streams that were told to reload: lagged (too slow), too_old or ahead (of the number to resume after).";
        [
            /// The database could not be read for it.
            unreadable = "unreadable",
            /// The server is going down.
            shutdown = "farewell",
            /// Its agent has another key or other rights.
            rights_changed = "recalled"
        ]: IntCounter = "caraplace_stream_ends_total" ["reason"]
            "Streams that were ended and may resume: unreadable (the database), farewell (the server stops), recalled (the agent has another key or other rights).";
        [
            /// The address has as many as it may.
            refused_address = "address",
            /// The process has as many as it can.
            refused_process = "process"
        ]: IntCounter = "caraplace_streams_refused_total" ["bound"]
            "Event streams that were refused, by what was full: address (CARAPLACE_STREAMS_PER_IP) or process (the limit of open files).";
    }
}

impl StreamMetrics {
    /// Hands a frame of so many bytes to a stream.
    pub fn count_frame(&self, bytes: usize) {
        self.frames.inc();
        self.bytes.inc_by(bytes as u64);
    }
}
