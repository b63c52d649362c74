//! Errors of the private PostgreSQL. Each message says what the operator should do.

use std::io;
use std::path::PathBuf;

/// The reason why the private PostgreSQL did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// A file or folder below the data folder could not be read or written.
    #[error(
        "{path} cannot be used: {source}. Make it accessible to the user that runs Caraplace, or set \
         CARAPLACE_DATA_DIR to another folder."
    )]
    Folder {
        /// The path of the file or folder.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// Another server holds the lock on the data folder.
    #[error(
        "Another Caraplace server{} is using the folder {folder}; stop it, or set CARAPLACE_DATA_DIR to another \
         folder, or point DATABASE_URL at the address in {folder}/database_url to run a second instance.",
        pid.map(|pid| format!(" (pid {pid})")).unwrap_or_default()
    )]
    InUse {
        /// The data folder.
        folder: PathBuf,
        /// The process that holds the lock; `None` if it has not written its number yet.
        pid: Option<u32>,
    },
    /// Another process has not finished starting or stopping PostgreSQL.
    #[error(
        "PostgreSQL in {folder} is still being started or stopped by another process; its log {folder}/postgres.log \
         shows the progress. Try again when it is ready."
    )]
    Busy {
        /// The data folder.
        folder: PathBuf,
    },
    /// No installed PostgreSQL server was found.
    #[error(
        "DATABASE_URL is not set and no PostgreSQL server programs (initdb, postgres, pg_isready) \
         were found in PATH or the usual locations; install them, e.g. with `apt-get install \
         postgresql`, or set DATABASE_URL to another database."
    )]
    NoBinaries,
    /// The cluster was created by a major version that is not installed.
    #[error(
        "The database in {cluster} was created by PostgreSQL {wanted}, but only version {found} is installed; \
         install PostgreSQL {wanted}, or move the database with pg_upgrade."
    )]
    WrongVersion {
        /// The cluster's folder.
        cluster: PathBuf,
        /// The major version that created it.
        wanted: u32,
        /// The installed major versions, separated by commas.
        found: String,
    },
    /// The cluster belongs to a user that this process cannot switch to.
    #[error(
        "The database in {cluster} belongs to user number {owner}, but PostgreSQL would run as user number \
         {user}; start Caraplace as the owner, or change the folder's owner with `chown -R`."
    )]
    WrongOwner {
        /// The cluster's folder.
        cluster: PathBuf,
        /// The number of its owner.
        owner: u32,
        /// The number of the user that would run PostgreSQL.
        user: u32,
    },
    /// The unprivileged user cannot access the data folder.
    #[error(
        "PostgreSQL refuses to run as root, and user number {user} cannot reach {folder} (the program \
         `setpriv` that would help is missing or not permitted here: {output}). Set \
         CARAPLACE_DATA_DIR to a folder below one that every user may enter, such as \
         /var/lib/caraplace, or start Caraplace as an ordinary user."
    )]
    Unreachable {
        /// The data folder.
        folder: PathBuf,
        /// The number of the user that should run PostgreSQL.
        user: u32,
        /// The output of the attempt with `setpriv`.
        output: String,
    },
    /// No folder for the socket could be created.
    #[error(
        "No folder for PostgreSQL's socket could be created, neither in {folder} nor in /tmp; set \
         CARAPLACE_DATA_DIR to a folder with a shorter path."
    )]
    NoSocketFolder {
        /// The data folder.
        folder: PathBuf,
    },
    /// A program of PostgreSQL could not be run or failed.
    #[error(
        "`{program}` failed: {output}. Correct the cause and start again, or set DATABASE_URL to a \
         different database."
    )]
    Program {
        /// The program's name.
        program: &'static str,
        /// The last lines of its output.
        output: String,
    },
    /// PostgreSQL ended before it was ready.
    #[error("PostgreSQL ended while it was starting: {output}. Its log is {log}.")]
    Ended {
        /// PostgreSQL's log file.
        log: PathBuf,
        /// The last lines of its output.
        output: String,
    },
    /// Processes of a killed PostgreSQL still use the cluster.
    #[error(
        "Processes of an earlier PostgreSQL still use {cluster}; end them (`ps -ef | grep postgres` shows \
         them) and start again."
    )]
    StillInUse {
        /// The cluster's folder.
        cluster: PathBuf,
    },
    /// PostgreSQL runs but does not become ready.
    #[error("PostgreSQL was not ready after {seconds} seconds. Its log {log} shows the reason.")]
    TooSlow {
        /// PostgreSQL's log file.
        log: PathBuf,
        /// The time limit in seconds.
        seconds: u64,
    },
    /// The system returned no random bytes for a password.
    #[error("The system returned no random bytes for the database's password ({0}). Start again.")]
    NoRandomness(#[source] getrandom::Error),
    /// The database's password could not be set.
    #[error(
        "The password of the database in {folder} could not be set ({problem}). PostgreSQL's log there, \
         postgres.log, has details; correct the cause and start again."
    )]
    Password {
        /// The data folder.
        folder: PathBuf,
        /// The last failure.
        problem: String,
    },
}

/// The reason why the private PostgreSQL could not be stopped.
#[derive(Debug, thiserror::Error)]
pub enum StopError {
    /// PostgreSQL ignored every signal.
    #[error("PostgreSQL (pid {pid}) does not stop; end it with `kill -QUIT {pid}`.")]
    StillRunning {
        /// The postmaster's process number.
        pid: i32,
    },
    /// The supervising task has ended.
    #[error(
        "The task that supervises the private PostgreSQL has ended unexpectedly; PostgreSQL may still \
         run, and the next start will take it over."
    )]
    SupervisorDied(#[source] tokio::task::JoinError),
}
