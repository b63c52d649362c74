//! Use of a private PostgreSQL by a process that does not supervise it.

use std::path::Path;

use sqlx::postgres::PgConnectOptions;

use super::error::{StartError, StopError};
use super::files::at;
use super::folder::DataFolder;
use super::opening::{self, Opened};
use super::password::Secret;
use super::pidfile::PidFile;
use super::postmaster::Postmaster;
use super::release;
use super::socket;

/// A running private PostgreSQL that this process uses and does not watch: another process may do that, or none. A
/// server may be started on the folder meanwhile.
#[derive(Debug)]
pub struct UnsupervisedPostgres {
    url: Secret,
    folder: DataFolder,
}

impl UnsupervisedPostgres {
    /// Uses the PostgreSQL in `data_dir`. It is started if it does not run, and taken over if no process supervises it.
    ///
    /// # Errors
    /// Like those of [`PrivatePostgres::start`](super::PrivatePostgres::start), without a refusal where a server
    /// supervises it.
    pub async fn open(data_dir: &Path) -> Result<Self, StartError> {
        let opened = Self::open_unless(data_dir, std::future::pending()).await?;
        opened.ok_or_else(|| StartError::InUse { folder: data_dir.to_owned(), pid: None })
    }

    /// Opens like [`open`](Self::open) unless `stopped` completes first: then `None` is returned, and a PostgreSQL that
    /// was started is released.
    ///
    /// # Errors
    /// The same.
    pub async fn open_unless(
        data_dir: &Path,
        stopped: impl Future<Output = ()>,
    ) -> Result<Option<Self>, StartError> {
        let Some(Opened { mut folder, started }) = opening::open_unless(data_dir, stopped).await? else {
            return Ok(None);
        };
        let url = match started {
            Some((_, url)) => {
                folder.stop_supervising();
                url
            }
            None => folder.url()?.ok_or_else(|| {
                at(folder.path())(std::io::Error::other("the file database_url is missing"))
            })?,
        };
        folder.end_change();
        Ok(Some(Self { url: Secret(url), folder }))
    }

    /// Joins the users of the private PostgreSQL that has this address; `None` if it belongs to no data folder that
    /// this process can reach. Then it is known there by its sessions only.
    pub async fn of_address(url: &str) -> Option<Self> {
        let options: PgConnectOptions = url.parse().ok()?;
        let path = socket::data_folder(options.get_socket()?)?;
        let folder = DataFolder::of_address(path, url).await?;
        Some(Self { url: Secret(url.to_owned()), folder })
    }

    /// The address of the database.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url.0
    }

    /// Lets go of the data folder. PostgreSQL is stopped if no process supervises it, no other process of this program
    /// holds the folder and no other program has a session.
    ///
    /// # Errors
    /// When PostgreSQL survives every signal.
    pub async fn release(mut self) -> Result<(), StopError> {
        if !release::must_stop(&mut self.folder, &self.url.0).await {
            return Ok(());
        }
        let cluster = self.folder.cluster();
        let socket = PidFile::read(&cluster).and_then(|file| file.socket);
        Postmaster::find(&cluster).end().await?;
        socket.iter().for_each(|socket| socket::remove(socket));
        Ok(())
    }
}
