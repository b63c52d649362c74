//! The control log: what instances must know at once and the public must not see.

use std::sync::Arc;

use chrono::TimeDelta;
use sqlx::{PgConnection, Postgres, Transaction};

use super::{Log, store};
use crate::refusal::Refusal;

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

/// Tells every instance. The gate must be closed.
///
/// # Errors
/// When the database does not answer.
pub async fn append(
    connection: &mut PgConnection,
    entry: Control,
    offset: TimeDelta,
) -> Result<(), sqlx::Error> {
    store::append_control(connection, entry, offset).await
}

impl Log {
    /// Commits what others must know; it holds here from now on, and elsewhere within the time of a wake-up.
    ///
    /// # Errors
    /// `Uncertain` when the database did not answer.
    pub async fn seal(&self, transaction: Transaction<'_, Postgres>) -> Result<(), Refusal> {
        transaction.commit().await.map_err(|_| Refusal::Uncertain)?;
        // Should this fail, the follower does it.
        let _ = self.refresh().await;
        Ok(())
    }

    /// Does what the control log says after the newest entry that is known; returns the names of those it is about.
    pub(super) async fn read_control(
        &self,
        connection: &mut PgConnection,
        newest: i64,
    ) -> Result<Vec<Named>, sqlx::Error> {
        let known = self.roster.control();
        if known >= newest {
            return Ok(Vec::new());
        }
        let entries = store::control_after(connection, known).await?;
        if entries.contains(&Control::Season) {
            let (opening, course) = store::course(connection).await?;
            self.world.write().set_course(newest, opening, course);
        }
        if entries.contains(&Control::Settings) {
            self.read_settings(connection, newest).await?;
        }
        let changed = entries.iter().filter_map(|entry| match entry {
            Control::KeyChanged(agent) | Control::Standing(agent) => Some(*agent),
            Control::Shadow(_) | Control::Settings | Control::Season => None,
        });
        let changed: Vec<i64> = changed.collect();
        let names = store::names(connection, &changed).await?;
        if entries.iter().any(|entry| matches!(entry, Control::Shadow(_))) {
            self.whisper(connection).await?;
        }
        self.roster.forget(&changed, newest);
        self.hub.recall(&changed);
        Ok(names)
    }

    /// What is in memory is shown under the names that its authors have now.
    pub(super) fn take_names(&self, names: &[Named]) {
        if names.is_empty() {
            return;
        }
        let mut world = self.world.write();
        for (id, name) in names {
            world.rename(id, name);
            self.hub.rename(id, name);
        }
    }
}
