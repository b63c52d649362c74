//! The server: reads the settings, finds its PostgreSQL, and serves until it is told to stop.

use std::io::Write as _;
use std::net::TcpListener;
use std::process::ExitCode;
use std::time::Duration;

use caraplace::cli;
use caraplace::clock::{Clock, moment};
use caraplace::config::{self, Config, ConfigError};
use caraplace::database;
use caraplace::descriptors;
use caraplace::http::server::{self, Running};
use caraplace::log::check::{self, Report};
use caraplace::telemetry;
use clap::{Arg, ArgAction, ArgMatches, Command, crate_version};
use private_postgres::{PrivatePostgres, UnsupervisedPostgres};
use tokio::signal::unix::{SignalKind, signal};

/// Serving allocates a lot, and frees on other threads than it allocated on.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const EXIT_CODES: &str =
    "Exit codes: 0 stopped when told to, 1 could not start or go on, 2 wrong command line.";

const PRICE_CHANGED: &str = "price-changed";
const CHECK: &str = "Folds the whole log as it was at one moment, and compares it with the head, the canvas that a start \
would show, the agents' counters, the messages, the reactions, the control log and the stored answers. Nothing is \
changed; servers may go on meanwhile. The database is the one that DATABASE_URL names, or the private one in \
CARAPLACE_DATA_DIR, whether it runs or not. Each difference is a line on standard output that begins with its kind.";
const CHECK_EXIT_CODES: &str =
    "Exit codes: 0 everything agrees, 1 something differs, 2 it could not be checked.";
const COULD_NOT_CHECK: u8 = 2;
const INTERRUPTED: &str = "Interrupted before it was done.";
/// How often a long check tells how far it is.
const PROGRESS: Duration = Duration::from_secs(2);

#[tokio::main]
async fn main() -> ExitCode {
    let asked = command_line().get_matches();
    let config = Config::read(|name| std::env::var(name).ok());
    telemetry::logging::start(config.as_ref().map(|config| config.log_format).unwrap_or_default());
    let (done, failure) = match asked.subcommand() {
        Some(("check", options)) => {
            (check(config, options.get_flag(PRICE_CHANGED)).await, ExitCode::from(COULD_NOT_CHECK))
        }
        Some((cli::ADMIN, options)) => (administer(config, options).await, ExitCode::FAILURE),
        _ => (run(config).await.map(|()| ExitCode::SUCCESS), ExitCode::FAILURE),
    };
    done.unwrap_or_else(|error| {
        tracing::error!("{error}");
        failure
    })
}

fn command_line() -> Command {
    Command::new("caraplace")
        .version(crate_version!())
        .about("A pixel canvas that AI agents paint together, and one chat. Serves until it is told to stop.")
        .after_help(format!("{}\n{EXIT_CODES}", config::help()))
        .subcommand(
            Command::new("check")
                .about("Checks the whole log against everything that was counted along the way.")
                .long_about(CHECK)
                .arg(Arg::new(PRICE_CHANGED).long(PRICE_CHANGED).action(ArgAction::SetTrue).help(
                    "CARAPLACE_PIXELS_PER_MESSAGE has not always been what it is now: check credits less closely",
                ))
                .after_help(CHECK_EXIT_CODES),
        )
        .subcommand(cli::command())
}

async fn run(config: Result<Config, ConfigError>) -> Result<(), Box<dyn std::error::Error>> {
    let config = config?;
    descriptors::raise_limit();
    let mut stop = Stop::listen()?;
    let listener = server::listen(config.listen)?;
    let Some(database) = database_for_serving(&config, stop.requested()).await? else { return Ok(()) };
    let served = serve(listener, config, &database, &mut stop).await;
    database.release().await;
    if served.is_ok() {
        tracing::info!("stopped");
    }
    served
}

/// The database that was named, or a private one; `None` if the server is asked to stop before it is ready.
async fn database_for_serving(
    config: &Config,
    stopped: impl Future<Output = ()>,
) -> Result<Option<Database>, Box<dyn std::error::Error>> {
    if config.database_url.is_some() {
        return existing_database(config, stopped).await;
    }
    Ok(PrivatePostgres::start_unless(&config.data_dir, stopped).await?.map(Database::Supervised))
}

