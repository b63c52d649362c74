//! A private PostgreSQL under the data folder, for whoever sets no `DATABASE_URL`.
//!
//! It uses the server programs that are installed and listens on a Unix socket only. The postmaster
//! is deliberately not tied to this process: when Caraplace is killed, it stays, and the next
//! start takes it over.

mod account;
mod binaries;
mod error;
mod folder;
mod log;
mod pidfile;
mod postmaster;
mod ready;
mod server;
mod setup;
mod socket;
mod supervise;

use std::path::Path;

use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use account::Account;
use binaries::Binaries;
use folder::DataFolder;
use server::Server;

pub use error::{StartError, StopError};

/// A running private PostgreSQL, restarted whenever it dies, until [`stop`](Self::stop).
///
/// Dropping it ends the supervision and frees the data folder but leaves PostgreSQL running, as
/// a crash would.
#[derive(Debug)]
pub struct PrivatePostgres {
    url: String,
    stop: oneshot::Sender<()>,
    supervisor: JoinHandle<Result<(), StopError>>,
}

impl PrivatePostgres {
    /// Locks `data_dir` (made if missing), sets up a cluster there or takes over the one it finds,
    /// and returns when PostgreSQL accepts connections to the database `caraplace`.
    ///
    /// The address is also written to `data_dir/database_url`, readable by this user alone.
    ///
    /// # Errors
    /// When another server uses the folder, no fitting PostgreSQL is installed, or PostgreSQL
    /// cannot be set up or started; every error says what to do about it.
    pub async fn start(data_dir: &Path) -> Result<Self, StartError> {
        let folder = DataFolder::lock(data_dir)?;
        let binaries = Binaries::find(folder.cluster_version()?).await?;
        let account = Account::choose(&folder, &binaries).await?;
        setup::ensure(&folder, &binaries, &account).await?;
        let socket = socket::choose(&folder, &account)?;
        let url = socket::url(&socket);
        folder.write_url(&url)?;
        let mut server = Server::new(&folder, binaries, account, socket);
        if let Err(error) = server.bring_up().await {
            // What was started but did not become ready must not stay behind unwatched.
            let _ = server.shut_down().await;
            return Err(error);
        }
        let (stop, stopped) = oneshot::channel();
        let supervisor = tokio::spawn(supervise::until_stopped(server, folder, stopped));
        Ok(Self { url, stop, supervisor })
    }

    /// The address of the database, for sqlx and psql alike.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Stops PostgreSQL (open transactions are rolled back) and waits until it is gone, for at most
    /// about ten seconds; then frees the data folder.
    ///
    /// # Errors
    /// When PostgreSQL survives every signal.
    pub async fn stop(self) -> Result<(), StopError> {
        // An error means that the supervisor has ended; joining it tells why.
        let _ = self.stop.send(());
        self.supervisor.await.map_err(|_| StopError::SupervisorDied)?
    }
}
