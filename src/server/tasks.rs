//! The background tasks: the ticks of the live stream, snapshots, and the deletion of expired rows.

use std::sync::Arc;
use std::time::Duration;

use caraplace_accounts::agents::extra_keys;
use caraplace_accounts::gallery::Gallery;
use caraplace_accounts::{oauth, operators};
use caraplace_canvas::heatmap::HeatmapCache;
use caraplace_canvas::history::snapshots;
use caraplace_canvas::plans::{claims, settle};
use caraplace_canvas::seasons::schedule;
use caraplace_companion::app::App;
use caraplace_companion::drafts::cleanup;
use caraplace_companion::guide::lost_turns;
use caraplace_live::frame::STREAM_HEARTBEAT;
use caraplace_log::PROBE_INTERVAL;
use caraplace_log::state::AppState;
use caraplace_messages::reads::clear_mention_origins;
use caraplace_moderation::reports::{self, alerts};
use caraplace_moderation::rollback::worker;
use caraplace_news::notices;
use caraplace_talk::welcome;
use platform::background_tasks::{BackgroundTasks, CLEANUP_INTERVAL};
use rules::numbers::Seq;
use tokio::time::sleep;

/// The interval between announcements of the number of viewers.
const PRESENCE_INTERVAL: Duration = Duration::from_secs(2);
/// The interval between checks whether a snapshot of the canvas is due for the next start.
const SNAPSHOT_INTERVAL: Duration = Duration::from_secs(10);
/// The interval between writes of the heatmaps' counts.
const HEATMAP_STORE_INTERVAL: Duration = Duration::from_mins(1);
/// The interval between checks whether a pass has ended and another one of the same viewer takes its place.
const PASS_UPDATE_INTERVAL: Duration = Duration::from_mins(1);
/// The interval between checks whether something is to be done at Stripe.
const STRIPE_JOB_INTERVAL: Duration = Duration::from_secs(5);
/// The interval between writes of the last uses of extra keys.
const KEY_USES_INTERVAL: Duration = Duration::from_secs(2);
/// The interval between counts of the reports that wait for an operator.
const REPORT_COUNT_INTERVAL: Duration = Duration::from_secs(30);
/// The interval between checks whether turns of the guide have lost their instances. Until then these turns
/// reserve money.
const LOST_TURNS_INTERVAL: Duration = Duration::from_mins(1);

/// Starts the background tasks that need only the state.
pub fn start(state: &Arc<AppState>) -> BackgroundTasks {
    let mut tasks = BackgroundTasks::default();
    let presence_state = state.clone();
    tasks.spawn_periodic(PRESENCE_INTERVAL, move || presence_state.hub.publish_presence_if_changed());
    let heartbeat_state = state.clone();
    tasks.spawn_periodic(STREAM_HEARTBEAT, move || heartbeat_state.hub.publish_heartbeat());
    let probe_state = state.clone();
    tasks.spawn_periodic(PROBE_INTERVAL, move || probe_state.log.probe_if_idle());
    tasks.spawn(flush_pixels(state.clone()));
    tasks.spawn_staggered(delete_expired_rows(state.clone()));
    tasks.spawn_staggered(count_waiting_reports(state.clone()));
    tasks.spawn_staggered(end_lost_turns(state.clone()));
    tasks.spawn_staggered(store_replay_snapshots(state.clone()));
    tasks.spawn_staggered(snapshots::run(state.clone()));
    tasks.spawn_staggered(worker::run(state.clone()));
    tasks.spawn_staggered(schedule::run(state.clone()));
    tasks.spawn_staggered(settle::run(state.clone()));
    tasks.spawn_staggered(welcome::run(state.clone()));
    tasks
}

async fn flush_pixels(state: Arc<AppState>) {
    loop {
        sleep(state.hub.flush_interval()).await;
        state.hub.flush_pixels();
    }
}

async fn store_replay_snapshots(state: Arc<AppState>) {
    let mut stored_seq = Seq::ZERO;
    loop {
        sleep(SNAPSHOT_INTERVAL).await;
        match state.log.store_replay_snapshot(stored_seq).await {
            Ok(newest) => stored_seq = newest,
            Err(error) => tracing::warn!(?error, "a canvas snapshot could not be stored"),
        }
    }
}

/// Stores the heatmaps' counts for the next start, until the task is aborted.
pub async fn store_heatmaps(state: Arc<AppState>, heatmaps: Arc<HeatmapCache>) {
    loop {
        if let Err(error) = heatmaps.store_stats(&state).await {
            tracing::warn!(?error, "heatmap counts could not be stored");
        }
        sleep(HEATMAP_STORE_INTERVAL).await;
    }
}

/// Stores the uses of extra keys until the task is aborted.
pub async fn store_key_uses(app: Arc<App>) {
    loop {
        sleep(KEY_USES_INTERVAL).await;
        log_failure(app.key_uses.store(&app.state).await, "uses of extra keys could not be stored");
    }
}

/// Updates passes until the task is aborted.
pub async fn update_passes(app: Arc<App>) {
    loop {
        log_failure(app.gallery.apply_tier_changes(&app.state).await, "passes could not be updated");
        sleep(PASS_UPDATE_INTERVAL).await;
    }
}

/// Performs jobs at Stripe until the task is aborted.
pub async fn run_stripe_jobs(app: Arc<App>) {
    loop {
        log_failure(app.gallery.run_stripe_jobs(&app.state).await, "jobs at Stripe could not be read");
        sleep(STRIPE_JOB_INTERVAL).await;
    }
}

async fn count_waiting_reports(state: Arc<AppState>) {
    loop {
        log_failure(alerts::count_waiting(&state).await, "reports that wait could not be counted");
        sleep(REPORT_COUNT_INTERVAL).await;
    }
}

async fn end_lost_turns(state: Arc<AppState>) {
    loop {
        sleep(LOST_TURNS_INTERVAL).await;
        log_failure(lost_turns::sweep(&state).await, "lost turns of the guide could not be ended");
    }
}

async fn delete_expired_rows(state: Arc<AppState>) {
    loop {
        sleep(CLEANUP_INTERVAL).await;
        log_failure(
            state.log.delete_expired_responses().await,
            "expired idempotency answers could not be deleted",
        );
        log_failure(clear_mention_origins(&state).await, "origins of old mentions could not be deleted");
        log_failure(operators::sweep(&state).await, "expired sessions could not be deleted");
        log_failure(oauth::sweep(&state).await, "expired OAuth tokens could not be deleted");
        log_failure(extra_keys::sweep(&state).await, "ended keys of agents could not be deleted");
        log_failure(reports::sweep(&state).await, "networks of old reports could not be deleted");
        log_failure(notices::sweep(&state).await, "old notices of operators could not be deleted");
        log_failure(claims::sweep(&state).await, "expired claims of pixels could not be deleted");
        log_failure(cleanup::sweep(&state).await, "expired drafts of the guide could not be marked");
        log_failure(Gallery::sweep(&state).await, "expired rows of the gallery could not be deleted");
    }
}

fn log_failure<T>(result: Result<T, sqlx::Error>, failure: &str) {
    if let Err(error) = result {
        tracing::warn!(%error, "{failure}, trying again later");
    }
}
