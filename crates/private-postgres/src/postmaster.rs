//! The process that answers for PostgreSQL: our child, or one that an earlier server left.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tokio::process::Child;
use tokio::time::{sleep, timeout};
use tracing::warn;

use super::error::StopError;
use super::pidfile::{PidFile, is_running_on};

/// How often a process that is not our child is looked for.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Asked to stop: first in order, then without a checkpoint (the next start recovers), then by force.
const STOP_SIGNALS: [(Signal, Duration); 3] = [
    (Signal::INT, Duration::from_secs(6)),
    (Signal::QUIT, Duration::from_secs(3)),
    (Signal::KILL, Duration::from_secs(1)),
];

/// The postmaster as this server knows it.
#[derive(Debug)]
pub(super) enum Postmaster {
    /// None that we know of.
    Absent,
    /// Launched by this server.
    Launched(Child),
    /// Found running on that cluster.
    TakenOver {
        /// Its process number.
        pid: Pid,
        /// The folder of the cluster.
        cluster: PathBuf,
    },
}

impl Postmaster {
    /// The one that runs on that cluster, if any.
    pub(super) fn find(cluster: &Path) -> Self {
        match PidFile::read(cluster).filter(PidFile::is_alive) {
            Some(file) => Self::TakenOver { pid: file.pid, cluster: cluster.to_owned() },
            None => Self::Absent,
        }
    }

    /// Its process number, as long as it runs.
    pub(super) fn pid(&self) -> Option<Pid> {
        match self {
            Self::Absent => None,
            Self::Launched(child) => child.id().and_then(|id| Pid::from_raw(id.try_into().ok()?)),
            Self::TakenOver { pid, cluster } => Some(*pid).filter(|pid| is_running_on(*pid, cluster)),
        }
    }

    /// Returns when it is no more, with what is known about its end.
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

    /// Lets it read its configuration files again.
    pub(super) fn reload(&self) {
        if let Some(pid) = self.pid() {
            // An error means that it has gone; the next one reads them anyway.
            let _ = kill_process(pid, Signal::HUP);
        }
    }

    /// Ends it in order, or else by force, and waits until it is gone.
    pub(super) async fn stop(&mut self) -> Result<(), StopError> {
        self.stop_with(&STOP_SIGNALS).await;
        match self.pid() {
            Some(pid) => Err(StopError::StillRunning { pid: pid.as_raw_pid() }),
            None => Ok(()),
        }
    }

    /// Ends one that does not answer, without asking it for a checkpoint.
    pub(super) async fn stop_immediately(&mut self) {
        self.stop_with(&STOP_SIGNALS[1..]).await;
    }

    async fn stop_with(&mut self, signals: &[(Signal, Duration)]) {
        for (signal, wait_limit) in signals {
            let Some(pid) = self.pid() else { return };
            if *signal == Signal::KILL {
                warn!("PostgreSQL (pid {}) does not stop; killing it", pid.as_raw_pid());
            }
            // An error means that it has gone by itself.
            let _ = kill_process(pid, *signal);
            let _ = timeout(*wait_limit, self.wait_for_exit()).await;
        }
    }
}
