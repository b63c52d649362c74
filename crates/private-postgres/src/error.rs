//! What can go wrong with the private PostgreSQL, in sentences that tell the operator what to do.

use std::io;
use std::path::PathBuf;

/// Why the private PostgreSQL did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// A file or folder below the data folder could not be read or written.
    #[error(
        "{path} cannot be used: {source}. Make it accessible to the user that runs Caraplace, or set \
         CARAPLACE_DATA_DIR to another folder."
    )]
    Folder {
        /// What was being read or written.
        path: PathBuf,
        /// The system's reason.
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
        /// The process that holds it, unless it has yet to write its number down.
        pid: Option<u32>,
    },
    /// Another process has not finished starting or stopping PostgreSQL.
    #[error(
        "PostgreSQL in {folder} is still being started or stopped by another process; its log {folder}/postgres.log \
         tells how far it is. Try again once it is ready."
    )]
    Busy {
        /// The data folder.
        folder: PathBuf,
    },
    /// No installed PostgreSQL server was found.
    #[error(
        "DATABASE_URL is not set and no PostgreSQL server programs (initdb, postgres, pg_isready) \
         were found in PATH or the usual places; install them, e.g. with `apt-get install \
         postgresql`, or set DATABASE_URL to a database of your own."
    )]
    NoBinaries,
    /// The cluster was made by a major version that is not installed.
    #[error(
        "The database in {cluster} was made by PostgreSQL {wanted}, but only version {found} is installed; \
         install PostgreSQL {wanted}, or move the database with pg_upgrade."
    )]
    WrongVersion {
        /// The cluster's folder.
        cluster: PathBuf,
        /// The major version that made it.
        wanted: u32,
        /// The major versions installed, separated by commas.
        found: String,
    },
    /// The cluster belongs to a user that this process cannot become.
    #[error(
        "The database in {cluster} belongs to user number {owner}, but PostgreSQL would run as user number \
         {user}; start Caraplace as the owner, or give the folder back with `chown -R`."
    )]
    WrongOwner {
        /// The cluster's folder.
        cluster: PathBuf,
        /// Who owns it.
        owner: u32,
        /// Who would run it.
        user: u32,
    },
    /// A user without root's rights cannot get to the data folder.
    #[error(
        "PostgreSQL refuses to run as root, and user number {user} cannot reach {folder} (the program \
         `setpriv` that would help is missing or not permitted here: {output}). Set \
         CARAPLACE_DATA_DIR to a folder below one that every user may enter, such as \
         /var/lib/caraplace, or start Caraplace as an ordinary user."
    )]
    Unreachable {
        /// The data folder.
        folder: PathBuf,
        /// Who should run PostgreSQL.
        user: u32,
        /// What the attempt with `setpriv` said.
        output: String,
    },
    /// No folder for the socket could be made.
    #[error(
        "No folder for PostgreSQL's socket could be made, neither in {folder} nor in /tmp; set \
         CARAPLACE_DATA_DIR to a folder with a shorter path."
    )]
    NoSocketFolder {
        /// The data folder.
        folder: PathBuf,
    },
    /// A program of PostgreSQL could not be run or failed.
    #[error(
        "`{program}` failed: {output}. Correct the cause and start again, or set DATABASE_URL to a \
         database of your own."
    )]
    Program {
        /// The program's name.
        program: &'static str,
        /// Its last words.
        output: String,
    },
    /// PostgreSQL ended before it was ready.
    #[error("PostgreSQL ended while it was starting: {output}. Its log is {log}.")]
    Ended {
        /// PostgreSQL's log file.
        log: PathBuf,
        /// Its last words.
        output: String,
    },
    /// Processes of a killed PostgreSQL are still at work on the cluster.
    #[error(
        "Processes of an earlier PostgreSQL still use {cluster}; end them (`ps -ef | grep postgres` shows \
         them) and start again."
    )]
    StillInUse {
        /// The cluster's folder.
        cluster: PathBuf,
    },
    /// PostgreSQL runs but does not become ready.
    #[error("PostgreSQL was not ready after {seconds} seconds. Its log {log} tells why.")]
    TooSlow {
        /// PostgreSQL's log file.
        log: PathBuf,
        /// How long it was waited for.
        seconds: u64,
    },
    /// The system gave no random bytes for a password.
    #[error("The system gives no random bytes for the database's password ({0}). Start again.")]
    NoRandomness(#[source] getrandom::Error),
    /// The database's password could not be set.
    #[error(
        "The password of the database in {folder} could not be set ({problem}). PostgreSQL's log there, \
         postgres.log, tells more; correct the cause and start again."
    )]
    Password {
        /// The data folder.
        folder: PathBuf,
        /// The last failure.
        problem: String,
    },
}

/// Why the private PostgreSQL could not be stopped.
#[derive(Debug, thiserror::Error)]
pub enum StopError {
    /// It survived every signal.
    #[error("PostgreSQL (pid {pid}) does not stop; end it with `kill -QUIT {pid}`.")]
    StillRunning {
        /// The postmaster's process number.
        pid: i32,
    },
    /// The task that watches it is gone.
    #[error(
        "The task that watches the private PostgreSQL has ended unexpectedly; PostgreSQL may still \
         run, and the next start will take it over."
    )]
    SupervisorDied(#[source] tokio::task::JoinError),
}
