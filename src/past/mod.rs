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

use crate::log::world::Season;
use crate::refusal::Refusal;
use crate::state::AppState;
use canvas::Canvas;
use shelf::Shelf;
use timelapse::Timelapses;
use timeline::Timelines;

/// How many may read the past at a time: it must not take all connections, or all processors, from the present. As
/// many draw what was read before, so that this never waits for long reading.
const TURNS: usize = 2;
/// How long one waits for a turn.
const PATIENCE: Duration = Duration::from_secs(5);

/// The right to read or draw the past, for as long as it is held: work that goes on without the one who asked holds it.
pub type Turn = OwnedSemaphorePermit;

/// Reads the past, and keeps what was asked for lately.
pub struct Past {
    state: Arc<AppState>,
    /// Where rows are decoded and folded: not where requests are answered.
    runtime: Handle,
    reading: Arc<Semaphore>,
    drawing: Arc<Semaphore>,
    shelf: Mutex<Shelf>,
    timelines: Mutex<Timelines>,
    timelapses: Timelapses,
}

impl Past {
    /// The past of this log. Must be made where there is a runtime to read in.
    pub fn new(state: Arc<AppState>) -> Self {
        Self {
            state,
            runtime: Handle::current(),
            reading: Arc::new(Semaphore::new(TURNS)),
            drawing: Arc::new(Semaphore::new(TURNS)),
            shelf: Mutex::default(),
            timelines: Mutex::default(),
            timelapses: Timelapses::default(),
        }
    }

    /// Waits for a turn to read.
    ///
    /// # Errors
    /// `Overloaded` when too many wait.
    pub async fn reading_turn(&self) -> Result<Turn, Refusal> {
        turn(&self.reading).await
    }

    /// Waits for a turn to draw what was read before.
    ///
    /// # Errors
    /// `Overloaded` when too many wait.
    pub async fn drawing_turn(&self) -> Result<Turn, Refusal> {
        turn(&self.drawing).await
    }

    /// The canvas as it was after an event, if someone asked for it lately.
    pub fn kept(&self, seq: i64) -> Option<Arc<Canvas>> {
        self.shelf.lock().get(seq)
    }

    /// The canvas as it was after an event of a season, or before any, and the turn in which it was read.
    ///
    /// # Errors
    /// `Overloaded` when too many wait; or that the database cannot be read.
    pub async fn canvas(self: &Arc<Self>, season: Season, seq: i64) -> Result<(Arc<Canvas>, Turn), Refusal> {
        let turn = self.reading_turn().await?;
        let past = self.clone();
        let reading = self.runtime.spawn(async move {
            // Who waited takes what was read meanwhile.
            let canvas = match past.kept(seq) {
                Some(kept) => kept,
                None => Arc::new(past.read(season, seq).await?),
            };
            past.shelf.lock().keep(&canvas);
            Ok((canvas, turn))
        });
        reading.await.unwrap_or(Err(Refusal::Overloaded))
    }

    async fn read(&self, season: Season, seq: i64) -> Result<Canvas, Refusal> {
        let mut connection = self.state.pool.acquire().await?;
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
        let played = self.state.snapshot(|world| (world.season.seq <= seq).then(|| world.season.clone()));
        match played {
            Some(season) => Ok(season),
            None => Ok(store::season(&self.state.pool, seq).await?),
        }
    }
}

async fn turn(turns: &Arc<Semaphore>) -> Result<Turn, Refusal> {
    let turn = timeout(PATIENCE, turns.clone().acquire_owned()).await;
    turn.ok().and_then(Result::ok).ok_or(Refusal::Overloaded)
}
