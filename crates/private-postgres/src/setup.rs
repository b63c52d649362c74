//! Creates the cluster and its database. An interrupted set-up is started again.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use tokio::io::AsyncWriteExt;
use tokio::process::Command;
use tracing::info;

use super::binaries::Binaries;
use super::data_folder::DataFolder;
use super::error::StartError;
use super::files::{create_private, move_into_place, path_error};
use super::os_user::{OsUser, check_output};
use super::password::{Password, PasswordFile};
use super::password_auth;

/// Statements for single-user mode, one per line. The settings are stored in `postgresql.auto.conf`, where an
/// operator can change them with `ALTER SYSTEM`. Rarer checkpoints would write less, but recovery after a
/// crash takes about 3 s for each 500 MB written since the last one.
const INITIAL_STATEMENTS: &str = include_str!("../assets/first-statements.sql");

/// The preferred locale: it sorts by bytes, the same on every system.
const LOCALE: &str = "C.UTF-8";
/// The locale of systems without the preferred one; it sorts by bytes, too.
const FALLBACK_LOCALE: &str = "C";

/// The file from which `initdb` reads the password. It is named like an unfinished set-up and is removed like
/// one.
const PASSWORD_FILE: &str = "postgres.new.password";

/// Creates the cluster unless it exists.
pub(super) async fn ensure_cluster(
    folder: &DataFolder,
    binaries: &Binaries,
    account: &OsUser,
    password: &Password,
) -> Result<(), StartError> {
    remove_unfinished(folder.path()).map_err(path_error(folder.path()))?;
    if folder.cluster_version()?.is_some() {
        return Ok(());
    }
    let cluster = folder.cluster();
    refuse_foreign_folder(&cluster).map_err(path_error(&cluster))?;
    info!("setting up a private PostgreSQL {} in {}", binaries.major, cluster.display());
    create_cluster(folder, binaries, account, password).await
}

/// Creates the complete cluster in a temporary folder, then moves it into place.
async fn create_cluster(
    folder: &DataFolder,
    binaries: &Binaries,
    account: &OsUser,
    password: &Password,
) -> Result<(), StartError> {
    let file = folder.path().join(PASSWORD_FILE);
    let file = PasswordFile::write(file, password, account).map_err(path_error(folder.path()))?;
    let staging_folder = create_staging_folder(folder.path(), account).map_err(path_error(folder.path()))?;
    let result = match initialize(&staging_folder, binaries, account, &file).await {
        Ok(()) => move_into_place(&staging_folder, &folder.cluster()).map_err(path_error(&folder.cluster())),
        Err(error) => Err(error),
    };
    if result.is_err() {
        let _ = fs::remove_dir_all(&staging_folder);
    }
    result
}

async fn initialize(
    staging_folder: &Path,
    binaries: &Binaries,
    account: &OsUser,
    password: &PasswordFile,
) -> Result<(), StartError> {
    if initdb(staging_folder, LOCALE, binaries, account, password).await.is_err() {
        initdb(staging_folder, FALLBACK_LOCALE, binaries, account, password).await?;
    }
    password_auth::require_passwords(staging_folder, account).map_err(path_error(staging_folder))?;
    run_initial_statements(staging_folder, binaries, account).await
}

async fn initdb(
    staging_folder: &Path,
    locale: &str,
    binaries: &Binaries,
    account: &OsUser,
    password: &PasswordFile,
) -> Result<(), StartError> {
    let mut command = account.command(&binaries.program("initdb"));
    command.arg("-D").arg(staging_folder).arg(format!("--locale={locale}"));
    command.args(["--encoding=UTF8", "--auth=scram-sha-256", "--username=caraplace"]);
    // Passed in a file, because every user may read a command line.
    command.arg("--pwfile").arg(&password.path);
    let result = command.stdin(Stdio::null()).kill_on_drop(true).output().await;
    check_output(result).map_err(|output| StartError::Program { program: "initdb", output })
}

async fn run_initial_statements(
    staging_folder: &Path,
    binaries: &Binaries,
    account: &OsUser,
) -> Result<(), StartError> {
    let mut command = account.command(&binaries.program("postgres"));
    command.arg("--single").arg("-D").arg(staging_folder).args(["-c", "exit_on_error=on", "postgres"]);
    let result = run_with_input(command, INITIAL_STATEMENTS).await;
    check_output(result).map_err(|output| StartError::Program { program: "postgres --single", output })
}

async fn run_with_input(mut command: Command, input: &str) -> io::Result<Output> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.kill_on_drop(true).spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // A program that ended early gives the reason on its standard error.
        let _ = stdin.write_all(input.as_bytes()).await;
    }
    child.wait_with_output().await
}

/// Removes the folders of interrupted set-ups. An `initdb` that outlived its server may still write there, so
/// a failure is ignored: the next folder has another name.
fn remove_unfinished(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with("postgres.new.") {
            let _ = fs::remove_dir_all(entry.path()).or_else(|_| fs::remove_file(entry.path()));
        }
    }
    Ok(())
}

fn refuse_foreign_folder(cluster: &Path) -> io::Result<()> {
    match fs::read_dir(cluster).map(|mut entries| entries.next().is_some()) {
        Ok(true) => Err(io::Error::other("it is neither empty nor a database cluster")),
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn create_staging_folder(folder: &Path, account: &OsUser) -> io::Result<PathBuf> {
    let names = (1..100).map(|number| folder.join(format!("postgres.new.{number}")));
    for staging_folder in names {
        if create_private(&staging_folder)? {
            return account.give_ownership(&staging_folder).map(|()| staging_folder);
        }
    }
    Err(io::Error::other("too many unfinished set-ups (postgres.new.*)"))
}
