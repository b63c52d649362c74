//! The current settings: those of the environment, and over them those that operators chose.

use std::sync::Arc;

use serde_json::Value;
use tokio::sync::watch;

use crate::config::{AdjustableSetting, AdjustableValues, GameSettings};

/// The settings as of an entry of the control log.
#[derive(Debug)]
pub struct SettingsSnapshot {
    pub control_head: i64,
    pub values: AdjustableValues,
}

impl SettingsSnapshot {
    /// What was chosen over these values. What this version does not know, or would not take, is left aside.
    fn from_stored(initial: &AdjustableValues, control_head: i64, stored: &[(String, Value)]) -> Arc<Self> {
        let mut values = initial.clone();
        for (name, value) in stored {
            let result = AdjustableSetting::find(name).and_then(|setting| setting.set(&mut values, value));
            if result.is_none() {
                tracing::warn!(
                    name,
                    "a setting that was stored cannot be used; it is as the environment has it"
                );
            }
        }
        Arc::new(Self { control_head, values })
    }
}

/// The settings as they are now, and the announcement of each change.
pub struct CurrentSettings {
    /// The settings that the server has started with.
    pub initial: AdjustableValues,
    current: watch::Sender<Arc<SettingsSnapshot>>,
}

impl CurrentSettings {
    /// The stored settings over the initial ones, as of an entry of the control log.
    pub(super) fn new(initial: AdjustableValues, control_head: i64, stored: &[(String, Value)]) -> Self {
        let current = SettingsSnapshot::from_stored(&initial, control_head, stored);
        Self { initial, current: watch::Sender::new(current) }
    }

    /// Returns the numbers of the game.
    pub fn game(&self) -> GameSettings {
        self.current.borrow().values.game
    }

    /// Returns the settings as they are now.
    pub fn current(&self) -> Arc<SettingsSnapshot> {
        self.current.borrow().clone()
    }

    /// Returns a receiver that is told of every change.
    pub fn subscribe(&self) -> watch::Receiver<Arc<SettingsSnapshot>> {
        self.current.subscribe()
    }

    /// Replaces them by those stored as of an entry of the control log, unless newer ones are known.
    pub(super) fn replace(&self, control_head: i64, stored: &[(String, Value)]) {
        let stored_snapshot = SettingsSnapshot::from_stored(&self.initial, control_head, stored);
        self.current.send_if_modified(|current| {
            let is_newer = current.control_head <= control_head;
            if is_newer {
                *current = stored_snapshot;
            }
            is_newer
        });
    }
}
