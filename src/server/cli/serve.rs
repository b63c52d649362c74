//! `caraplace serve`: opens or starts its PostgreSQL, and serves until it is asked to stop.

use std::net::TcpListener;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use caraplace_news::webhooks::key_file::with_key_file;
use clap::crate_version;
use platform::clock::{Clock, monotonic_now};
use platform::config::Config;
use platform::open_files;
use text_filters::redact;
use tokio::time::sleep;

use super::database::{CliResult, Database, StopSignals};
use crate::server::running_server::{self, RunningServer};

/// Serves until the process is asked to stop.
pub(super) async fn run(config: Config) -> CliResult<ExitCode> {
    open_files::raise_limit();
    // Beside the start, which mostly waits for the database, on a thread for which neither start nor stop
    // waits. The warm-up, before which the server is not ready, then takes less.
    thread::spawn(redact::compile_patterns);
    let mut stop = StopSignals::listen()?;
    let listener = running_server::bind(config.listen)?;
    let Some(database) = Database::open_for_server(&config, &mut stop).await? else {
        return Ok(ExitCode::SUCCESS);
    };
    let result = match with_key_file(config) {
        Ok(config) => serve(listener, config, &database, &mut stop).await,
        Err(error) => Err(error.into()),
    };
    database.release().await;
    if result.is_ok() {
        tracing::info!("stopped");
    }
    result.map(|()| ExitCode::SUCCESS)
}

async fn serve(
    listener: TcpListener,
    config: Config,
    database: &Database,
    stop: &mut StopSignals,
) -> CliResult<()> {
    let settings = config.clone();
    let started_at = monotonic_now();
    let mut running = tokio::select! {
        started = RunningServer::start_on(listener, config, database.url(), Clock::default()) => started?,
        () = stop.requested() => return Ok(()),
    };
    let is_supervised = matches!(database, Database::Supervised(_));
    log_startup(&running, &settings, is_supervised, started_at.elapsed());
    let has_failed = tokio::select! {
        () = stop.requested() => false,
        () = running.wait_for_failure() => true,
    };
    if has_failed {
        running.stop().await;
        let message =
            "A part of the server has failed; see the log above. The server stops and can be started again.";
        return Err(message.into());
    }
    drain(&running, settings.drain_seconds, stop).await;
    tracing::info!("stopping: finishing accepted requests");
    running.stop().await;
    Ok(())
}

/// Serves for some seconds more, in which balancers notice that the server will stop. A second signal ends
/// them.
async fn drain(running: &RunningServer, seconds: u32, stop: &mut StopSignals) {
    if seconds == 0 {
        return;
    }
    running.start_draining();
    tracing::info!(seconds, "draining: /readyz fails and connections end with their next response");
    tokio::select! {
        () = sleep(Duration::from_secs(seconds.into())) => {}
        () = stop.requested() => {}
    }
}

/// Logs the addresses and the state of the server at the start.
fn log_startup(running: &RunningServer, settings: &Config, is_private: bool, startup_time: Duration) {
    let base_url = &running.http_state.base_url;
    let (head, season) = running.state.read_world(|world| (world.head, world.season.clone()));
    let width = season.size.width;
    let height = season.size.height;
    let startup_seconds = startup_time.as_secs_f64();
    tracing::info!(
        "canvas:   {}, {width}×{height}, {head} events, replayed in {startup_seconds:.1} s",
        season.title
    );
    let capacity = &running.http_state.capacity;
    tracing::info!("capacity: {} connections, {} event streams", capacity.connections, capacity.streams);
    if is_private {
        let data_dir = settings.data_dir.display();
        tracing::info!("database: private, in {data_dir}; the file database_url there contains its address");
    } else {
        tracing::info!("database: from DATABASE_URL");
    }
    let metrics =
        running.metrics_address.map_or_else(|| base_url.clone(), |address| format!("http://{address}"));
    tracing::info!("metrics:  {metrics}/metrics, {base_url}/healthz, /readyz; version {}", crate_version!());
    match settings.admin_password {
        Some(_) => tracing::info!("console:  {base_url}/admin"),
        None => tracing::warn!("console:  disabled; set CARAPLACE_ADMIN_PASSWORD to enable it"),
    }
    if settings.listen.ip().is_unspecified() && settings.public_url.is_none() {
        tracing::warn!("agents cannot reach the server at {base_url}; set CARAPLACE_PUBLIC_URL");
    }
    tracing::info!("agents:   {base_url}/skill.md");
    if settings.pages {
        tracing::info!("page:     {base_url}/");
    } else {
        tracing::info!("page:     switched off by CARAPLACE_PAGES");
    }
}
