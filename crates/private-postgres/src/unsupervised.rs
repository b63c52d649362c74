//! Use of a private PostgreSQL by a process that does not supervise it.

use std::path::Path;

use sqlx::postgres::PgConnectOptions;

use super::data_folder::DataFolder;
use super::error::{StartError, StopError};
use super::files::path_error;
use super::open::{self, OpenedFolder};
use super::password::SecretText;
use super::pidfile::PidFile;
use super::postmaster::Postmaster;
use super::release;
use super::socket;

/// A running private PostgreSQL that this process uses but does not supervise. Another process may supervise
/// it, or start to.
#[derive(Debug)]
pub struct UnsupervisedPostgres {
    url: SecretText,
    folder: DataFolder,
}

impl UnsupervisedPostgres {
    /// Uses the PostgreSQL in `data_dir`. It is started if it does not run, and taken over if no process
    /// supervises it. If `stopped` completes first, a PostgreSQL that was started is released and `None` is
    /// returned.
    ///
    /// # Errors
    /// The same as those of [`PrivatePostgres::start`](super::PrivatePostgres::start), except that a server
    /// may use the folder.
    pub async fn open_unless(
        data_dir: &Path,
        stopped: impl Future<Output = ()>,
    ) -> Result<Option<Self>, StartError> {
        let Some(OpenedFolder { mut folder, started }) = open::open_unless(data_dir, stopped).await? else {
            return Ok(None);
        };
        let url = match started {
            Some((_, url)) => {
                folder.stop_supervising();
                url
            }
            None => folder.url()?.ok_or_else(|| {
                path_error(folder.path())(std::io::Error::other("the file database_url is missing"))
            })?,
        };
        folder.release_change_lock();
        Ok(Some(Self { url: SecretText(url), folder }))
    }

    /// Joins the users of the private PostgreSQL with this address; `None` if it belongs to no data folder
    /// that this process can access. Its sessions are then the only sign that this process uses it.
    pub async fn join_by_url(url: &str) -> Option<Self> {
        let options: PgConnectOptions = url.parse().ok()?;
        let path = socket::find_data_folder(options.get_socket()?)?;
        let folder = DataFolder::join_by_url(path, url).await?;
        Some(Self { url: SecretText(url.to_owned()), folder })
    }

    /// Returns the address of the database.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url.0
    }

    /// Releases the data folder. PostgreSQL is stopped if no process supervises it, no other process of this
    /// program uses the folder and no other program has a session.
    ///
    /// # Errors
    /// If PostgreSQL ignores every signal.
    pub async fn release(mut self) -> Result<(), StopError> {
        if !release::should_stop(&mut self.folder, &self.url.0).await {
            return Ok(());
        }
        let cluster = self.folder.cluster();
        let socket = PidFile::read(&cluster).and_then(|file| file.socket);
        Postmaster::find(&cluster).stop().await?;
        socket.iter().for_each(|socket| socket::remove_folder(socket));
        Ok(())
    }
}
