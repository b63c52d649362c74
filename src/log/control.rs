//! The control log: what instances must know at once and the public must not see.

use std::sync::Arc;

use chrono::TimeDelta;
use sqlx::PgConnection;

use super::store;
pub use super::store::append_control as append;

/// Somebody's id and name.
pub(super) type Named = (Arc<str>, Arc<str>);

/// One entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// The agent with this number has another key.
    KeyChanged(i64),
    /// What the holder of a name may do, or the name itself, has changed.
    Standing(i64),
    /// The agent with this number has said something that only it is shown.
    Shadow(i64),
    /// A setting was changed while running.
    Settings,
    /// The season was frozen, or its end was set.
    Season,
}

impl Control {
    /// From what is stored; an entry of a newer version means nothing to this one.
    pub(super) fn read(kind: &str, subject: i64) -> Option<Self> {
        match kind {
            "key_changed" => Some(Self::KeyChanged(subject)),
            "standing" => Some(Self::Standing(subject)),
            "shadow" => Some(Self::Shadow(subject)),
            "settings" => Some(Self::Settings),
            "season" => Some(Self::Season),
            _ => None,
        }
    }

    /// As it is stored.
    pub(super) fn stored(self) -> (&'static str, i64) {
        match self {
            Self::KeyChanged(agent) => ("key_changed", agent),
            Self::Standing(agent) => ("standing", agent),
            Self::Shadow(agent) => ("shadow", agent),
            Self::Settings => ("settings", 0),
            Self::Season => ("season", 0),
        }
    }
}

/// Closes the gate for the rest of the transaction. Whoever changes what the gate checks does this first.
///
/// # Errors
/// When the database does not answer.
pub async fn close_gate(connection: &mut PgConnection) -> Result<(), sqlx::Error> {
    store::lock_head(connection, TimeDelta::zero()).await.map(|_| ())
}
