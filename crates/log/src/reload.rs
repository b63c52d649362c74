//! Reloads: what a noun reads again while the server runs, where events alone do not keep current what it has
//! in memory.

use caraplace_live::event::Event;
use caraplace_live::hub::Hub;
use chrono::{DateTime, Utc};
use parking_lot::RwLock;
use platform::config::GameSettings;
use rules::numbers::AccountNo;
use sqlx::PgConnection;

use super::control_entry::ControlEntry;
use super::services::Services;
use super::sql_future::SqlFuture;
use super::world::World;

/// The state of this instance that a reload reads and changes. The lock of the world must not be held over
/// a query.
#[derive(Clone, Copy)]
pub struct ReloadContext<'a> {
    pub world: &'a RwLock<World>,
    pub services: &'a Services,
    pub hub: &'a Hub,
    pub now: DateTime<Utc>,
}

/// Replaces data of a projection by what was read, with the world locked at the event up to which it was
/// read.
pub type Replacement = Box<dyn FnOnce(&mut World) + Send>;

/// The reloads of one noun.
pub trait Reload: Sync {
    /// Returns the number of the newest own event at the start, after which streams go on; 0 if the noun
    /// has none.
    fn newest_own<'a>(&self, _: &'a mut PgConnection) -> SqlFuture<'a, i64> {
        Box::pin(async { Ok(0) })
    }

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
        _: &'a mut PgConnection,
        _: ReloadContext<'a>,
        _: &'a [Event],
    ) -> SqlFuture<'a, Option<Replacement>> {
        Box::pin(async { Ok(None) })
    }

    /// Reads, after events were applied, what they have left outdated.
    fn read_after<'a>(&self, _: &'a mut PgConnection, _: ReloadContext<'a>) -> SqlFuture<'a, ()> {
        Box::pin(async { Ok(()) })
    }

    /// Tells all streams of changed settings that concern the noun, after the events before the change.
    fn publish_settings(&self, _: &Hub, _: &GameSettings) {}

    /// Returns the numbers of the accounts that the noun keeps in memory, for an instance that was cut off
    /// until the entries of the control log that it has missed were deleted.
    fn cached_accounts(&self, _: ReloadContext<'_>) -> Vec<AccountNo> {
        Vec::new()
    }
}
