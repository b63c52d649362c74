//! Use of a private PostgreSQL by a process that does not supervise it.

use std::fmt;
use std::path::Path;

use sqlx::postgres::PgConnectOptions;

use super::folder::{DataFolder, at};
use super::pidfile::PidFile;
use super::postmaster::Postmaster;
use super::{StartError, StopError, abandon, bring_up, prepare, release, socket};

/// A running private PostgreSQL that this process uses and does not watch: another process may do that, or none. A
/// server may be started on the folder meanwhile.
pub struct UnsupervisedPostgres {
    url: String,
    folder: DataFolder,
}

impl fmt::Debug for UnsupervisedPostgres {
    /// Without the address, which holds the password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UnsupervisedPostgres").finish_non_exhaustive()
    }
}

impl UnsupervisedPostgres {
    /// Uses the PostgreSQL in `data_dir`. It is started if it does not run, and taken over if no process supervises it.
    ///
    /// # Errors
    /// Like those of [`PrivatePostgres::start`](super::PrivatePostgres::start), without a refusal where a server
    /// supervises it.
    pub async fn open(data_dir: &Path) -> Result<Self, StartError> {
        let mut folder = DataFolder::enter(data_dir).await?;
        if !folder.supervise()? {
            let missing = || at(folder.path())(std::io::Error::other("the file database_url is missing"));
            let url = folder.url()?.ok_or_else(missing)?;
            folder.end_change();
            return Ok(Self { url, folder });
        }
        let (mut server, access) = prepare(&folder).await?;
        if let Err(error) = bring_up(&mut server, &folder, &access).await {
            abandon(&mut server, &mut folder, &access.url).await;
            return Err(error);
        }
        folder.stop_supervising();
        folder.end_change();
        Ok(Self { url: access.url, folder })
    }

    /// Joins the users of the private PostgreSQL that has this address; `None` if it belongs to no data folder that
    /// this process can reach. Then it is known there by its sessions only.
    pub async fn of_address(url: &str) -> Option<Self> {
        let options: PgConnectOptions = url.parse().ok()?;
        let folder = DataFolder::of_address(options.get_socket()?, url).await?;
        Some(Self { url: url.to_owned(), folder })
    }

    /// The address of the database.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Lets go of the data folder. PostgreSQL is stopped if no process supervises it, no other process of this program
    /// holds the folder and no other program has a session.
    ///
    /// # Errors
    /// When PostgreSQL survives every signal.
    pub async fn release(mut self) -> Result<(), StopError> {
        if !release::must_stop(&mut self.folder, &self.url).await {
            return Ok(());
        }
        let cluster = self.folder.cluster();
        let socket = PidFile::read(&cluster).and_then(|file| file.socket);
        Postmaster::find(&cluster).end().await?;
        socket.iter().for_each(|socket| socket::remove(socket));
        Ok(())
    }
}
