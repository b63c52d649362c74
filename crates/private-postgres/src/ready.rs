//! Asks a postmaster whether it accepts connections.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::process::Command;
use tokio::time::sleep;

use super::account::clean;
use super::binaries::Binaries;
use super::socket::PORT;

const SHORTEST_PAUSE: Duration = Duration::from_millis(10);
const LONGEST_PAUSE: Duration = Duration::from_millis(160);

/// The question to whoever listens on one socket.
#[derive(Debug)]
pub(super) struct Probe {
    program: PathBuf,
    socket: PathBuf,
}

/// What came back.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// It accepts connections.
    Ready,
    /// It is starting, recovering or shutting down.
    NotYet,
    /// Nobody listens.
    Silence,
}

impl Probe {
    /// A probe of the socket in that folder.
    pub(super) fn new(binaries: &Binaries, socket: &Path) -> Self {
        Self { program: binaries.program("pg_isready"), socket: socket.to_owned() }
    }

    /// Asks once; answers within about three seconds.
    pub(super) async fn ask(&self) -> Answer {
        let mut command = Command::new(&self.program);
        clean(&mut command);
        command.arg("-q").arg("-h").arg(&self.socket).args(["-p", &PORT.to_string()]);
        command.args(["-U", "caraplace", "-d", "caraplace"]).kill_on_drop(true);
        match command.status().await.ok().and_then(|status| status.code()) {
            Some(0) => Answer::Ready,
            Some(1) => Answer::NotYet,
            _ => Answer::Silence,
        }
    }

    /// Asks until somebody answers.
    pub(super) async fn until_answered(&self) -> Answer {
        loop {
            match self.ask().await {
                Answer::Silence => sleep(SHORTEST_PAUSE).await,
                answer => return answer,
            }
        }
    }

    /// Returns when the answer is [`Answer::Ready`]. The pauses grow, because PostgreSQL logs every
    /// question that comes too early.
    pub(super) async fn until_ready(&self) {
        let mut pause = SHORTEST_PAUSE;
        while self.ask().await != Answer::Ready {
            sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }
}
