//! What the operator can see: logs on standard error, and numbers for `/metrics`.

mod answers;
mod caches;
mod connections;
mod database;
pub mod event_loops;
mod follower;
mod game;
pub mod logging;
mod moderation;
mod office;
mod process;
mod register;
mod streams;
mod writer;

use std::sync::LazyLock;
use std::time::Instant;

use prometheus::{Encoder, Histogram, Registry, TextEncoder};

pub use answers::RouteMeter;
pub use caches::CacheMeter;

use crate::clock::moment;

/// The process' numbers.
pub static METRICS: LazyLock<Metrics> = LazyLock::new(Metrics::new);

/// Everything that `/metrics` tells.
pub struct Metrics {
    registry: Registry,
    pub answers: answers::Answers,
    pub writer: writer::Writer,
    pub follower: follower::Follower,
    pub streams: streams::Streams,
    pub connections: connections::Connections,
    pub database: database::Database,
    pub caches: caches::Caches,
    pub game: game::Game,
    pub moderation: moderation::Moderation,
    pub office: office::Office,
    pub event_loops: event_loops::EventLoops,
    process: process::Process,
}

impl Metrics {
    fn new() -> Self {
        let registry = Registry::new();
        let process = process::Process::new(&registry);
        process.begin();
        Self {
            answers: answers::Answers::new(&registry),
            writer: writer::Writer::new(&registry),
            follower: follower::Follower::new(&registry),
            streams: streams::Streams::new(&registry),
            connections: connections::Connections::new(&registry),
            database: database::Database::new(&registry),
            caches: caches::Caches::new(&registry),
            game: game::Game::new(&registry),
            moderation: moderation::Moderation::new(&registry),
            office: office::Office::new(&registry),
            event_loops: event_loops::EventLoops::new(&registry),
            process,
            registry,
        }
    }

    /// All numbers in Prometheus' text format.
    ///
    /// # Errors
    /// When a number cannot be written as text.
    pub fn text(&self) -> prometheus::Result<Vec<u8>> {
        self.process.look();
        self.follower.look();
        let mut text = Vec::new();
        TextEncoder::new().encode(&self.registry.gather(), &mut text)?;
        Ok(text)
    }
}

/// Measures the parts of something that are done one after the other.
pub struct Laps(Instant);

impl Laps {
    /// The first part begins.
    pub fn start() -> Self {
        Self(moment())
    }

    /// A part ends, and the next begins.
    pub fn end(&mut self, part: &Histogram) {
        let now = moment();
        part.observe((now - self.0).as_secs_f64());
        self.0 = now;
    }
}
