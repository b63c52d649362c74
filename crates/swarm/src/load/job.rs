//! What a timetable is made of.

use std::time::Duration;

use crate::{api_types::PixelInput, route::Route};

/// What somebody should do, and when.
pub struct Job {
    /// Since the start.
    pub due: Duration,
    pub agent: usize,
    pub kind: JobKind,
}

pub enum JobKind {
    Paint(Vec<PixelInput>),
    PostMessage(String),
    Read(Route),
}
