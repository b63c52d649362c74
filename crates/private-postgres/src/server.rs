//! Brings the cluster's postmaster up, taking over the one that runs or launching one, and down.

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

/// How long a postmaster may run without answering on its socket before it is replaced.
const NO_ANSWER_TIMEOUT: Duration = Duration::from_secs(10);
/// How often, [`RETRY`] apart, a launch is tried again while a dead postmaster's children go.
const MAX_LAUNCH_ATTEMPTS: u32 = 75;
const RETRY_INTERVAL: Duration = Duration::from_millis(200);
const POLL_INTERVAL: Duration = Duration::from_millis(25);

/// What PostgreSQL says when another one, or what is left of it, is still on the cluster.
const CLUSTER_IN_USE_MESSAGES: [&str; 2] =
    ["pre-existing shared memory block", "lock file \"postmaster.pid\""];

/// The database server of one cluster, and all that is needed to launch it again.
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
    /// The postmaster, as far as it is known.
    pub(super) postmaster: Postmaster,
}

impl PostgresServer {
    /// A server for the folder's cluster, yet to be brought up, with its socket in `socket`.
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

    /// Returns when a postmaster is ready: the one that runs, or else a new one.
    ///
    /// May be cancelled; [`shut_down`](Self::shut_down) then ends what was launched.
    pub(super) async fn start(&mut self) -> Result<(), StartError> {
        announce_if_slow(self.take_over_or_launch(), || {
            info!("PostgreSQL is still starting; after a crash it first recovers what was committed");
        })
        .await
    }

    /// Ends the postmaster, launched or taken over, and waits until it is gone.
    pub(super) async fn shut_down(&mut self) -> Result<(), StopError> {
        self.postmaster.stop().await?;
        socket::remove_folder(&self.socket);
        Ok(())
    }

    /// Keeps PostgreSQL's log from filling the disk.
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

    /// Whether a postmaster runs; if so, it is ready.
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

    /// Ends one that hangs, or whose socket was cleaned away from `/tmp`: nobody could ever connect.
    async fn stop_unresponsive(&mut self, pid: Pid) {
        warn!("PostgreSQL (pid {}) does not answer; replacing it", pid.as_raw_pid());
        self.postmaster.stop_immediately().await;
    }

    async fn launch(&mut self) -> Result<(), StartError> {
        self.prepare_launch().map_err(path_error(&self.socket))?;
        let (log, log_offset) = self.log.open().map_err(path_error(&self.log.path))?;
        let child = self
            .command(log)
            .spawn()
            .map_err(|error| StartError::Program { program: "postgres", output: error.to_string() })?;
        // Kept before the first await, so that a cancelled launch can be shut down.
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
        // It may have been cleaned away since the start.
        socket::make_private(&self.socket, &self.account).map(drop)
    }

    /// What must hold is said here, out of `ALTER SYSTEM`'s reach; the rest is in the cluster.
    fn command(&self, log: File) -> Command {
        let mut command = self.account.command(&self.binaries.program("postgres"));
        command.arg("-D").arg(&self.cluster);
        for setting in ["fsync=on", "full_page_writes=on", "logging_collector=off", "listen_addresses="] {
            command.args(["-c", setting]);
        }
        command.args(["-c", &format!("port={}", socket::PORT)]);
        command.arg("-c").arg(socket::directories_setting(&self.socket));
        // A group of its own: Ctrl-C in a terminal must reach Caraplace alone, which stops it in turn.
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
