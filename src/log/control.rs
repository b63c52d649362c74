//! The control log: what instances must know at once and the public must not see.

use std::sync::Arc;

use chrono::TimeDelta;
use sqlx::PgConnection;

use super::store;
pub use super::store::append_control_entry as append;

/// Somebody's id and name.
pub(super) type AgentIdAndName = (Arc<str>, Arc<str>);

/// One entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControlEntry {
    /// The agent with this number has another key.
    KeyChanged(i64),
    /// What the holder of a name may do, or the name itself, has changed.
    StatusChanged(i64),
    /// The agent with this number has said something that only it is shown.
    ShadowPosted(i64),
    /// A setting was changed while running.
    SettingsChanged,
    /// The season was frozen, or its end was set.
    SeasonChanged,
}

impl ControlEntry {
    /// From what is stored; an entry of a newer version means nothing to this one.
    pub(super) fn from_stored(kind: &str, subject: i64) -> Option<Self> {
        match kind {
            "key_changed" => Some(Self::KeyChanged(subject)),
            "standing" => Some(Self::StatusChanged(subject)),
            "shadow" => Some(Self::ShadowPosted(subject)),
            "settings" => Some(Self::SettingsChanged),
            "season" => Some(Self::SeasonChanged),
            _ => None,
        }
    }

    /// As it is stored.
    pub(super) fn to_stored(self) -> (&'static str, i64) {
        match self {
            Self::KeyChanged(agent) => ("key_changed", agent),
            Self::StatusChanged(agent) => ("standing", agent),
            Self::ShadowPosted(agent) => ("shadow", agent),
            Self::SettingsChanged => ("settings", 0),
            Self::SeasonChanged => ("season", 0),
        }
    }
}

/// Closes the gate for the rest of the transaction. Whoever changes what the gate checks does this first.
///
/// # Errors
/// When the database does not answer.
pub async fn lock_head(connection: &mut PgConnection) -> Result<(), sqlx::Error> {
    store::lock_head(connection, TimeDelta::zero()).await.map(|_| ())
}
