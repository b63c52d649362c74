//! Starts and stops the cluster's postmaster: takes over a running one, or launches one.

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use rustix::process::Pid;
use tokio::process::Command;
use tokio::time::{sleep, timeout};
use tracing::{info, warn};

use super::binaries::Binaries;
use super::data_folder::DataFolder;
use super::error::{StartError, StopError};
use super::files::path_error;
use super::os_user::{OsUser, last_lines};
use super::pidfile::{PidFile, remove_if_stale};
use super::postgres_log::PostgresLog;
use super::postmaster::Postmaster;
use super::probe::{Probe, ProbeResult};
use super::socket;
use super::start_timeout::{START_TIMEOUT, announce_if_slow};

/// Time for which a postmaster may run without responding on its socket before it is replaced.
const NO_ANSWER_TIMEOUT: Duration = Duration::from_secs(10);
/// Number of launch attempts, [`RETRY_INTERVAL`] apart, while the children of a dead postmaster end.
const MAX_LAUNCH_ATTEMPTS: u32 = 75;
const RETRY_INTERVAL: Duration = Duration::from_millis(200);
const POLL_INTERVAL: Duration = Duration::from_millis(25);

/// PostgreSQL's messages for a cluster that another postmaster, or a child of one, still uses.
const CLUSTER_IN_USE_MESSAGES: [&str; 2] =
    ["pre-existing shared memory block", "lock file \"postmaster.pid\""];

/// The database server of one cluster, with everything that is needed to launch it again.
#[derive(Debug)]
pub(super) struct PostgresServer {
    binaries: Binaries,
    /// The user that PostgreSQL runs as.
    pub(super) account: OsUser,
    /// The folder of the cluster.
    pub(super) cluster: PathBuf,
    socket: PathBuf,
    log: PostgresLog,
    probe: Probe,
    /// The postmaster, if it is known.
    pub(super) postmaster: Postmaster,
}

impl PostgresServer {
    /// Returns a server for the folder's cluster with its socket in `socket`. It is not started yet.
    pub(super) fn new(folder: &DataFolder, binaries: Binaries, account: OsUser, socket: PathBuf) -> Self {
        Self {
            probe: Probe::new(&binaries, &socket),
            log: PostgresLog { path: folder.path().join("postgres.log") },
            cluster: folder.cluster(),
            postmaster: Postmaster::Absent,
            binaries,
            account,
            socket,
        }
    }

    /// Starts the server: takes over the running postmaster, or launches one, and waits until it is ready.
    ///
    /// May be cancelled. [`shut_down`](Self::shut_down) then stops what was launched.
    pub(super) async fn start(&mut self) -> Result<(), StartError> {
        announce_if_slow(self.take_over_or_launch(), || {
            info!("PostgreSQL is still starting; after a crash it first recovers what was committed");
        })
        .await
    }

    /// Stops the postmaster, launched or taken over, and waits until it has ended.
    pub(super) async fn shut_down(&mut self) -> Result<(), StopError> {
        self.postmaster.stop().await?;
        socket::remove_folder(&self.socket);
        Ok(())
    }

    /// Limits the size of PostgreSQL's log.
    pub(super) fn trim_log(&self) {
        if let Err(error) = self.log.rotate_if_large() {
            warn!("PostgreSQL's log {} cannot be shortened: {error}", self.log.path.display());
        }
    }

    async fn take_over_or_launch(&mut self) -> Result<(), StartError> {
        for _ in 0..MAX_LAUNCH_ATTEMPTS {
            if self.take_over_running().await? {
                return Ok(());
            }
            match self.launch().await {
                Err(StartError::Ended { output, .. })
                    if CLUSTER_IN_USE_MESSAGES.iter().any(|sign| output.contains(sign)) =>
                {
                    sleep(RETRY_INTERVAL).await;
                }
                result => return result,
            }
        }
        Err(StartError::StillInUse { cluster: self.cluster.clone() })
    }

