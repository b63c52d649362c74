//! Decides if a process that releases a data folder stops PostgreSQL.

use tracing::info;

use super::data_folder::DataFolder;
use super::error::StopError;
use super::server::PostgresServer;
use super::sessions::{self, OtherSessions};

/// Stops the server if this process is its last user.
pub(super) async fn stop_unless_used(
    server: &mut PostgresServer,
    folder: &mut DataFolder,
    url: &str,
) -> Result<(), StopError> {
    if should_stop(folder, url).await { server.shut_down().await } else { Ok(()) }
}

/// Returns true if this process is the last user of PostgreSQL and so must stop it. Otherwise PostgreSQL
/// continues to run, which is logged unless another process supervises it.
///
/// In either case no other process decides the same until `folder` is dropped. Otherwise two processes that
/// end at the same moment could each rely on the other.
pub(super) async fn should_stop(folder: &mut DataFolder, url: &str) -> bool {
    match find_other_user(folder, url).await {
        None => true,
        Some(OtherUser::Supervisor) => false,
        Some(OtherUser::Unsupervised(by)) => {
            info!(
                folder = %folder.path().display(),
                by,
                "PostgreSQL is left running because others use it; the last caraplace process that holds the folder \
                 stops it, or a later one that finds it there"
            );
            false
        }
    }
}

/// Another user of PostgreSQL.
enum OtherUser {
    /// A process that supervises it and will stop it.
    Supervisor,
    /// Other users, while no process supervises it.
    Unsupervised(String),
}

async fn find_other_user(folder: &mut DataFolder, url: &str) -> Option<OtherUser> {
    if !folder.acquire_change_lock().await.unwrap_or(false) {
        return Some(OtherUser::Unsupervised("a process that starts or stops it".to_owned()));
    }
    let is_only_user = folder.is_only_user();
    if !folder.start_supervising().unwrap_or(false) {
        return Some(OtherUser::Supervisor);
    }
    if !is_only_user {
        return Some(OtherUser::Unsupervised("other caraplace processes on the folder".to_owned()));
    }
    match sessions::find_other_sessions(url).await {
        OtherSessions::Absent => None,
        OtherSessions::Count(count) => {
            Some(OtherUser::Unsupervised(format!("{count} sessions of other programs")))
        }
        OtherSessions::Unknown(error) => Some(OtherUser::Unsupervised(format!("unknown sessions: {error}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::{DataFolder, should_stop};
    use crate::locks::ChangeLock;

    /// The address of a PostgreSQL that does not run.
    const URL: &str = "postgres://caraplace@localhost/caraplace?host=%2Fnowhere";

    #[tokio::test]
    async fn the_last_process_keeps_its_locks_until_it_has_decided() {
        let data = tempfile::tempdir().unwrap();
        let mut server = DataFolder::enter(data.path()).await.unwrap();
        assert!(server.start_supervising().unwrap());
        server.release_change_lock();
        let mut command = DataFolder::enter(data.path()).await.unwrap();
        command.release_change_lock();

        assert!(!should_stop(&mut server, URL).await, "the command uses it");
        assert!(!ChangeLock::is_free(data.path()).unwrap(), "the server still has its locks");
        drop(server);
        assert!(should_stop(&mut command, URL).await);
        assert!(!ChangeLock::is_free(data.path()).unwrap());
        drop(command);

        let mut next = DataFolder::enter(data.path()).await.unwrap();
        assert!(next.start_supervising().unwrap() && next.is_only_user());
    }
}
