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

use super::account::{Account, last_words};
use super::binaries::Binaries;
use super::error::{StartError, StopError};
use super::files::at;
use super::folder::DataFolder;
use super::log::Log;
use super::pidfile::{PidFile, remove_if_strangers};
use super::postmaster::Postmaster;
use super::ready::{Answer, Probe};
use super::socket;
use super::waiting::{START_LIMIT, announce_if_slow};

/// How long a postmaster may run without answering on its socket before it is replaced.
const SILENCE_LIMIT: Duration = Duration::from_secs(10);
/// How often, [`RETRY`] apart, a launch is tried again while a dead postmaster's children go.
const LAUNCHES: u32 = 75;
const RETRY: Duration = Duration::from_millis(200);
const POLL: Duration = Duration::from_millis(25);

/// What PostgreSQL says when another one, or what is left of it, is still on the cluster.
const OCCUPIED: [&str; 2] = ["pre-existing shared memory block", "lock file \"postmaster.pid\""];

/// The database server of one cluster, and all that is needed to launch it again.
#[derive(Debug)]
pub(super) struct Server {
    binaries: Binaries,
    /// The user that PostgreSQL runs as.
    pub(super) account: Account,
    /// The folder of the cluster.
    pub(super) cluster: PathBuf,
    socket: PathBuf,
    log: Log,
    probe: Probe,
    /// The postmaster, as far as it is known.
    pub(super) postmaster: Postmaster,
}

impl Server {
    /// A server for the folder's cluster, yet to be brought up, with its socket in `socket`.
    pub(super) fn new(folder: &DataFolder, binaries: Binaries, account: Account, socket: PathBuf) -> Self {
        Self {
            probe: Probe::new(&binaries, &socket),
            log: Log { path: folder.path().join("postgres.log") },
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
    pub(super) async fn bring_up(&mut self) -> Result<(), StartError> {
        announce_if_slow(self.take_over_or_launch(), || {
            info!("PostgreSQL is still starting; after a crash it first recovers what was committed");
        })
        .await
    }

    /// Ends the postmaster, launched or taken over, and waits until it is gone.
    pub(super) async fn shut_down(&mut self) -> Result<(), StopError> {
        self.postmaster.end().await?;
        socket::remove(&self.socket);
        Ok(())
    }

    /// Keeps PostgreSQL's log from filling the disk.
    pub(super) fn trim_log(&self) {
        if let Err(error) = self.log.trim() {
            warn!("PostgreSQL's log {} cannot be shortened: {error}", self.log.path.display());
        }
    }

    async fn take_over_or_launch(&mut self) -> Result<(), StartError> {
        for _ in 0..LAUNCHES {
            if self.take_over().await? {
                return Ok(());
            }
            match self.launch().await {
                Err(StartError::Ended { output, .. })
                    if OCCUPIED.iter().any(|sign| output.contains(sign)) =>
                {
                    sleep(RETRY).await;
                }
                other => return other,
            }
        }
        Err(StartError::StillInUse { cluster: self.cluster.clone() })
    }

    /// Whether a postmaster runs; if so, it is ready.
    async fn take_over(&mut self) -> Result<bool, StartError> {
        let Ok(ready) = timeout(START_LIMIT, self.found_ready()).await else {
            return Err(self.too_slow());
        };
        Ok(ready)
    }

    async fn found_ready(&mut self) -> bool {
        while let Some(file) = PidFile::read(&self.cluster).filter(PidFile::is_alive) {
            self.remember(file.pid);
            let answer = tokio::select! {
                answer = timeout(SILENCE_LIMIT, self.probe.until_answered()) => answer,
                _ = self.postmaster.died() => return false,
            };
            match answer {
                Ok(Answer::Ready) => return true,
                Ok(_) => sleep(POLL).await,
                Err(_) => self.replace_silent(file.pid).await,
            }
        }
        false
    }

    fn remember(&mut self, pid: Pid) {
        if self.postmaster.pid() != Some(pid) {
            self.postmaster = Postmaster::TakenOver { pid, cluster: self.cluster.clone() };
        }
    }

    /// Ends one that hangs, or whose socket was cleaned away from `/tmp`: nobody could ever connect.
    async fn replace_silent(&mut self, pid: Pid) {
        warn!("PostgreSQL (pid {}) does not answer; replacing it", pid.as_raw_pid());
        self.postmaster.end_at_once().await;
    }

    async fn launch(&mut self) -> Result<(), StartError> {
        self.prepare().map_err(at(&self.socket))?;
        let (log, length) = self.log.open().map_err(at(&self.log.path))?;
        let child = self
            .command(log)
            .spawn()
            .map_err(|error| StartError::Program { program: "postgres", output: error.to_string() })?;
        // Kept before the first await, so that a cancelled launch can be shut down.
        self.postmaster = Postmaster::Launched(child);
        tokio::select! {
            () = self.probe.until_ready() => Ok(()),
            () = sleep(START_LIMIT) => Err(self.too_slow()),
            end = self.postmaster.died() => Err(self.ended(end, length)),
        }
    }

    fn prepare(&self) -> io::Result<()> {
        remove_if_strangers(&self.cluster.join("postmaster.pid"), &self.cluster)?;
        remove_if_strangers(&socket::lock_file(&self.socket), &self.cluster)?;
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
        command.arg("-c").arg(socket::setting(&self.socket));
        // A group of its own: Ctrl-C in a terminal must reach Caraplace alone, which stops it in turn.
        command.process_group(0);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        command
    }

    fn too_slow(&self) -> StartError {
        StartError::TooSlow { log: self.log.path.clone(), seconds: START_LIMIT.as_secs() }
    }

    fn ended(&self, end: String, length: u64) -> StartError {
        let text = self.log.since(length).unwrap_or_default();
        let output = last_words(&text).unwrap_or(end);
        StartError::Ended { log: self.log.path.clone(), output }
    }
}
