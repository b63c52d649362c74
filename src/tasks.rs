//! What goes on in the background: the ticks of the live stream, and sweeping.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinHandle;
use tokio::time::sleep;

use crate::app::App;
use crate::canvas::heat::Heats;
use crate::gallery::Gallery;
use crate::moderation::reports;
use crate::moderation::rollback::work;
use crate::newcomers;
use crate::operators;
use crate::past::snapshots;
use crate::seasons::schedule;
use crate::state::AppState;

/// How often the watchers are told how many they are.
const PRESENCE: Duration = Duration::from_secs(2);
/// How often it is asked whether the canvas is worth keeping for the next start.
const FOLD: Duration = Duration::from_secs(10);
/// How often it is asked whether what was counted of each pixel is.
const HEAT: Duration = Duration::from_mins(1);
/// How often it is asked whether one of somebody's passes has ended before another.
const TURN: Duration = Duration::from_mins(1);
/// How often what nobody needs any more is swept away.
pub const SWEEP: Duration = Duration::from_mins(10);

/// Background tasks that stop when they are dropped.
#[derive(Default)]
pub struct Tasks(Vec<JoinHandle<()>>);

impl Tasks {
    /// Starts those of the log.
    pub fn start(state: &Arc<AppState>) -> Self {
        let mut tasks = Self::default();
        let hub = state.clone();
        tasks.every(PRESENCE, move || hub.hub.announce_presence());
        tasks.0.push(tokio::spawn(tick(state.clone())));
        tasks.0.push(tokio::spawn(sweep(state.clone())));
        tasks.0.push(tokio::spawn(fold(state.clone())));
        tasks.0.push(tokio::spawn(snapshots::keep(state.clone())));
        tasks.0.push(tokio::spawn(work::run(state.clone())));
        tasks.0.push(tokio::spawn(schedule::keep(state.clone())));
        tasks.0.push(tokio::spawn(newcomers::keep(state.clone())));
        tasks
    }

    /// Keeps what was counted of each pixel for the next start.
    pub fn keep_heat(&mut self, state: &Arc<AppState>, heats: Arc<Heats>) {
        self.0.push(tokio::spawn(heat(state.clone(), heats)));
    }

    /// Keeps passes what they are worth by now.
    pub fn turn_passes(&mut self, app: Arc<App>) {
        self.0.push(tokio::spawn(turn_passes(app)));
    }

    /// Starts one more.
    pub fn start_one(&mut self, task: impl Future<Output = ()> + Send + 'static) {
        self.0.push(tokio::spawn(task));
    }

    /// Starts one more, which does the same thing again and again.
    pub fn every(&mut self, period: Duration, act: impl Fn() + Send + 'static) {
        self.0.push(tokio::spawn(async move {
            loop {
                sleep(period).await;
                act();
            }
        }));
    }
}

impl Drop for Tasks {
    fn drop(&mut self) {
        self.0.iter().for_each(JoinHandle::abort);
    }
}

async fn tick(state: Arc<AppState>) {
    loop {
        sleep(state.hub.gathering()).await;
        state.hub.tick();
    }
}

async fn fold(state: Arc<AppState>) {
    let mut kept = 0;
    loop {
        sleep(FOLD).await;
        match state.log.keep_fold(kept).await {
            Ok(newest) => kept = newest,
            Err(error) => tracing::warn!(?error, "the canvas could not be kept for the next start"),
        }
    }
}

async fn heat(state: Arc<AppState>, heats: Arc<Heats>) {
    loop {
        if let Err(error) = heats.keep(&state).await {
            tracing::warn!(?error, "what was counted of each pixel could not be kept for the next start");
        }
        sleep(HEAT).await;
    }
}

async fn turn_passes(app: Arc<App>) {
    loop {
        if let Err(error) = app.gallery.turn_passes(&app.state).await {
            tracing::warn!(%error, "passes could not be brought up to date; trying again later");
        }
        sleep(TURN).await;
    }
}

async fn sweep(state: Arc<AppState>) {
    loop {
        sleep(SWEEP).await;
        if let Err(error) = state.log.sweep_answers().await {
            tracing::warn!(%error, "old answers could not be swept away; trying again later");
        }
        if let Err(error) = state.log.forget_origins().await {
            tracing::warn!(%error, "origins of old mentions could not be forgotten; trying again later");
        }
        if let Err(error) = operators::sweep(&state).await {
            tracing::warn!(%error, "sessions that have ended could not be swept away; trying again later");
        }
        if let Err(error) = reports::sweep(&state).await {
            tracing::warn!(%error, "networks of old reports could not be forgotten; trying again later");
        }
        if let Err(error) = Gallery::sweep(&state).await {
            tracing::warn!(%error, "what the gallery needs no more could not be swept away; trying again later");
        }
    }
}
