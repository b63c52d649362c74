//! The control log: changes that all instances must know at once and the public must not see.

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use sqlx::{PgConnection, PgPool};

use super::store;
pub use super::store::append_control_entry as append;

/// The time for which entries are kept. Instances read them within a second; one that is cut off for longer
/// than this reads everything again.
const ENTRY_RETENTION: TimeDelta = TimeDelta::days(1);

/// An account's id and name.
pub(super) type AccountIdAndName = (Arc<str>, Arc<str>);

/// An entry of the control log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControlEntry {
    /// The agent with this number has a new key.
    KeyChanged(i64),
    /// The rights or the name of the account with this number have changed, or access tokens of it were revoked.
    AccountChanged(i64),
    /// The agent with this number has new private events.
    ShadowPosted(i64),
    /// A shadow-ban of the agent with this number has begun or ended. Unlike other changes of rights, it ends no
    /// stream.
    ShadowBanChanged(i64),
    /// A setting was changed while the server was running.
    SettingsChanged,
    /// The season was frozen, or its end was set.
    SeasonChanged,
    /// The message with this number was folded or unfolded.
    FoldingChanged(i64),
    /// The extra key with this number was created or revoked.
    ExtraKeyChanged(i64),
}

impl ControlEntry {
    /// Returns the entry for stored values, or `None` for an entry of a newer version, which this version
    /// ignores.
    pub(super) fn from_stored(kind: &str, subject: i64) -> Option<Self> {
        match kind {
            "key_changed" => Some(Self::KeyChanged(subject)),
            "standing" => Some(Self::AccountChanged(subject)),
            "shadow" => Some(Self::ShadowPosted(subject)),
            "shadow_ban" => Some(Self::ShadowBanChanged(subject)),
            "settings" => Some(Self::SettingsChanged),
            "season" => Some(Self::SeasonChanged),
            "folding" => Some(Self::FoldingChanged(subject)),
            "extra_key" => Some(Self::ExtraKeyChanged(subject)),
            _ => None,
        }
    }

    /// Returns the values to store.
    pub(super) fn to_stored(self) -> (&'static str, i64) {
        match self {
            Self::KeyChanged(agent) => ("key_changed", agent),
            Self::AccountChanged(agent) => ("standing", agent),
            Self::ShadowPosted(agent) => ("shadow", agent),
            Self::ShadowBanChanged(agent) => ("shadow_ban", agent),
            Self::SettingsChanged => ("settings", 0),
            Self::SeasonChanged => ("season", 0),
            Self::FoldingChanged(message) => ("folding", message),
            Self::ExtraKeyChanged(key) => ("extra_key", key),
        }
    }
}

/// Locks the head for the rest of the transaction. Every change of what the writer checks must do this first.
pub async fn lock_head(connection: &mut PgConnection) -> Result<(), sqlx::Error> {
    store::lock_head(connection).await.map(|_| ())
}

/// Deletes the oldest entries, up to this many, that no instance needs any more, and returns their number. An
/// instance that starts needs none, because the state that they are about is stored elsewhere.
pub async fn delete_old(pool: &PgPool, now: DateTime<Utc>, limit: i64) -> Result<u64, sqlx::Error> {
    let before = now - ENTRY_RETENTION;
    if !store::has_control_entry_before(pool, before).await? {
        return Ok(0);
    }
    let mut transaction = pool.begin().await?;
    lock_head(&mut transaction).await?;
    let deleted = store::delete_control_entries(&mut transaction, before, limit).await?;
    transaction.commit().await?;
    Ok(deleted)
}
