//! The additions of nouns above the log: parts of batches, projections, services, and events of their own.

use std::collections::HashMap;

use caraplace_live::event::Event;
use chrono::{DateTime, Utc};
use rules::numbers::Seq;
use sqlx::PgConnection;

use super::part::NewParts;
use super::projection::NewProjections;
use super::reload::Reload;
use super::services::NewServices;
use super::sql_future::SqlFuture;

/// The additions of all nouns of a server to its log.
pub struct Nouns {
    pub parts: NewParts,
    pub projections: NewProjections,
    pub services: NewServices,
    pub event_readers: &'static [EventReader],
    pub reloads: &'static [&'static dyn Reload],
}

/// Returns the events of these rows by their numbers. An event that is not returned is left out, so that the
/// stream has a hole that shows the damage.
pub type ReadEvents =
    for<'a> fn(&'a mut PgConnection, &'a [StoredEvent]) -> SqlFuture<'a, HashMap<Seq, Event>>;

/// The reader of the events of one noun.
pub struct EventReader {
    /// The kinds of its events in the database.
    pub kinds: &'static [&'static str],
    pub read: ReadEvents,
}

/// The row of an event that is not a placement.
#[derive(Clone, Debug)]
pub struct StoredEvent {
    pub seq: Seq,
    pub kind: String,
    /// The id of the object that it is about.
    pub id: String,
    pub at: DateTime<Utc>,
}