    /// Returns true if a postmaster runs; it is then ready.
    async fn take_over_running(&mut self) -> Result<bool, StartError> {
        let Ok(is_ready) = timeout(START_TIMEOUT, self.wait_for_running()).await else {
            return Err(self.start_timeout_error());
        };
        Ok(is_ready)
    }

    async fn wait_for_running(&mut self) -> bool {
        while let Some(file) = PidFile::read(&self.cluster).filter(PidFile::is_alive) {
            self.set_taken_over(file.pid);
            let answer = tokio::select! {
                answer = timeout(NO_ANSWER_TIMEOUT, self.probe.wait_for_answer()) => answer,
                _ = self.postmaster.wait_for_exit() => return false,
            };
            match answer {
                Ok(ProbeResult::Ready) => return true,
                Ok(_) => sleep(POLL_INTERVAL).await,
                Err(_) => self.stop_unresponsive(file.pid).await,
            }
        }
        false
    }

    fn set_taken_over(&mut self, pid: Pid) {
        if self.postmaster.pid() != Some(pid) {
            self.postmaster = Postmaster::TakenOver { pid, cluster: self.cluster.clone() };
        }
    }

    /// Stops a postmaster that hangs, or whose socket was deleted from `/tmp`, so that no client could ever
    /// connect.
    async fn stop_unresponsive(&mut self, pid: Pid) {
        warn!("PostgreSQL (pid {}) does not respond; replacing it", pid.as_raw_pid());
        self.postmaster.stop_immediately().await;
    }

    async fn launch(&mut self) -> Result<(), StartError> {
        self.prepare_launch().map_err(path_error(&self.socket))?;
        let (log, log_offset) = self.log.open().map_err(path_error(&self.log.path))?;
        let child = self
            .command(log)
            .spawn()
            .map_err(|error| StartError::Program { program: "postgres", output: error.to_string() })?;
        // Stored before the first await, so that a cancelled launch can be shut down.
        self.postmaster = Postmaster::Launched(child);
        tokio::select! {
            () = self.probe.wait_until_ready() => Ok(()),
            () = sleep(START_TIMEOUT) => Err(self.start_timeout_error()),
            exit_reason = self.postmaster.wait_for_exit() => Err(self.exit_error(exit_reason, log_offset)),
        }
    }

    fn prepare_launch(&self) -> io::Result<()> {
        remove_if_stale(&self.cluster.join("postmaster.pid"), &self.cluster)?;
        remove_if_stale(&socket::lock_file(&self.socket), &self.cluster)?;
        // The folder may have been deleted since the start.
        socket::make_private(&self.socket, &self.account).map(drop)
    }

    /// Returns the command. It contains the settings that `ALTER SYSTEM` must not change; the others are in
    /// the cluster.
    fn command(&self, log: File) -> Command {
        let mut command = self.account.command(&self.binaries.program("postgres"));
        command.arg("-D").arg(&self.cluster);
        for setting in ["fsync=on", "full_page_writes=on", "logging_collector=off", "listen_addresses="] {
            command.args(["-c", setting]);
        }
        command.args(["-c", &format!("port={}", socket::PORT)]);
        command.arg("-c").arg(socket::directories_setting(&self.socket));
        // A process group of its own: Ctrl-C in a terminal must reach only Caraplace, which then stops
        // PostgreSQL.
        command.process_group(0);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        command
    }

    fn start_timeout_error(&self) -> StartError {
        StartError::TooSlow { log: self.log.path.clone(), seconds: START_TIMEOUT.as_secs() }
    }

    fn exit_error(&self, exit_reason: String, log_offset: u64) -> StartError {
        let text = self.log.read_since(log_offset).unwrap_or_default();
        let output = last_lines(&text).unwrap_or(exit_reason);
        StartError::Ended { log: self.log.path.clone(), output }
    }
}
