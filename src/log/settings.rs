//! The settings as they are now: what the environment says, and over it what operators chose.

use std::sync::Arc;

use serde_json::Value;
use sqlx::PgConnection;
use tokio::sync::watch;

use super::{Log, store};
use crate::config::live::{Adjustable, Live};

/// The settings as of an entry of the control log.
#[derive(Debug)]
pub struct Chosen {
    pub as_of: i64,
    pub live: Live,
}

impl Chosen {
    /// What was chosen over these values. What this version does not know, or would not take, is left aside.
    pub(super) fn over(start: &Live, as_of: i64, chosen: &[(String, Value)]) -> Arc<Self> {
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

impl Log {
    /// The settings as they are now.
    pub fn settings(&self) -> Arc<Chosen> {
        self.chosen.borrow().clone()
    }

    /// Rises with each season and each change of the settings: what is told of both is written anew then.
    pub fn edition(&self) -> i64 {
        self.settings().as_of + self.world.read().season.seq
    }

    /// Tells of every change of the settings.
    pub fn watch_settings(&self) -> watch::Receiver<Arc<Chosen>> {
        self.chosen.subscribe()
    }

    /// The settings that the server has started with.
    pub fn initial_settings(&self) -> &Live {
        &self.initial
    }

    /// Reads them anew, as of an entry of the control log or a later one.
    pub(super) async fn read_settings(
        &self,
        connection: &mut PgConnection,
        as_of: i64,
    ) -> Result<(), sqlx::Error> {
        let chosen = Chosen::over(&self.initial, as_of, &store::settings(connection).await?);
        self.chosen.send_if_modified(|known| {
            let newer = known.as_of <= as_of;
            if newer {
                *known = chosen;
            }
            newer
        });
        Ok(())
    }
}