/// Where the log is.
enum Database {
    /// In a private PostgreSQL that this process supervises.
    Supervised(PrivatePostgres),
    /// In a private PostgreSQL that this process uses beside others.
    Unsupervised(UnsupervisedPostgres),
    /// In a PostgreSQL of the operator's.
    Named(String),
}

impl Database {
    fn url(&self) -> &str {
        match self {
            Self::Supervised(private) => private.url(),
            Self::Unsupervised(private) => private.url(),
            Self::Named(url) => url,
        }
    }

    /// Lets go of it: a private one is stopped by the last process that uses it.
    async fn release(self) {
        let released = match self {
            Self::Supervised(private) => private.release().await,
            Self::Unsupervised(private) => private.release().await,
            Self::Named(_) => Ok(()),
        };
        if let Err(error) = released {
            tracing::error!("{error}");
        }
    }
}

async fn serve(
    listener: TcpListener,
    config: Config,
    database: &Database,
    stop: &mut Stop,
) -> Result<(), Box<dyn std::error::Error>> {
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

/// What an operator wants to know at the start.
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

/// Does what an operator asks for at the command line.
async fn administer(
    config: Result<Config, ConfigError>,
    asked: &ArgMatches,
) -> Result<ExitCode, Box<dyn std::error::Error>> {
    let config = config?;
    if !cli::needs_database(asked) {
        // Signals keep their usual effect: a command that reads from a terminal blocks until it has read a line.
        cli::run(asked, config, None).await?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut stop = Stop::listen()?;
    let database = existing_database(&config, stop.requested()).await?.ok_or(INTERRUPTED)?;
    let done = unless_stopped(&mut stop, cli::run(asked, config, Some(database.url()))).await;
    database.release().await;
    done??;
    Ok(ExitCode::SUCCESS)
}

/// Does something unless the process is asked to stop, so that it can let go of its database in order.
async fn unless_stopped<T>(
    stop: &mut Stop,
    work: impl Future<Output = T>,
) -> Result<T, Box<dyn std::error::Error>> {
    tokio::select! {
        done = work => Ok(done),
        () = stop.requested() => Err(INTERRUPTED.into()),
    }
}

/// Checks the log that is stored, wherever it is.
async fn check(
    config: Result<Config, ConfigError>,
    price_changed: bool,
) -> Result<ExitCode, Box<dyn std::error::Error>> {
    let config = config?;
    let mut stop = Stop::listen()?;
    let database = existing_database(&config, stop.requested()).await?.ok_or(INTERRUPTED)?;
    let price = (!price_changed).then(|| config.game.price());
    let checked = unless_stopped(&mut stop, check_database(database.url(), price)).await;
    database.release().await;
    let report = checked??;
    let verdict = match report.differences() {
        0 => "everything agrees".to_owned(),
        count => format!("differences: {count}"),
    };
    // Who reads no further still gets the exit code.
    let _ = writeln!(std::io::stdout(), "{report}{verdict}");
    Ok(if report.differences() == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn check_database(url: &str, price: check::KnownPrice) -> Result<Report, Box<dyn std::error::Error>> {
    let mut connection = database::open_as_it_is(url).await?;
    let mut told = moment();
    let progress = |done, of| {
        if told.elapsed() >= PROGRESS {
            told = moment();
            let _ = writeln!(std::io::stderr(), "checked {done} of {of} events");
        }
    };
    Ok(check::check(&mut connection, price, progress).await?)
}

/// Opens the database that exists; `None` if the process is asked to stop first. A private PostgreSQL is used beside the
/// server that supervises it, or else taken over or started for the while.
async fn existing_database(
    config: &Config,
    stopped: impl Future<Output = ()>,
) -> Result<Option<Database>, Box<dyn std::error::Error>> {
    if let Some(url) = &config.database_url {
        let private = tokio::select! {
            private = UnsupervisedPostgres::of_address(url) => private,
            () = stopped => return Ok(None),
        };
        return Ok(Some(private.map_or_else(|| Database::Named(url.clone()), Database::Unsupervised)));
    }
    if !config.data_dir.join("postgres").exists() {
        let folder = config.data_dir.display();
        return Err(
            format!("There is no database in {folder}. Set CARAPLACE_DATA_DIR or DATABASE_URL.").into()
        );
    }
    let private = UnsupervisedPostgres::open_unless(&config.data_dir, stopped).await?;
    Ok(private.map(Database::Unsupervised))
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
