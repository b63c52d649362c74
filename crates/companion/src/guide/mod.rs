//! The guide: answers visitors' questions about the canvas with a language model and tools, and drafts
//! changes.
//!
//! A question is stored first ([`ask`]). Its stream ([`stream`]) starts the turn that answers it, joins the
//! turn if it runs, or replays the answer. A turn claims its question (`claim`), asks the model until it
//! answers (`model_loop`), runs the tools that the model calls (`tool_calls`), and is stored (`turn_end`). It
//! only reads and proposes: what it proposes are drafts, which people approve.

pub mod ask;
pub mod budget;
mod claim;
pub mod conversation;
mod estimate;
pub mod events;
pub mod lost_turns;
pub mod message;
pub mod model;
mod model_loop;
mod prompt;
pub mod retention;
mod running;
mod store;
pub mod stream;
mod tool_calls;
mod turn;
mod turn_end;

use std::sync::Arc;
use std::time::Duration;

use platform::address_slots::AddressSlots;
use platform::concurrency::wait_for_permit;
use platform::config::GuideSettings;
use platform::refusal::Refusal;
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use model::{ModelClient, ModelSetupError};
use running::RunningTurns;

/// The maximum number of connections to the database that a process uses at the same time to store questions,
/// and to begin and end turns. They wait for each other's locks, so without a limit they could hold all
/// connections.
const MAX_DATABASE_CONNECTIONS: usize = 2;
/// The time to wait for one of them.
const PERMIT_TIMEOUT: Duration = Duration::from_secs(10);
/// The time in which the running turns must be stored when the server stops.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);

/// The guide of a server with a model.
pub struct Guide {
    client: ModelClient,
    settings: GuideSettings,
    /// The turns that this process runs.
    running: RunningTurns,
    /// Bounds the turns that run at the same time.
    turn_slots: Arc<AddressSlots>,
    database_permits: Semaphore,
    /// Runs the turns.
    runtime: Handle,
    /// The tasks of the turns.
    tasks: TaskTracker,
    /// Cancelled when the server stops.
    stopping: CancellationToken,
}

impl Guide {
    /// Returns the guide of these settings; `None` if they name no model. It must be called inside a Tokio
    /// runtime, which then runs the turns.
    ///
    /// # Errors
    /// If the model's key cannot be read.
    pub fn open(settings: &GuideSettings) -> Result<Option<Arc<Self>>, ModelSetupError> {
        if settings.model.is_none() {
            return Ok(None);
        }
        Ok(Some(Arc::new(Self {
            client: ModelClient::new(settings)?,
            settings: settings.clone(),
            running: RunningTurns::default(),
            turn_slots: AddressSlots::new(settings.max_turns as usize),
            database_permits: Semaphore::new(MAX_DATABASE_CONNECTIONS),
            runtime: Handle::current(),
            tasks: TaskTracker::new(),
            stopping: CancellationToken::new(),
        })))
    }

    /// Ends the running turns, and waits until what they have cost is stored. Their questions can be asked
    /// again at once.
    pub async fn stop(&self) {
        self.stopping.cancel();
        self.tasks.close();
        if timeout(STOP_TIMEOUT, self.tasks.wait()).await.is_err() {
            tracing::warn!(
                "turns of the guide could not be stored, so the most that they can cost will count"
            );
        }
    }

    /// Waits for a permit to change a conversation, so that the guide leaves connections to the database for
    /// other requests.
    ///
    /// # Errors
    /// `Overloaded` if none becomes free in ten seconds.
    pub(crate) async fn acquire_database_permit(&self) -> Result<SemaphorePermit<'_>, Refusal> {
        wait_for_permit(PERMIT_TIMEOUT, self.database_permits.acquire()).await
    }
}
