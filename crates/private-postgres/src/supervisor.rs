//! Restarts PostgreSQL whenever it dies, until a command ends the supervision.

use std::convert::Infallible;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};
use tracing::{error, info, warn};

use super::data_folder::DataFolder;
use super::error::StopError;
use super::release::stop_unless_used;
use super::server::PostgresServer;

/// Uptime after which a postmaster is restarted immediately. If it dies earlier, the pauses grow.
const STABLE_UPTIME: Duration = Duration::from_secs(10);
const MIN_RESTART_PAUSE: Duration = Duration::from_millis(100);
const MAX_RESTART_PAUSE: Duration = Duration::from_secs(2);

/// A command that ends the supervision.
#[derive(Debug)]
pub(super) enum SupervisorCommand {
    /// Stop PostgreSQL unconditionally.
    Stop,
    /// Stop PostgreSQL unless others use it.
    Release,
}

/// Keeps the server running until a command ends that. If the sender of commands is dropped, the server
/// continues to run.
/// The folder stays locked until then.
pub(super) async fn run_until_command(
    mut server: PostgresServer,
    mut folder: DataFolder,
    url: String,
    receiver: oneshot::Receiver<SupervisorCommand>,
) -> Result<(), StopError> {
    let command = tokio::select! {
        biased;
        order = receiver => order,
        never = keep_running(&mut server) => match never {},
    };
    match command {
        Ok(SupervisorCommand::Stop) => server.shut_down().await,
        Ok(SupervisorCommand::Release) => stop_unless_used(&mut server, &mut folder, &url).await,
        Err(_) => Ok(()),
    }
}

async fn keep_running(server: &mut PostgresServer) -> Infallible {
    let mut pause = Duration::ZERO;
    loop {
        server.trim_log();
        let Ok(exit_reason) = timeout(STABLE_UPTIME, server.postmaster.wait_for_exit()).await else {
            pause = Duration::ZERO;
            continue;
        };
        warn!("PostgreSQL died ({exit_reason}); starting it again");
        pause = restart(server, pause).await;
        info!("PostgreSQL is running again");
    }
}

/// Restarts the server until it succeeds. Returns the pause before the next restart if it dies again soon.
async fn restart(server: &mut PostgresServer, mut pause: Duration) -> Duration {
    loop {
        sleep(pause).await;
        pause = (pause * 2).clamp(MIN_RESTART_PAUSE, MAX_RESTART_PAUSE);
        match server.start().await {
            Ok(()) => return pause,
            Err(error) => error!("PostgreSQL cannot be restarted, still trying: {error}"),
        }
    }
}
