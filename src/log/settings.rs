//! The current settings: those of the environment, and over them those that operators chose.

use std::sync::Arc;

use serde_json::Value;
use tokio::sync::watch;

use crate::config::{Adjustable, Game, Live};

/// The settings as of an entry of the control log.
#[derive(Debug)]
pub struct Chosen {
    pub as_of: i64,
    pub live: Live,
}

impl Chosen {
    /// What was chosen over these values. What this version does not know, or would not take, is left aside.
    fn over(start: &Live, as_of: i64, chosen: &[(String, Value)]) -> Arc<Self> {
        let mut live = start.clone();
        for (name, value) in chosen {
            let set = Adjustable::named(name).and_then(|setting| setting.set(&mut live, value));
            if set.is_none() {
                tracing::warn!(
                    name,
                    "a setting that was stored cannot be used; it is as the environment has it"
                );
            }
        }
        Arc::new(Self { as_of, live })
    }
}

/// The settings as they are now, and the announcement of each change.
pub struct CurrentSettings {
    /// The settings that the server has started with.
    pub initial: Live,
    chosen: watch::Sender<Arc<Chosen>>,
}

impl CurrentSettings {
    /// The stored settings over the initial ones, as of an entry of the control log.
    pub(super) fn new(initial: Live, as_of: i64, stored: &[(String, Value)]) -> Self {
        let chosen = Chosen::over(&initial, as_of, stored);
        Self { initial, chosen: watch::Sender::new(chosen) }
    }

    /// Returns the numbers of the game.
    pub fn game(&self) -> Game {
        self.chosen.borrow().live.game
    }

    /// Returns the settings as they are now.
    pub fn current(&self) -> Arc<Chosen> {
        self.chosen.borrow().clone()
    }

    /// Returns a receiver that is told of every change.
    pub fn subscribe(&self) -> watch::Receiver<Arc<Chosen>> {
        self.chosen.subscribe()
    }

    /// Replaces them by those stored as of an entry of the control log, unless newer ones are known.
    pub(super) fn replace(&self, as_of: i64, stored: &[(String, Value)]) {
        let chosen = Chosen::over(&self.initial, as_of, stored);
        self.chosen.send_if_modified(|known| {
            let newer = known.as_of <= as_of;
            if newer {
                *known = chosen;
            }
            newer
        });
    }
}
