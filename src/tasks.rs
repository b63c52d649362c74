//! What goes on in the background: the ticks of the live stream, and sweeping.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
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
pub struct Tasks(JoinSet<()>);

impl Tasks {
    /// Starts those of the log.
    pub fn start(state: &Arc<AppState>) -> Self {
        let mut tasks = Self::default();
        let hub = state.clone();
        tasks.every(PRESENCE, move || hub.hub.announce_presence());
        tasks.start_one(tick(state.clone()));
        tasks.start_one(sweep(state.clone()));
        tasks.start_one(fold(state.clone()));
        tasks.start_one(snapshots::keep(state.clone()));
        tasks.start_one(work::run(state.clone()));
        tasks.start_one(schedule::keep(state.clone()));
        tasks.start_one(newcomers::keep(state.clone()));
        tasks
    }

    /// Starts one more.
    pub fn start_one(&mut self, task: impl Future<Output = ()> + Send + 'static) {
        self.0.spawn(task);
    }

    /// Starts one more, which does the same thing again and again.
    pub fn every(&mut self, period: Duration, act: impl Fn() + Send + 'static) {
        self.start_one(async move {
            loop {
                sleep(period).await;
                act();
            }
        });
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

/// Stores the heatmaps' counts for the next start, for as long as it is not aborted.
pub async fn keep_heat(state: Arc<AppState>, heats: Arc<Heats>) {
    loop {
        if let Err(error) = heats.keep(&state).await {
            tracing::warn!(?error, "what was counted of each pixel could not be kept for the next start");
        }
        sleep(HEAT).await;
    }
}

/// Brings passes up to date for as long as it is not aborted.
pub async fn turn_passes(app: Arc<App>) {
    loop {
        log_failure(app.gallery.turn_passes(&app.state).await, "passes could not be brought up to date");
        sleep(TURN).await;
    }
}

async fn sweep(state: Arc<AppState>) {
    loop {
        sleep(SWEEP).await;
        log_failure(state.log.sweep_answers().await, "old answers could not be swept away");
        log_failure(state.log.forget_origins().await, "origins of old mentions could not be forgotten");
        log_failure(operators::sweep(&state).await, "sessions that have ended could not be swept away");
        log_failure(reports::sweep(&state).await, "networks of old reports could not be forgotten");
        log_failure(Gallery::sweep(&state).await, "what the gallery needs no more could not be swept away");
    }
}

fn log_failure<T>(result: Result<T, sqlx::Error>, failure: &str) {
    if let Err(error) = result {
        tracing::warn!(%error, "{failure}; trying again later");
    }
}
