//! A private PostgreSQL under the data folder, for installations without `DATABASE_URL`.
//!
//! It uses the server programs that are installed, listens on a Unix socket only and asks for a password. The postmaster
//! is deliberately not tied to this process: when Caraplace is killed, it stays, and the next start takes it over.
//!
//! Several processes may use one folder: one supervises PostgreSQL, others use it beside that one. The last of them to
//! let go stops it, unless another program still has a session.

mod access;
mod account;
mod binaries;
mod error;
mod folder;
mod locks;
mod log;
mod password;
mod pidfile;
mod postmaster;
mod ready;
mod release;
mod server;
mod sessions;
mod setup;
mod socket;
mod store;
mod supervise;
mod unsupervised;

use std::fmt;
use std::path::Path;
use std::pin::pin;

use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use account::Account;
use binaries::Binaries;
use folder::DataFolder;
use password::Password;
use server::Server;
use supervise::Order;

pub use error::{StartError, StopError};
pub use sessions::session_name;
pub use unsupervised::UnsupervisedPostgres;

/// A running private PostgreSQL, restarted whenever it dies, until [`release`](Self::release) or [`stop`](Self::stop).
///
/// Dropping it ends the supervision and frees the data folder but leaves PostgreSQL running, as
/// a crash would.
pub struct PrivatePostgres {
    url: String,
    order: oneshot::Sender<Order>,
    supervisor: JoinHandle<Result<(), StopError>>,
}

impl fmt::Debug for PrivatePostgres {
    /// Without the address, which holds the password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PrivatePostgres").finish_non_exhaustive()
    }
}

impl PrivatePostgres {
    /// Locks `data_dir` (made if missing), sets up a cluster there or takes over the one it finds,
    /// and returns when PostgreSQL accepts connections to the database `caraplace`.
    ///
    /// The address with the password is also written to `data_dir/database_url`, readable by this user alone.
    ///
    /// # Errors
    /// When another server uses the folder, no fitting PostgreSQL is installed, or PostgreSQL
    /// cannot be set up or started; every error says what to do about it.
    pub async fn start(data_dir: &Path) -> Result<Self, StartError> {
        let started = Self::start_unless(data_dir, std::future::pending()).await?;
        started.ok_or_else(|| StartError::InUse { folder: data_dir.to_owned(), pid: None })
    }

    /// Starts like [`start`](Self::start) unless `stopped` completes first: then `None` is returned, and what was
    /// started is released.
    ///
    /// # Errors
    /// The same.
    pub async fn start_unless(
        data_dir: &Path,
        stopped: impl Future<Output = ()>,
    ) -> Result<Option<Self>, StartError> {
        let mut stopped = pin!(stopped);
        let prepared = async {
            let mut folder = DataFolder::enter(data_dir).await?;
            if !folder.supervise()? {
                return Err(folder.in_use());
            }
            let (server, access) = prepare(&folder).await?;
            Ok((folder, server, access))
        };
        let (mut folder, mut server, access) = tokio::select! {
            prepared = prepared => prepared?,
            () = &mut stopped => return Ok(None),
        };
        let ended = tokio::select! {
            ready = bring_up(&mut server, &folder, &access) => match ready {
                Ok(()) => None,
                Err(error) => Some(Err(error)),
            },
            () = stopped => Some(Ok(None)),
        };
        if let Some(end) = ended {
            // What was started but is of no use must not stay behind unwatched.
            abandon(&mut server, &mut folder, &access.url).await;
            return end;
        }
        folder.end_change();
        Ok(Some(Self::supervised(server, folder, access.url)))
    }

    fn supervised(server: Server, folder: DataFolder, url: String) -> Self {
        let (order, ordered) = oneshot::channel();
        let supervisor = tokio::spawn(supervise::until_ordered(server, folder, url.clone(), ordered));
        Self { url, order, supervisor }
    }

    /// The address of the database, for sqlx and psql alike.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Lets go of the data folder. PostgreSQL is stopped as by [`stop`](Self::stop) if no other process of this
    /// program holds the folder and no other program has a session; otherwise it is left running, which is logged.
    ///
    /// # Errors
    /// When PostgreSQL survives every signal.
    pub async fn release(self) -> Result<(), StopError> {
        self.end(Order::Release).await
    }

    /// Stops PostgreSQL even if others use it (open transactions are rolled back) and waits until it is gone, for at
    /// most about ten seconds; then frees the data folder.
    ///
    /// # Errors
    /// When PostgreSQL survives every signal.
    pub async fn stop(self) -> Result<(), StopError> {
        self.end(Order::Stop).await
    }

    async fn end(self, order: Order) -> Result<(), StopError> {
        // An error means that the supervisor has ended; joining it tells why.
        let _ = self.order.send(order);
        self.supervisor.await.map_err(|_| StopError::SupervisorDied)?
    }
}

/// An address, and the password in it.
struct Access {
    url: String,
    password: Password,
}

/// Gets everything ready for the launch: programs, user, socket, address, and the cluster itself.
async fn prepare(folder: &DataFolder) -> Result<(Server, Access), StartError> {
    let binaries = Binaries::find(folder.cluster_version()?).await?;
    let account = Account::choose(folder, &binaries).await?;
    let socket = socket::choose(folder, &account)?;
    let password = match folder.url()?.as_deref().and_then(Password::of_address) {
        Some(password) => password,
        None => Password::new()?,
    };
    let url = socket::url(&socket, &password);
    // Before PostgreSQL knows the password: it is written nowhere else.
    folder.write_url(&url)?;
    setup::ensure(folder, &binaries, &account, &password).await?;
    Ok((Server::new(folder, binaries, account, socket), Access { url, password }))
}

/// Returns when PostgreSQL takes the password.
///
/// May be cancelled; [`release`] then ends what was launched.
async fn bring_up(server: &mut Server, folder: &DataFolder, access: &Access) -> Result<(), StartError> {
    server.bring_up().await?;
    access::secure(server, folder.path(), &access.url, &access.password).await
}

/// Stops the server if this process is its last user.
async fn release(server: &mut Server, folder: &mut DataFolder, url: &str) -> Result<(), StopError> {
    match release::must_stop(folder, url).await {
        true => server.shut_down().await,
        false => Ok(()),
    }
}

/// Releases a server that could not be started, or is not wanted any more.
async fn abandon(server: &mut Server, folder: &mut DataFolder, url: &str) {
    if let Err(error) = release(server, folder, url).await {
        tracing::error!("{error}");
    }
}
