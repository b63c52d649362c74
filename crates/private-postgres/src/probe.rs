//! Checks if a postmaster accepts connections.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::process::Command;
use tokio::time::sleep;

use super::binaries::Binaries;
use super::os_user::clear_environment;
use super::socket::PORT;

const MIN_PAUSE: Duration = Duration::from_millis(10);
const MAX_PAUSE: Duration = Duration::from_millis(160);

/// A probe of the server on one socket.
#[derive(Debug)]
pub(super) struct Probe {
    program: PathBuf,
    socket: PathBuf,
}

/// The result of a probe.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ProbeResult {
    /// It accepts connections.
    Ready,
    /// It is starting, recovering or shutting down.
    NotReady,
    /// No server listens.
    NoAnswer,
}

impl Probe {
    /// Returns a probe of the socket in this folder.
    pub(super) fn new(binaries: &Binaries, socket: &Path) -> Self {
        Self { program: binaries.program("pg_isready"), socket: socket.to_owned() }
    }

    /// Probes once, within about three seconds.
    pub(super) async fn check(&self) -> ProbeResult {
        let mut command = Command::new(&self.program);
        clear_environment(&mut command);
        command.arg("-q").arg("-h").arg(&self.socket).args(["-p", &PORT.to_string()]);
        command.args(["-U", "caraplace", "-d", "caraplace"]).kill_on_drop(true);
        match command.status().await.ok().and_then(|status| status.code()) {
            Some(0) => ProbeResult::Ready,
            Some(1) => ProbeResult::NotReady,
            _ => ProbeResult::NoAnswer,
        }
    }

    /// Probes until a server responds.
    pub(super) async fn wait_for_answer(&self) -> ProbeResult {
        loop {
            match self.check().await {
                ProbeResult::NoAnswer => sleep(MIN_PAUSE).await,
                result => return result,
            }
        }
    }

    /// Waits until the result is [`ProbeResult::Ready`]. The pauses grow, because PostgreSQL logs every
    /// connection that comes too early.
    pub(super) async fn wait_until_ready(&self) {
        let mut pause = MIN_PAUSE;
        while self.check().await != ProbeResult::Ready {
            sleep(pause).await;
            pause = (pause * 2).min(MAX_PAUSE);
        }
    }
}
