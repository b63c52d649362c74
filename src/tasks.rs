//! What goes on in the background: the ticks of the live stream, and sweeping.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinHandle;
use tokio::time::sleep;

use crate::app::App;

/// How often the watchers are told how many they are.
const PRESENCE: Duration = Duration::from_secs(2);
/// How often old answers and idle limits are swept away.
const SWEEP: Duration = Duration::from_secs(600);

/// Background tasks that stop when they are dropped.
pub struct Tasks(Vec<JoinHandle<()>>);

impl Tasks {
    /// Starts them all.
    pub fn start(app: &Arc<App>) -> Self {
        Self(vec![
            tokio::spawn(tick(app.clone())),
            tokio::spawn(tell_presence(app.clone())),
            tokio::spawn(sweep(app.clone())),
        ])
    }
}

impl Drop for Tasks {
    fn drop(&mut self) {
        self.0.iter().for_each(JoinHandle::abort);
    }
}

async fn tick(app: Arc<App>) {
    loop {
        sleep(app.log.hub.gathering()).await;
        app.log.hub.tick();
    }
}

async fn tell_presence(app: Arc<App>) {
    loop {
        sleep(PRESENCE).await;
        app.log.hub.announce_presence();
    }
}

async fn sweep(app: Arc<App>) {
    loop {
        sleep(SWEEP).await;
        app.limits.sweep();
        if let Err(error) = app.log.sweep_answers().await {
            tracing::warn!(%error, "old answers could not be swept away; trying again later");
        }
    }
}
