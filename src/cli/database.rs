//! The database that a command works on, and the signals that end a command.

use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::config::Config;
use private_postgres::{PrivatePostgres, UnsupervisedPostgres};

/// The result of a command that may fail in many ways, each told in a sentence.
pub(super) type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

const INTERRUPTED: &str = "Interrupted before it was done.";

/// Where the log is.
pub(super) enum Database {
    /// In a private PostgreSQL that this process supervises.
    Supervised(PrivatePostgres),
    /// In a private PostgreSQL that this process uses beside others.
    Unsupervised(UnsupervisedPostgres),
    /// In a PostgreSQL of the operator's.
    Named(String),
}

impl Database {
    /// Opens the database that was named, or starts a private one; `None` if the server is asked to stop first.
    pub(super) async fn for_serving(config: &Config, stop: &mut Stop) -> Outcome<Option<Self>> {
        if config.database_url.is_some() {
            return Self::existing(config, stop).await;
        }
        Ok(PrivatePostgres::start_unless(&config.data_dir, stop.requested()).await?.map(Self::Supervised))
    }

    /// Opens the database that exists; `None` if the process is asked to stop first. A private PostgreSQL is used beside
    /// the server that supervises it, or else taken over or started for the while.
    async fn existing(config: &Config, stop: &mut Stop) -> Outcome<Option<Self>> {
        if let Some(url) = &config.database_url {
            let private = tokio::select! {
                private = UnsupervisedPostgres::join_by_url(url) => private,
                () = stop.requested() => return Ok(None),
            };
            return Ok(Some(private.map_or_else(|| Self::Named(url.clone()), Self::Unsupervised)));
        }
        if !config.data_dir.join("postgres").exists() {
            let folder = config.data_dir.display();
            let sentence =
                format!("There is no database in {folder}. Set CARAPLACE_DATA_DIR or DATABASE_URL.");
            return Err(sentence.into());
        }
        let private = UnsupervisedPostgres::open_unless(&config.data_dir, stop.requested()).await?;
        Ok(private.map(Self::Unsupervised))
    }

    /// Returns its address.
    pub(super) fn url(&self) -> &str {
        match self {
            Self::Supervised(private) => private.url(),
            Self::Unsupervised(private) => private.url(),
            Self::Named(url) => url,
        }
    }

    /// Lets go of it: a private one is stopped by the last process that uses it.
    pub(super) async fn release(self) {
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

/// Does something on the database that exists, unless the process is asked to stop; then lets go of the database.
///
/// # Errors
/// That it was interrupted, or that there is no database.
pub(super) async fn on_existing<T>(config: &Config, work: impl AsyncFnOnce(&str) -> T) -> Outcome<T> {
    let mut stop = Stop::listen()?;
    let database = Database::existing(config, &mut stop).await?.ok_or(INTERRUPTED)?;
    let done = tokio::select! {
        done = work(database.url()) => Ok(done),
        () = stop.requested() => Err(INTERRUPTED.into()),
    };
    database.release().await;
    done
}

/// The signals that ask a process to stop.
pub(super) struct Stop {
    interrupt: Signal,
    terminate: Signal,
}

impl Stop {
    /// Listens from now on.
    pub(super) fn listen() -> std::io::Result<Self> {
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    /// Returns when the process is asked to stop.
    pub(super) async fn requested(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}
