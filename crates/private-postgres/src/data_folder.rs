//! The data folder: its locks, its files, and the address file.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tracing::info;

use super::binaries::leading_number;
use super::error::StartError;
use super::files::{create_private, path_error, read_if_present, replace_private};
use super::locks::{self, ChangeLock, LOCK_TIMEOUT};
use super::start_timeout::{START_TIMEOUT, announce_if_slow};

/// The file with the database's address.
const ADDRESS_FILE: &str = "database_url";
/// Maximum time to wait for another process that starts PostgreSQL, including crash recovery.
const ENTER_TIMEOUT: Duration = START_TIMEOUT.saturating_add(LOCK_TIMEOUT);

/// The data folder in use by this process. While this exists, other processes do not stop PostgreSQL, unless
/// one is told to stop it unconditionally.
#[derive(Debug)]
pub(super) struct DataFolder {
    path: PathBuf,
    // Dropped in this order: a process that acquires the change lock then finds neither a supervisor nor a
    // user that is about to leave.
    supervision_lock: Option<File>,
    users_lock: File,
    change_lock: Option<ChangeLock>,
}

impl DataFolder {
    /// Creates the folder if it is missing and joins its users, with the change lock. Waits while another
    /// process starts or stops PostgreSQL.
    pub(super) async fn enter(data_dir: &Path) -> Result<Self, StartError> {
        let path = create(data_dir).map_err(path_error(data_dir))?;
        let busy_error = || StartError::Busy { folder: path.clone() };
        let acquire = announce_if_slow(ChangeLock::acquire(&path, ENTER_TIMEOUT), || {
            info!(folder = %path.display(), "waiting for another process that starts or stops PostgreSQL");
        });
        let change_lock = acquire.await?.ok_or_else(busy_error)?;
        let folder = Self::join(path.clone()).await.map_err(path_error(&path))?.ok_or_else(busy_error)?;
        Ok(Self { change_lock: Some(change_lock), ..folder })
    }

    /// Joins the users of a folder if its PostgreSQL has this address; `None` if it has another or cannot be
    /// accessed.
    pub(super) async fn join_by_url(path: PathBuf, url: &str) -> Option<Self> {
        let stored_url = fs::read_to_string(path.join(ADDRESS_FILE)).ok()?;
        if stored_url.trim() != url {
            return None;
        }
        Self::join(path).await.ok()?
    }

    async fn join(path: PathBuf) -> io::Result<Option<Self>> {
        let users = locks::join_users(&path).await?;
        Ok(users.map(|users| Self { path, supervision_lock: None, users_lock: users, change_lock: None }))
    }

    /// Makes this process the supervisor of PostgreSQL. Returns `false` if there is another.
    pub(super) fn start_supervising(&mut self) -> Result<bool, StartError> {
        if self.supervision_lock.is_none() {
            self.supervision_lock = locks::lock_supervision(&self.path)?;
        }
        Ok(self.supervision_lock.is_some())
    }

    /// Acquires the change lock, which permits to start or stop PostgreSQL, unless this process has it.
    /// Returns `false` if another process holds it for too long.
    pub(super) async fn acquire_change_lock(&mut self) -> Result<bool, StartError> {
        if self.change_lock.is_none() {
            self.change_lock = ChangeLock::acquire(&self.path, LOCK_TIMEOUT).await?;
        }
        Ok(self.change_lock.is_some())
    }

    /// Releases the change lock.
    pub(super) fn release_change_lock(&mut self) {
        self.change_lock = None;
    }

    /// Releases the supervisor lock.
    pub(super) fn stop_supervising(&mut self) {
        self.supervision_lock = None;
    }

    /// Returns true if no other process uses the folder. If one does, this process is no longer counted among
    /// its users.
    pub(super) fn is_only_user(&self) -> bool {
        locks::is_only_user(&self.users_lock).unwrap_or(false)
    }

    /// Returns the error that names the process which supervises PostgreSQL here.
    pub(super) fn in_use_error(&self) -> StartError {
        StartError::InUse { folder: self.path.clone(), pid: locks::supervisor_pid(&self.path) }
    }

    /// Returns the path of the folder, absolute and without symbolic links.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path of the cluster, which may not exist yet.
    pub(super) fn cluster(&self) -> PathBuf {
        self.path.join("postgres")
    }

    /// Returns the cluster and the major version that created it; `None` if there is no cluster yet.
    pub(super) fn cluster_version(&self) -> Result<Option<(PathBuf, u32)>, StartError> {
        let file = self.cluster().join("PG_VERSION");
        let Some(text) = read_if_present(&file)? else { return Ok(None) };
        match leading_number(&text) {
            Some(major) => Ok(Some((self.cluster(), major))),
            None => Err(path_error(&file)(io::Error::other("it contains no version number"))),
        }
    }

    /// Returns the stored address; `None` if there is none.
    pub(super) fn url(&self) -> Result<Option<String>, StartError> {
        let text = read_if_present(&self.path.join(ADDRESS_FILE))?;
        Ok(text.map(|text| text.trim().to_owned()))
    }

    /// Writes the database's address for psql users and further instances.
    pub(super) fn write_url(&self, url: &str) -> Result<(), StartError> {
        let file = self.path.join(ADDRESS_FILE);
        replace_private(&file, format!("{url}\n"), |_| Ok(())).map_err(path_error(&file))
    }
}

fn create(data_dir: &Path) -> io::Result<PathBuf> {
    let data_dir = std::path::absolute(data_dir)?;
    if let Some(parent) = data_dir.parent() {
        fs::create_dir_all(parent)?;
    }
    create_private(&data_dir)?;
    data_dir.canonicalize()
}
