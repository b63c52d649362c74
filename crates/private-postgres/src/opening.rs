//! Opens the PostgreSQL in a data folder for this process: takes over the one that runs, or starts it.

use std::path::Path;
use std::pin::pin;

use super::access;
use super::account::Account;
use super::binaries::Binaries;
use super::error::StartError;
use super::folder::DataFolder;
use super::password::Password;
use super::release::stop_unless_used;
use super::server::Server;
use super::setup;
use super::socket;

/// An opened data folder, with the right to start and stop PostgreSQL there.
pub(super) struct Opened {
    /// The folder.
    pub(super) folder: DataFolder,
    /// The server that this process has brought up and may supervise, and its address; `None` if another process
    /// supervises PostgreSQL.
    pub(super) started: Option<(Server, String)>,
}

/// Opens the folder unless `stopped` completes first: then `None` is returned, and what was started is released.
pub(super) async fn open_unless(
    data_dir: &Path,
    stopped: impl Future<Output = ()>,
) -> Result<Option<Opened>, StartError> {
    let mut stopped = pin!(stopped);
    let (mut folder, prepared) = tokio::select! {
        prepared = prepare(data_dir) => prepared?,
        () = &mut stopped => return Ok(None),
    };
    let Some((mut server, access)) = prepared else {
        return Ok(Some(Opened { folder, started: None }));
    };
    let ended = tokio::select! {
        ready = bring_up(&mut server, &folder, &access) => ready.err().map(Err),
        () = stopped => Some(Ok(None)),
    };
    if let Some(end) = ended {
        // What was started but is of no use must not stay behind unwatched.
        abandon(&mut server, &mut folder, &access.url).await;
        return end;
    }
    Ok(Some(Opened { folder, started: Some((server, access.url)) }))
}

/// An address, and the password in it.
struct Access {
    url: String,
    password: Password,
}

/// Enters the folder and prepares the launch, unless another process supervises PostgreSQL.
async fn prepare(data_dir: &Path) -> Result<(DataFolder, Option<(Server, Access)>), StartError> {
    let mut folder = DataFolder::enter(data_dir).await?;
    let prepared = if folder.supervise()? { Some(prepare_launch(&folder).await?) } else { None };
    Ok((folder, prepared))
}

/// Gets everything ready for the launch: programs, user, socket, address, and the cluster itself.
async fn prepare_launch(folder: &DataFolder) -> Result<(Server, Access), StartError> {
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
/// May be cancelled; [`abandon`] then ends what was launched.
async fn bring_up(server: &mut Server, folder: &DataFolder, access: &Access) -> Result<(), StartError> {
    server.bring_up().await?;
    access::secure(server, folder.path(), &access.url, &access.password).await
}

/// Releases a server that could not be started, or is not wanted any more.
async fn abandon(server: &mut Server, folder: &mut DataFolder, url: &str) {
    if let Err(error) = stop_unless_used(server, folder, url).await {
        tracing::error!("{error}");
    }
}
