//! Brings PostgreSQL back whenever it dies, until it is ordered to end that.

use std::convert::Infallible;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};
use tracing::{error, info, warn};

use super::error::StopError;
use super::folder::DataFolder;
use super::release::stop_unless_used;
use super::server::Server;

/// A postmaster that ran this long is brought back at once; one that keeps dying, ever later.
const STEADY: Duration = Duration::from_secs(10);
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// An order that ends the supervision.
#[derive(Debug)]
pub(super) enum Order {
    /// Stop PostgreSQL in any case.
    Stop,
    /// Stop it unless others use it.
    Release,
}

/// Keeps the server up until it is ordered to end that. If the sender of orders is gone, the server is left running.
/// The folder stays locked until then.
pub(super) async fn until_ordered(
    mut server: Server,
    mut folder: DataFolder,
    url: String,
    ordered: oneshot::Receiver<Order>,
) -> Result<(), StopError> {
    let order = tokio::select! {
        biased;
        order = ordered => order,
        never = keep_up(&mut server) => match never {},
    };
    match order {
        Ok(Order::Stop) => server.shut_down().await,
        Ok(Order::Release) => stop_unless_used(&mut server, &mut folder, &url).await,
        Err(_) => Ok(()),
    }
}

async fn keep_up(server: &mut Server) -> Infallible {
    let mut pause = Duration::ZERO;
    loop {
        server.trim_log();
        let Ok(end) = timeout(STEADY, server.postmaster.died()).await else {
            pause = Duration::ZERO;
            continue;
        };
        warn!("PostgreSQL died ({end}); starting it again");
        pause = revive(server, pause).await;
        info!("PostgreSQL is back");
    }
}

/// Tries until it succeeds; returns how long to wait if it dies again soon.
async fn revive(server: &mut Server, mut pause: Duration) -> Duration {
    loop {
        sleep(pause).await;
        pause = (pause * 2).clamp(FIRST_PAUSE, LONGEST_PAUSE);
        match server.bring_up().await {
            Ok(()) => return pause,
            Err(error) => error!("PostgreSQL cannot be started again, still trying: {error}"),
        }
    }
}
