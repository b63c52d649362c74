//! Reloads: what a noun reads again while the server runs, where events alone do not keep its projection
//! current.

use caraplace_live::event::Event;
use caraplace_live::hub::Hub;
use chrono::{DateTime, Utc};
use parking_lot::RwLock;
use sqlx::PgConnection;

use super::control_entry::ControlEntry;
use super::sql_future::SqlFuture;
use super::world::World;

/// The state of this instance that a reload reads and changes. The lock of the world must not be held over
/// a query.
#[derive(Clone, Copy)]
pub struct ReloadContext<'a> {
    pub world: &'a RwLock<World>,
    pub hub: &'a Hub,
    pub now: DateTime<Utc>,
}

/// Replaces data of a projection by what was read, with the world locked at the event up to which it was
/// read.
pub type Replacement = Box<dyn FnOnce(&mut World) + Send>;

/// The reloads of one noun.
pub trait Reload: Sync {
    /// Applies those entries of the control log that concern the noun. `newest` is the number of the newest
    /// entry.
    fn apply_control<'a>(
        &self,
        connection: &'a mut PgConnection,
        context: ReloadContext<'a>,
        newest: i64,
        entries: &'a [ControlEntry],
    ) -> SqlFuture<'a, ()>;

    /// Reads, before the next events are applied, what they outdate. The result is used after they were, and
    /// before they are published.
    fn read_before<'a>(
        &self,
        connection: &'a mut PgConnection,
        context: ReloadContext<'a>,
        events: &'a [Event],
    ) -> SqlFuture<'a, Option<Replacement>>;

    /// Reads, after events were applied, what they have left outdated.
    fn read_after<'a>(
        &self,
        connection: &'a mut PgConnection,
        context: ReloadContext<'a>,
    ) -> SqlFuture<'a, ()>;
}
