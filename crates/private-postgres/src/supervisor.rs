//! Brings PostgreSQL back whenever it dies, until it is ordered to end that.

use std::convert::Infallible;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};
use tracing::{error, info, warn};

use super::data_folder::DataFolder;
use super::error::StopError;
use super::release::stop_unless_used;
use super::server::PostgresServer;

/// A postmaster that ran this long is brought back at once; one that keeps dying, ever later.
const STABLE_UPTIME: Duration = Duration::from_secs(10);
const MIN_RESTART_PAUSE: Duration = Duration::from_millis(100);
const MAX_RESTART_PAUSE: Duration = Duration::from_secs(2);

/// An order that ends the supervision.
#[derive(Debug)]
pub(super) enum SupervisorCommand {
    /// Stop PostgreSQL in any case.
    Stop,
    /// Stop it unless others use it.
    Release,
}

/// Keeps the server up until it is ordered to end that. If the sender of orders is gone, the server is left running.
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
        info!("PostgreSQL is back");
    }
}

/// Tries until it succeeds; returns how long to wait if it dies again soon.
async fn restart(server: &mut PostgresServer, mut pause: Duration) -> Duration {
    loop {
        sleep(pause).await;
        pause = (pause * 2).clamp(MIN_RESTART_PAUSE, MAX_RESTART_PAUSE);
        match server.start().await {
            Ok(()) => return pause,
            Err(error) => error!("PostgreSQL cannot be started again, still trying: {error}"),
        }
    }
}
