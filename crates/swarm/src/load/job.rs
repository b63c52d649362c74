//! The jobs of a timetable.

use std::time::Duration;

use crate::api_types::PixelInput;

/// A request with its planned time.
pub struct Job {
    /// The planned time since the start.
    pub due: Duration,
    pub agent: usize,
    pub kind: JobKind,
}

/// The kind of a request.
pub enum JobKind {
    Paint(Vec<PixelInput>),
    PostMessage(String),
    /// A GET of this path.
    Read(&'static str),
}
