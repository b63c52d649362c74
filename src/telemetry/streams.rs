//! The live streams.

use prometheus::{IntCounter, IntGauge};

use super::register::Register;

/// What is told of the streams.
pub struct Streams {
    pub open: IntGauge,
    pub opened: IntCounter,
    pub most: IntGauge,
    /// The address has as many as it may.
    pub refused_address: IntCounter,
    /// The process has as many as it can.
    pub refused_process: IntCounter,
    pub frames: IntCounter,
    pub bytes: IntCounter,
    pub queued_frames: IntGauge,
    /// Too slow to be told everything.
    pub lagged: IntCounter,
    /// What it lacks is too much to be sent.
    pub too_old: IntCounter,
    /// It names a number that was never given.
    pub ahead: IntCounter,
    /// The database could not be read for it.
    pub unreadable: IntCounter,
    /// The server is going down.
    pub farewell: IntCounter,
    /// Its agent has another key or other rights.
    pub recalled: IntCounter,
}

impl Streams {
    pub(super) fn new(register: &Register<'_>) -> Self {
        let [lagged, too_old, ahead] = register.counter_of_each(
            "caraplace_stream_resets_total",
            "Streams that were told to reload: lagged (too slow), too_old or ahead (of the number to resume after).",
            ("reason", ["lagged", "too_old", "ahead"]),
        );
        let [unreadable, farewell, recalled] = register.counter_of_each(
            "caraplace_stream_ends_total",
            "Streams that were ended and may resume: unreadable (the database), farewell (the server stops), recalled (the agent has another key or other rights).",
            ("reason", ["unreadable", "farewell", "recalled"]),
        );
        let [refused_address, refused_process] = register.counter_of_each(
            "caraplace_streams_refused_total",
            "Event streams that were refused, by what was full: address (CARAPLACE_STREAMS_PER_IP) or process (the limit of open files).",
            ("bound", ["address", "process"]),
        );
        Self {
            open: register.gauge("caraplace_streams_open", "Event streams that are open."),
            opened: register.counter("caraplace_streams_opened_total", "Event streams that were opened."),
            most: register.gauge(
                "caraplace_streams_max",
                "Event streams that this process can hold; it follows from the limit of open files.",
            ),
            refused_address,
            refused_process,
            frames: register.counter(
                "caraplace_stream_frames_sent_total",
                "Frames handed to streams, one for each stream that gets it.",
            ),
            bytes: register
                .counter("caraplace_stream_bytes_sent_total", "Bytes of the frames handed to streams."),
            queued_frames: register.gauge(
                "caraplace_stream_queued_frames",
                "Frames that the slowest stream has still to take; at the hub's limit it is reset.",
            ),
            lagged,
            too_old,
            ahead,
            unreadable,
            farewell,
            recalled,
        }
    }

    /// Hands a frame of so many bytes to a stream.
    pub fn sent(&self, bytes: usize) {
        self.frames.inc();
        self.bytes.inc_by(bytes as u64);
    }
}
