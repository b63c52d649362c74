//! The process that answers for PostgreSQL: our child, or one that an earlier server left.

use std::path::PathBuf;
use std::time::Duration;

use rustix::process::Pid;
use tokio::process::Child;
use tokio::time::sleep;

use super::pidfile::runs;

/// How often a process that is not our child is looked for.
const LOOK: Duration = Duration::from_millis(50);

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
    /// Its process number, as long as it runs.
    pub(super) fn pid(&self) -> Option<Pid> {
        match self {
            Self::Absent => None,
            Self::Launched(child) => child.id().and_then(|id| Pid::from_raw(id.try_into().ok()?)),
            Self::TakenOver { pid, cluster } => Some(*pid).filter(|pid| runs(*pid, cluster)),
        }
    }

    /// Returns when it is no more, with what is known about its end.
    pub(super) async fn died(&mut self) -> String {
        let end = match self {
            Self::Absent => "it was not running".to_owned(),
            Self::Launched(child) => match child.wait().await {
                Ok(status) => status.to_string(),
                Err(error) => error.to_string(),
            },
            Self::TakenOver { .. } => {
                while self.pid().is_some() {
                    sleep(LOOK).await;
                }
                "exit status unknown, it was taken over".to_owned()
            }
        };
        *self = Self::Absent;
        end
    }
}
