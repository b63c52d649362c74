//! A private PostgreSQL under the data folder, for installations without `DATABASE_URL`.
//!
//! It uses the installed server programs, listens on a Unix socket only and requires a password. The
//! postmaster is deliberately not tied to this process: if Caraplace is killed, it continues to run, and the
//! next start takes it over.
//!
//! Several processes may use one folder: one supervises PostgreSQL, and others use it at the same time. The
//! last of them to release it stops it, unless another program still has a session.

mod binaries;
mod data_folder;
mod error;
mod files;
mod locks;
mod open;
mod os_user;
mod password;
mod password_auth;
mod pidfile;
mod postgres_log;
mod postmaster;
mod probe;
mod release;
mod server;
mod sessions;
mod setup;
mod socket;
mod start_timeout;
mod store;
mod supervisor;
mod unsupervised;

use std::path::Path;

use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use data_folder::DataFolder;
use open::OpenedFolder;
use password::SecretText;
use server::PostgresServer;
use supervisor::SupervisorCommand;

pub use error::{StartError, StopError};
pub use sessions::session_name;
pub use unsupervised::UnsupervisedPostgres;

/// A running private PostgreSQL. It is restarted whenever it dies, until [`release`](Self::release) or
/// [`stop`](Self::stop).
///
/// Dropping this ends the supervision and unlocks the data folder but leaves PostgreSQL running, as a crash
/// would.
#[derive(Debug)]
pub struct PrivatePostgres {
    url: SecretText,
    commands: oneshot::Sender<SupervisorCommand>,
    supervisor: JoinHandle<Result<(), StopError>>,
}

impl PrivatePostgres {
    /// Locks `data_dir` (created if missing), creates a cluster there or takes over the existing one, and
    /// returns when PostgreSQL accepts connections to the database `caraplace`.
    ///
    /// The address with the password is also written to `data_dir/database_url`, readable by this user only.
    ///
    /// # Errors
    /// If another server uses the folder, no suitable PostgreSQL is installed, or PostgreSQL cannot be
    /// created or started. Every error says what to do.
    pub async fn start(data_dir: &Path) -> Result<Self, StartError> {
        let started = Self::start_unless(data_dir, std::future::pending()).await?;
        started.ok_or_else(|| StartError::InUse { folder: data_dir.to_owned(), pid: None })
    }

    /// Starts like [`start`](Self::start) unless `stopped` completes first. In that case, PostgreSQL is
    /// released and `None` is returned.
    ///
    /// # Errors
    /// The same as those of [`start`](Self::start).
    pub async fn start_unless(
        data_dir: &Path,
        stopped: impl Future<Output = ()>,
    ) -> Result<Option<Self>, StartError> {
        let Some(OpenedFolder { mut folder, started }) = open::open_unless(data_dir, stopped).await? else {
            return Ok(None);
        };
        let (server, url) = started.ok_or_else(|| folder.in_use_error())?;
        folder.release_change_lock();
        Ok(Some(Self::spawn_supervisor(server, folder, url)))
    }

    fn spawn_supervisor(server: PostgresServer, folder: DataFolder, url: String) -> Self {
        let (command_sender, command_receiver) = oneshot::channel();
        let supervisor =
            tokio::spawn(supervisor::run_until_command(server, folder, url.clone(), command_receiver));
        Self { url: SecretText(url), commands: command_sender, supervisor }
    }

    /// Returns the address of the database, for sqlx and psql.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url.0
    }

    /// Releases the data folder. PostgreSQL is stopped as by [`stop`](Self::stop) if no other process of this
    /// program uses the folder and no other program has a session; otherwise it continues to run, which is
    /// logged.
    ///
    /// # Errors
    /// If PostgreSQL ignores every signal.
    pub async fn release(self) -> Result<(), StopError> {
        self.finish(SupervisorCommand::Release).await
    }

    /// Stops PostgreSQL even if others use it (open transactions are rolled back), waits for about ten
    /// seconds at most until it has ended, and unlocks the data folder.
    ///
    /// # Errors
    /// If PostgreSQL ignores every signal.
    pub async fn stop(self) -> Result<(), StopError> {
        self.finish(SupervisorCommand::Stop).await
    }

    async fn finish(self, command: SupervisorCommand) -> Result<(), StopError> {
        // An error means that the supervisor has ended; joining it gives the reason.
        let _ = self.commands.send(command);
        self.supervisor.await.map_err(StopError::SupervisorDied)?
    }
}
