//! What a timetable is made of.

use std::time::Duration;

use crate::{route::Route, wire::Dot};

/// What somebody should do, and when.
pub struct Job {
    /// Since the start.
    pub at: Duration,
    pub agent: usize,
    pub what: What,
}

pub enum What {
    Paint(Vec<Dot>),
    Say(String),
    Look(Route),
}
