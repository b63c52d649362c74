//! `caraplace serve`: finds its PostgreSQL, and serves until it is told to stop.

use std::net::TcpListener;
use std::process::ExitCode;
use std::time::Duration;

use clap::crate_version;

use super::database::{Database, Outcome, Stop};
use crate::clock::{Clock, moment};
use crate::config::Config;
use crate::descriptors;
use crate::http::server::{self, Running};

/// Serves until the process is asked to stop.
pub(super) async fn run(config: Config) -> Outcome<ExitCode> {
    descriptors::raise_limit();
    let mut stop = Stop::listen()?;
    let listener = server::listen(config.listen)?;
    let Some(database) = Database::for_serving(&config, &mut stop).await? else {
        return Ok(ExitCode::SUCCESS);
    };
    let served = serve(listener, config, &database, &mut stop).await;
    database.release().await;
    if served.is_ok() {
        tracing::info!("stopped");
    }
    served.map(|()| ExitCode::SUCCESS)
}

async fn serve(listener: TcpListener, config: Config, database: &Database, stop: &mut Stop) -> Outcome<()> {
    let (settings, began) = (config.clone(), moment());
    let mut running = tokio::select! {
        started = Running::on(listener, config, database.url(), Clock::default()) => started?,
        () = stop.requested() => return Ok(()),
    };
    let supervised = matches!(database, Database::Supervised(_));
    announce(&running, &settings, supervised, began.elapsed());
    let failed = tokio::select! {
        () = stop.requested() => false,
        () = running.failed() => true,
    };
    if failed {
        running.stop().await;
        let sentence =
            "A part of the server has failed; see the log above. It stops, so that it can be started anew.";
        return Err(sentence.into());
    }
    tracing::info!("stopping: answering what was accepted");
    running.stop().await;
    Ok(())
}

/// Logs what an operator wants to know at the start.
fn announce(running: &Running, settings: &Config, private: bool, took: Duration) {
    let base_url = &running.door.base_url;
    let (head, season) = running.state.snapshot(|world| (world.head, world.season.clone()));
    let (width, height) = (season.size.width, season.size.height);
    let took = took.as_secs_f64();
    tracing::info!("canvas:   {}, {width}×{height}, {head} events, folded in {took:.1} s", season.title);
    let capacity = &running.door.capacity;
    tracing::info!("room for: {} connections, {} event streams", capacity.connections, capacity.streams);
    if private {
        let folder = settings.data_dir.display();
        tracing::info!("database: private, in {folder}; its address is in the file database_url there");
    } else {
        tracing::info!("database: the one that DATABASE_URL names");
    }
    let metrics =
        running.metrics_address.map_or_else(|| base_url.clone(), |address| format!("http://{address}"));
    tracing::info!("numbers:  {metrics}/metrics, {base_url}/healthz, /readyz; version {}", crate_version!());
    match settings.admin_password {
        Some(_) => tracing::info!("console:  {base_url}/admin"),
        None => tracing::warn!("console:  closed; set CARAPLACE_ADMIN_PASSWORD to open it"),
    }
    if settings.listen.ip().is_unspecified() && settings.public_url.is_none() {
        tracing::warn!("agents are told {base_url}, where they cannot reach this; set CARAPLACE_PUBLIC_URL");
    }
    tracing::info!("agents:   {base_url}/skill.md");
    tracing::info!("page:     {base_url}/");
}
