//! The postmaster: a child of this process, or one that an earlier server left running.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tokio::process::Child;
use tokio::time::{sleep, timeout};
use tracing::warn;

use super::error::StopError;
use super::pidfile::{PidFile, is_running_on};

/// Interval at which a process that is not a child of this one is polled.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Signals that stop PostgreSQL, each with its time limit: fast, then immediate (the next start recovers),
/// then kill.
const STOP_SIGNALS: [(Signal, Duration); 3] = [
    (Signal::INT, Duration::from_secs(6)),
    (Signal::QUIT, Duration::from_secs(3)),
    (Signal::KILL, Duration::from_secs(1)),
];

/// The postmaster as known to this server.
#[derive(Debug)]
pub(super) enum Postmaster {
    /// No postmaster is known.
    Absent,
    /// Launched by this server.
    Launched(Child),
    /// Found running on this cluster.
    TakenOver {
        /// Its process number.
        pid: Pid,
        /// The folder of the cluster.
        cluster: PathBuf,
    },
}

impl Postmaster {
    /// Returns the postmaster that runs on this cluster, if any.
    pub(super) fn find(cluster: &Path) -> Self {
        match PidFile::read(cluster).filter(PidFile::is_alive) {
            Some(file) => Self::TakenOver { pid: file.pid, cluster: cluster.to_owned() },
            None => Self::Absent,
        }
    }

    /// Returns its process number; `None` if it does not run.
    pub(super) fn pid(&self) -> Option<Pid> {
        match self {
            Self::Absent => None,
            Self::Launched(child) => child.id().and_then(|id| Pid::from_raw(id.try_into().ok()?)),
            Self::TakenOver { pid, cluster } => Some(*pid).filter(|pid| is_running_on(*pid, cluster)),
        }
    }

    /// Waits until it has ended. Returns a description of how it ended.
    pub(super) async fn wait_for_exit(&mut self) -> String {
        let exit_reason = match self {
            Self::Absent => "it was not running".to_owned(),
            Self::Launched(child) => match child.wait().await {
                Ok(status) => status.to_string(),
                Err(error) => error.to_string(),
            },
            Self::TakenOver { .. } => {
                while self.pid().is_some() {
                    sleep(POLL_INTERVAL).await;
                }
                "exit status unknown, it was taken over".to_owned()
            }
        };
        *self = Self::Absent;
        exit_reason
    }

    /// Makes it reload its configuration files.
    pub(super) fn reload(&self) {
        if let Some(pid) = self.pid() {
            // An error means that it has ended; the next one reads the files anyway.
            let _ = kill_process(pid, Signal::HUP);
        }
    }

    /// Stops it, by force if necessary, and waits until it has ended.
    pub(super) async fn stop(&mut self) -> Result<(), StopError> {
        self.stop_with(&STOP_SIGNALS).await;
        match self.pid() {
            Some(pid) => Err(StopError::StillRunning { pid: pid.as_raw_pid() }),
            None => Ok(()),
        }
    }

    /// Stops one that does not respond, without a checkpoint.
    pub(super) async fn stop_immediately(&mut self) {
        self.stop_with(&STOP_SIGNALS[1..]).await;
    }

    async fn stop_with(&mut self, signals: &[(Signal, Duration)]) {
        for (signal, wait_limit) in signals {
            let Some(pid) = self.pid() else { return };
            if *signal == Signal::KILL {
                warn!("PostgreSQL (pid {}) does not stop; killing it", pid.as_raw_pid());
            }
            // An error means that it has ended by itself.
            let _ = kill_process(pid, *signal);
            let _ = timeout(*wait_limit, self.wait_for_exit()).await;
        }
    }
}
