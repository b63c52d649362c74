//! The current settings: those of the environment, overridden by those that operators have set.

use std::sync::Arc;

use platform::config::{AdjustableSetting, AdjustableValues, Config, GameSettings, StartSetting};
use serde_json::Value;
use tokio::sync::watch;

/// The settings as of an entry of the control log.
#[derive(Debug)]
pub struct SettingsSnapshot {
    /// The number of the entry of the control log.
    pub control_head: i64,
    /// The values.
    pub values: AdjustableValues,
}

impl SettingsSnapshot {
    /// Returns these values with the stored ones applied. Settings that this version does not know or does
    /// not accept are ignored.
    fn from_stored(initial: &AdjustableValues, control_head: i64, stored: &[(String, Value)]) -> Arc<Self> {
        let mut values = initial.clone();
        for (name, value) in stored {
            let result = AdjustableSetting::find(name).and_then(|setting| setting.set(&mut values, value));
            if result.is_none() {
                tracing::warn!(name, "a stored setting is invalid, using the value of the start");
            }
        }
        Arc::new(Self { control_head, values })
    }
}

/// The current settings, and notifications of changes.
pub struct CurrentSettings {
    /// The settings at the server's start.
    pub initial: AdjustableValues,
    /// All settings at the server's start as text, with their origins.
    pub start: Arc<[StartSetting]>,
    current: watch::Sender<Arc<SettingsSnapshot>>,
}

impl CurrentSettings {
    /// Returns the initial settings with the stored ones applied, as of an entry of the control log.
    pub(super) fn new(config: &Config, control_head: i64, stored: &[(String, Value)]) -> Self {
        let initial = config.adjustable_values();
        let current = SettingsSnapshot::from_stored(&initial, control_head, stored);
        Self { initial, start: config.start_settings.clone(), current: watch::Sender::new(current) }
    }

    /// Returns the game settings.
    pub fn game(&self) -> GameSettings {
        self.current.borrow().values.game
    }

    /// Returns the current settings.
    pub fn current(&self) -> Arc<SettingsSnapshot> {
        self.current.borrow().clone()
    }

    /// Returns a receiver of every change.
    pub fn subscribe(&self) -> watch::Receiver<Arc<SettingsSnapshot>> {
        self.current.subscribe()
    }

    /// Applies the settings stored as of an entry of the control log, unless newer ones are known.
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
