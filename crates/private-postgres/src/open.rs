//! Opens the PostgreSQL of a data folder for this process: takes over a running one, or starts it.

use std::path::Path;
use std::pin::pin;

use super::binaries::Binaries;
use super::data_folder::DataFolder;
use super::error::StartError;
use super::os_user::OsUser;
use super::password::Password;
use super::password_auth;
use super::release::stop_unless_used;
use super::server::PostgresServer;
use super::setup;
use super::socket;

/// An opened data folder, with the change lock.
pub(super) struct OpenedFolder {
    /// The folder.
    pub(super) folder: DataFolder,
    /// The server that this process has started and may supervise, with its address; `None` if another
    /// process supervises PostgreSQL.
    pub(super) started: Option<(PostgresServer, String)>,
}

/// Opens the folder unless `stopped` completes first. In that case, a started server is released and `None`
/// is returned.
pub(super) async fn open_unless(
    data_dir: &Path,
    stopped: impl Future<Output = ()>,
) -> Result<Option<OpenedFolder>, StartError> {
    let mut stopped = pin!(stopped);
    let (mut folder, prepared) = tokio::select! {
        prepared = enter_and_prepare(data_dir) => prepared?,
        () = &mut stopped => return Ok(None),
    };
    let Some((mut server, access)) = prepared else {
        return Ok(Some(OpenedFolder { folder, started: None }));
    };
    let outcome = tokio::select! {
        ready = start_server(&mut server, &folder, &access) => ready.err().map(Err),
        () = stopped => Some(Ok(None)),
    };
    if let Some(outcome) = outcome {
        // A server that this process cannot use must not continue to run unsupervised.
        release_server(&mut server, &mut folder, &access.url).await;
        return outcome;
    }
    Ok(Some(OpenedFolder { folder, started: Some((server, access.url)) }))
}

/// An address with its password.
struct DatabaseAccess {
    url: String,
    password: Password,
}

/// Enters the folder and prepares the launch, unless another process supervises PostgreSQL.
async fn enter_and_prepare(
    data_dir: &Path,
) -> Result<(DataFolder, Option<(PostgresServer, DatabaseAccess)>), StartError> {
    let mut folder = DataFolder::enter(data_dir).await?;
    let prepared = if folder.start_supervising()? { Some(prepare_launch(&folder).await?) } else { None };
    Ok((folder, prepared))
}

/// Prepares the launch: programs, user, socket, address, and the cluster itself.
async fn prepare_launch(folder: &DataFolder) -> Result<(PostgresServer, DatabaseAccess), StartError> {
    let binaries = Binaries::find(folder.cluster_version()?).await?;
    let account = OsUser::choose(folder, &binaries).await?;
    let socket = socket::choose(folder, &account)?;
    let password = match folder.url()?.as_deref().and_then(Password::from_url) {
        Some(password) => password,
        None => Password::new()?,
    };
    let url = socket::url(&socket, &password);
    // Written before PostgreSQL knows the password, because it is stored nowhere else.
    folder.write_url(&url)?;
    setup::ensure_cluster(folder, &binaries, &account, &password).await?;
    Ok((PostgresServer::new(folder, binaries, account, socket), DatabaseAccess { url, password }))
}

/// Starts the server and returns when it accepts the password.
///
/// May be cancelled. [`release_server`] then stops what was launched.
async fn start_server(
    server: &mut PostgresServer,
    folder: &DataFolder,
    access: &DatabaseAccess,
) -> Result<(), StartError> {
    server.start().await?;
    password_auth::enforce_password(server, folder.path(), &access.url, &access.password).await
}

/// Releases a server that could not be started or is no longer needed.
async fn release_server(server: &mut PostgresServer, folder: &mut DataFolder, url: &str) {
    if let Err(error) = stop_unless_used(server, folder, url).await {
        tracing::error!("{error}");
    }
}
