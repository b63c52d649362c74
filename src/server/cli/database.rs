//! The database that a command uses, and the signals that stop a command.

use platform::config::Config;
use private_postgres::{PrivatePostgres, UnsupervisedPostgres};
use tokio::signal::unix::{Signal, SignalKind, signal};

/// The result of a command; its error is one sentence for the user.
pub(super) type CliResult<T> = Result<T, Box<dyn std::error::Error>>;

const INTERRUPTED: &str = "The command was interrupted before it finished.";

/// The database that contains the log.
pub(super) enum Database {
    /// A private PostgreSQL that this process supervises.
    Supervised(PrivatePostgres),
    /// A private PostgreSQL that this process shares with others.
    Unsupervised(UnsupervisedPostgres),
    /// An external PostgreSQL, given by its address.
    External(String),
}

impl Database {
    /// Opens the configured database, or starts a private one. `None` if the process is asked to stop first.
    pub(super) async fn open_for_server(config: &Config, stop: &mut StopSignals) -> CliResult<Option<Self>> {
        if config.database_url.is_some() {
            return Self::open_existing(config, stop).await;
        }
        Ok(PrivatePostgres::start_unless(&config.data_dir, stop.requested()).await?.map(Self::Supervised))
    }

    /// Opens an existing database. `None` if the process is asked to stop first. If no server supervises a
    /// private PostgreSQL, this process adopts or starts it until the command ends.
    async fn open_existing(config: &Config, stop: &mut StopSignals) -> CliResult<Option<Self>> {
        if let Some(url) = &config.database_url {
            let postgres = tokio::select! {
                postgres = UnsupervisedPostgres::join_by_url(url) => postgres,
                () = stop.requested() => return Ok(None),
            };
            return Ok(Some(postgres.map_or_else(|| Self::External(url.clone()), Self::Unsupervised)));
        }
        if !config.data_dir.join("postgres").exists() {
            let data_dir = config.data_dir.display();
            let message =
                format!("There is no database in {data_dir}. Set CARAPLACE_DATA_DIR or DATABASE_URL.");
            return Err(message.into());
        }
        let postgres = UnsupervisedPostgres::open_unless(&config.data_dir, stop.requested()).await?;
        Ok(postgres.map(Self::Unsupervised))
    }

    /// Returns the database's address.
    pub(super) fn url(&self) -> &str {
        match self {
            Self::Supervised(postgres) => postgres.url(),
            Self::Unsupervised(postgres) => postgres.url(),
            Self::External(url) => url,
        }
    }

    /// Releases the database. The last process that uses a private PostgreSQL stops it.
    pub(super) async fn release(self) {
        let result = match self {
            Self::Supervised(postgres) => postgres.release().await,
            Self::Unsupervised(postgres) => postgres.release().await,
            Self::External(_) => Ok(()),
        };
        if let Err(error) = result {
            tracing::error!("{error}");
        }
    }
}

/// Runs a command on an existing database, unless the process is asked to stop, and releases the database.
///
/// # Errors
/// A sentence if the command is interrupted or there is no database.
pub(super) async fn with_existing_database<T>(
    config: &Config,
    command: impl AsyncFnOnce(&str) -> T,
) -> CliResult<T> {
    let mut stop = StopSignals::listen()?;
    let database = Database::open_existing(config, &mut stop).await?.ok_or(INTERRUPTED)?;
    let result = tokio::select! {
        result = command(database.url()) => Ok(result),
        () = stop.requested() => Err(INTERRUPTED.into()),
    };
    database.release().await;
    result
}

/// The signals that ask a process to stop.
pub(super) struct StopSignals {
    interrupt: Signal,
    terminate: Signal,
}

impl StopSignals {
    /// Starts to listen for the signals.
    pub(super) fn listen() -> std::io::Result<Self> {
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    /// Waits until the process is asked to stop.
    pub(super) async fn requested(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}
