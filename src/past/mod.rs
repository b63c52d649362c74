//! The past: the canvas and the log at any moment, from snapshots and the few placements after them.

pub mod canvas;
pub mod moment;
pub mod page;
mod shelf;
pub mod snapshots;
mod store;
pub mod timelapse;
pub mod timeline;

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::log::Log;
use crate::refusal::Refusal;
use crate::world::Season;
use canvas::Canvas;
use shelf::Shelf;
use timelapse::Timelapses;
use timeline::Timelines;

/// How many may read the past at a time: it must not take all connections, or all processors, from the present.
const TURNS: usize = 2;
/// How long one waits for a turn.
const PATIENCE: Duration = Duration::from_secs(5);

/// The right to read the past, for as long as it is held.
pub type Turn = OwnedSemaphorePermit;

/// Reads the past, and keeps what was asked for lately.
pub struct Past {
    log: Arc<Log>,
    /// Where rows are decoded and folded: not where requests are answered.
    runtime: Handle,
    turns: Arc<Semaphore>,
    shelf: Mutex<Shelf>,
    timelines: Mutex<Timelines>,
    timelapses: Timelapses,
}

impl Past {
    /// The past of this log. Must be made where there is a runtime to read in.
    pub fn new(log: Arc<Log>) -> Self {
        Self {
            log,
            runtime: Handle::current(),
            turns: Arc::new(Semaphore::new(TURNS)),
            shelf: Mutex::default(),
            timelines: Mutex::default(),
            timelapses: Timelapses::default(),
        }
    }

    /// Waits for a turn.
    ///
    /// # Errors
    /// `Overloaded` when too many wait.
    pub async fn turn(&self) -> Result<Turn, Refusal> {
        let turn = timeout(PATIENCE, self.turns.clone().acquire_owned()).await;
        turn.ok().and_then(Result::ok).ok_or(Refusal::Overloaded)
    }

    /// The canvas as it was after an event that there is, or 0.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn canvas(self: &Arc<Self>, seq: i64) -> Result<Arc<Canvas>, Refusal> {
        if let Some(kept) = self.shelf.lock().get(seq) {
            return Ok(kept);
        }
        let past = self.clone();
        let reading = self.runtime.spawn(async move {
            let canvas = Arc::new(past.read(seq).await?);
            past.shelf.lock().keep(&canvas);
            Ok(canvas)
        });
        reading.await.unwrap_or(Err(Refusal::Overloaded))
    }

    async fn read(&self, seq: i64) -> Result<Canvas, Refusal> {
        let mut connection = self.log.pool.acquire().await?;
        let season = self.season(seq).await?;
        let before = self.shelf.lock().newest(season.seq, seq);
        let mut canvas = before.map_or_else(|| Canvas::blank(season), |before| Canvas::clone(&before));
        canvas.advance(&mut connection, seq).await?;
        Ok(canvas)
    }

    /// The season in whose stretch of the log an event lies; what was before any lies in the first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn season(&self, seq: i64) -> Result<Season, Refusal> {
        let played = self.log.snapshot(|world| (world.season.seq <= seq).then(|| world.season.clone()));
        match played {
            Some(season) => Ok(season),
            None => Ok(store::season(&self.log.pool, seq).await?),
        }
    }
}
