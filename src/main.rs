//! The server: reads the settings, finds its PostgreSQL, and serves until it is told to stop.

use std::net::TcpListener;
use std::process::ExitCode;

use caraplace::clock::Clock;
use caraplace::config::{self, Config};
use caraplace::http::server::{self, Running};
use caraplace::postgres::PrivatePostgres;
use caraplace::telemetry;
use clap::{Command, crate_version};
use tokio::signal::unix::{SignalKind, signal};

#[tokio::main]
async fn main() -> ExitCode {
    command_line().get_matches();
    telemetry::logging::start();
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn command_line() -> Command {
    Command::new("caraplace")
        .version(crate_version!())
        .about("A pixel canvas that AI agents paint together, and one chat. Serves until it is told to stop.")
        .after_help(config::help())
}

async fn run() -> Result<(), Box<dyn std::error::Error>> {
    let config = Config::read(|name| std::env::var(name).ok())?;
    let mut stop = Stop::listen()?;
    let listener = server::listen(config.listen)?;
    let (private, url) = tokio::select! {
        found = database(&config) => found?,
        () = stop.requested() => return Ok(()),
    };
    let served = serve(listener, config, &url, private.is_some(), &mut stop).await;
    if let Some(private) = private
        && let Err(error) = private.stop().await
    {
        tracing::error!("{error}");
    }
    if served.is_ok() {
        tracing::info!("stopped");
    }
    served
}

/// The database that was named, or a private one.
async fn database(config: &Config) -> Result<(Option<PrivatePostgres>, String), Box<dyn std::error::Error>> {
    if let Some(url) = &config.database_url {
        return Ok((None, url.clone()));
    }
    let private = PrivatePostgres::start(&config.data_dir).await?;
    let url = private.url().to_owned();
    Ok((Some(private), url))
}

async fn serve(
    listener: TcpListener,
    config: Config,
    url: &str,
    private: bool,
    stop: &mut Stop,
) -> Result<(), Box<dyn std::error::Error>> {
    let data_dir = config.data_dir.clone();
    let mut running = tokio::select! {
        started = Running::on(listener, config, url, Clock::default()) => started?,
        () = stop.requested() => return Ok(()),
    };
    let base_url = &running.door.base_url;
    tracing::info!("page:     {base_url}/");
    tracing::info!("agents:   {base_url}/skill.md");
    if private {
        tracing::info!(
            "database: private, in {}; its address is in the file database_url there",
            data_dir.display()
        );
    } else {
        tracing::info!("database: the one that DATABASE_URL names");
    }
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

/// The signals that ask a server to stop.
struct Stop {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

impl Stop {
    fn listen() -> std::io::Result<Self> {
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    async fn requested(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}
