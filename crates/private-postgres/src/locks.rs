//! The locks of a data folder. The kernel releases the locks of a killed process.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;

use tokio::time::{sleep, timeout};

use super::binaries::leading_number;
use super::error::StartError;
use super::files::path_error;

/// Locked exclusively by the process that supervises PostgreSQL. Older versions lock the same file.
const SUPERVISOR_LOCK_FILE: &str = "lock";
/// Locked shared by every process that uses the folder's PostgreSQL.
const USERS_LOCK_FILE: &str = "lock.users";
/// Locked exclusively while PostgreSQL is started or stopped.
const CHANGE_LOCK_FILE: &str = "lock.change";

/// Maximum time that a process that ends waits for another one that starts or stops PostgreSQL, and in which
/// the last user may stop it. A regular stop takes ten seconds at most.
pub(super) const LOCK_TIMEOUT: Duration = Duration::from_secs(15);
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// The change lock. While this exists, no other process starts or stops PostgreSQL, or joins the users of the
/// folder.
#[derive(Debug)]
pub(super) struct ChangeLock {
    _lock: File,
}

impl ChangeLock {
    /// Acquires the lock; `None` if another process holds it for longer than `limit`.
    pub(super) async fn acquire(folder: &Path, limit: Duration) -> Result<Option<Self>, StartError> {
        let path = folder.join(CHANGE_LOCK_FILE);
        let lock = open_lock_file(&path).map_err(path_error(&path))?;
        let is_locked = lock_with_timeout(limit, || lock.try_lock()).await.map_err(path_error(&path))?;
        Ok(is_locked.then_some(Self { _lock: lock }))
    }

    /// Returns true if no process holds the lock.
    #[cfg(test)]
    pub(super) fn is_free(folder: &Path) -> io::Result<bool> {
        try_lock_exclusive(&open_lock_file(&folder.join(CHANGE_LOCK_FILE))?)
    }
}

/// Adds this process to the users of the folder. Waits while the last user stops PostgreSQL; `None` if that
/// takes too long.
pub(super) async fn join_users(folder: &Path) -> io::Result<Option<File>> {
    let lock = open_lock_file(&folder.join(USERS_LOCK_FILE))?;
    let is_locked = lock_with_timeout(LOCK_TIMEOUT, || lock.try_lock_shared()).await?;
    Ok(is_locked.then_some(lock))
}

/// Returns true if the owner of this shared lock is the only user of the folder. Otherwise it ceases to be a
/// user.
pub(super) fn is_only_user(users: &File) -> io::Result<bool> {
    try_lock_exclusive(users)
}

/// Acquires the supervisor lock; `None` if another process holds it.
pub(super) fn lock_supervision(folder: &Path) -> Result<Option<File>, StartError> {
    let path = folder.join(SUPERVISOR_LOCK_FILE);
    let mut lock = open_lock_file(&path).map_err(path_error(&path))?;
    if !try_lock_exclusive(&lock).map_err(path_error(&path))? {
        return Ok(None);
    }
    write_pid(&mut lock).map_err(path_error(&path))?;
    Ok(Some(lock))
}

/// Returns the number of the process that supervises PostgreSQL; `None` if it has not written it yet.
pub(super) fn supervisor_pid(folder: &Path) -> Option<u32> {
    leading_number(&fs::read_to_string(folder.join(SUPERVISOR_LOCK_FILE)).unwrap_or_default())
}

fn open_lock_file(file: &Path) -> io::Result<File> {
    // Not truncated here: until this process holds the lock, the number in the file is another process's.
    OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(file)
}

/// Tries to lock until it succeeds. Returns `false` if another process holds the lock for longer than
/// `limit`.
async fn lock_with_timeout(
    limit: Duration,
    attempt: impl Fn() -> Result<(), TryLockError>,
) -> io::Result<bool> {
    let acquire = async {
        while !is_acquired(attempt())? {
            sleep(POLL_INTERVAL).await;
        }
        Ok(true)
    };
    timeout(limit, acquire).await.unwrap_or(Ok(false))
}

fn try_lock_exclusive(lock: &File) -> io::Result<bool> {
    is_acquired(lock.try_lock())
}

fn is_acquired(attempt: Result<(), TryLockError>) -> io::Result<bool> {
    match attempt {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

fn write_pid(lock: &mut File) -> io::Result<()> {
    lock.set_len(0)?;
    writeln!(lock, "{}", std::process::id())
}
