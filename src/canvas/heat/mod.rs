//! What each pixel can tell at a glance: who painted it, how long ago, and how contested it is.

mod store;
mod strokes;

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use chrono::{DateTime, DurationRound as _, TimeDelta, Utc};
use rules::grid::Size;
use rules::ids::AgentId;
use serde::Serialize;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::time::timeout;
use utoipa::ToSchema;

use super::picture::{Cutout, short};
use super::store::number_of;
use crate::cache::Cache;
use crate::clock;
use crate::coding::Coding;
use crate::concurrency::{join, run_blocking, wait_for_permit};
use crate::fresh::Fresh;
use crate::log::world::Season;
use crate::refusal::Refusal;
use crate::state::AppState;
use strokes::{Holder, Strokes};

/// How often one view is made at once, so that whoever paints and then looks sees it; and per second later on.
const AT_ONCE: NonZeroU32 = NonZeroU32::new(4).unwrap();
const PER_SECOND: NonZeroU32 = NonZeroU32::new(1).unwrap();
/// How many events are read at a time.
const PAGE: i64 = 100_000;
/// How long one who asks waits for counting: where more was not counted yet, the next one goes on from there.
const PATIENCE: Duration = Duration::from_secs(3);
/// How long one waits until no other view is made.
const QUEUE: Duration = Duration::from_secs(5);
/// How long one waits who can do without a count.
const SHORTLY: Duration = Duration::from_millis(500);
/// Ages are counted to a time that all in these seconds share: nobody painting, they are counted as seldom.
const STEP: TimeDelta = TimeDelta::seconds(5);
/// How many bytes the compressed bodies may take.
const MAX_BYTES: u32 = 64 << 20;
/// After so many events it is worth keeping what was counted for the next start.
const WORTH: i64 = 1_000_000;
/// The attempt that the log names when it fails.
const COUNTING: &str = "counting placements";

/// The figure of each pixel in a heatmap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum By {
    Painter,
    Age,
    Contested,
}

/// One number for each pixel of the canvas.
#[derive(Debug, Serialize, ToSchema)]
pub struct Heat {
    pub width: u16,
    pub height: u16,
    /// Number of the last event that changed a pixel.
    pub version: i64,
    /// `season_…`.
    pub season: String,
    pub by: By,
    /// By painter: who holds pixels now, first who holds most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agents: Option<Vec<Holder>>,
    /// By age: the time that ages are counted to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub now: Option<DateTime<Utc>>,
    /// Row by row from the top left. By painter: the place in `agents`, from 1; 0 for nobody. By age: seconds since the
    /// newest placement; -1 where nobody painted. Contested: how many placements there were.
    pub values: Vec<i32>,
}

/// A view that is ready to be sent.
pub struct Body {
    /// Its entity tag.
    pub tag: String,
    pub version: i64,
    pub bytes: Bytes,
    /// What the tags of all its codings begin with.
    stem: String,
}

impl Body {
    fn new(stem: String, version: i64, coding: Coding, bytes: Vec<u8>) -> Self {
        Self { tag: tag(&stem, coding), version, bytes: bytes.into(), stem }
    }
}

/// The newest bodies of all views, and what they are counted from.
pub struct Heats {
    /// Where is counted and drawn: not where requests are answered.
    runtime: Handle,
    counted: Arc<tokio::sync::Mutex<Counted>>,
    /// The right to make one more body: the views of a large canvas are large.
    turn: Semaphore,
    views: [Fresh<(), Body>; 3],
    packed: Cache<(By, Coding), Arc<Body>>,
}

/// What was counted, and the newest event of what was kept of it.
#[derive(Default)]
struct Counted {
    strokes: Option<Strokes>,
    kept: i64,
}

impl Heats {
    /// Nothing counted yet; it will be in this runtime.
    pub fn new(runtime: Handle) -> Self {
        Self {
            runtime,
            counted: Arc::default(),
            turn: Semaphore::new(1),
            views: std::array::from_fn(|_| Fresh::paced("heat", AT_ONCE, PER_SECOND)),
            packed: Cache::new("heat", MAX_BYTES, None, |body| body.bytes.len()),
        }
    }

    /// A view of now; while many ask, of at most a second ago.
    ///
    /// # Errors
    /// When the database cannot be read; `Overloaded` while a long season is counted for the first time, or too many
    /// wait.
    pub async fn get(
        self: &Arc<Self>,
        state: &Arc<AppState>,
        by: By,
        coding: Coding,
    ) -> Result<Arc<Body>, Refusal> {
        let plain = self.plain(state, by).await?;
        if coding == Coding::Identity {
            return Ok(plain);
        }
        let (key, stem) = ((by, coding), plain.stem.clone());
        let is_current = move |body: &Arc<Body>| body.stem == stem;
        if let Some(body) = self.packed.get_if(&key, &is_current) {
            return Ok(body);
        }
        let heats = self.clone();
        let packing = self.runtime.spawn(async move {
            heats.packed.get_or_compute(key, is_current, heats.pack(plain, coding)).await
        });
        join("compressing a heatmap", packing).await?
    }

    /// What a view would be tagged with if it were made now.
    pub fn tag(state: &AppState, by: By, coding: Coding) -> String {
        tag(&stem_now(state, by), coding)
    }

    /// How many pixels show an agent's paint; nothing where that is not counted yet.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn showing(
        self: &Arc<Self>,
        state: &Arc<AppState>,
        agent: &AgentId,
    ) -> Result<Option<u32>, Refusal> {
        let Some(number) = number_of(&state.pool, agent.as_str()).await? else { return Ok(None) };
        let Ok(mut counted) = timeout(SHORTLY, self.counted.clone().lock_owned()).await else {
            return Ok(None);
        };
        let state = state.clone();
        let counting = self.runtime.spawn(async move {
            match count(&state, &mut counted, Duration::ZERO).await {
                Err(Refusal::Overloaded) => Ok(None),
                counting => counting.map(|(strokes, _)| Some(strokes.held(number))),
            }
        });
        join(COUNTING, counting).await?
    }

    /// Counts on, and keeps what was counted for the next start, if it is worth it: then nobody waits for long.
    ///
    /// # Errors
    /// When the database cannot be used.
    pub async fn keep(&self, state: &AppState) -> Result<(), Refusal> {
        loop {
            // Let go between two stretches, so that who asks meanwhile has a turn.
            let mut counted = self.counted.lock().await;
            let (season, head) = state.snapshot(|world| (world.season.seq, world.head));
            if head - counted.kept.max(season) < WORTH {
                return Ok(());
            }
            let counted = &mut *counted;
            match count(state, counted, PATIENCE).await {
                Err(Refusal::Overloaded) => {}
                counting => {
                    let (strokes, _) = counting?;
                    store::keep_strokes(&state.pool, strokes).await?;
                    counted.kept = strokes.up_to;
                }
            }
        }
    }

    /// The pixels, row by row, and those of them that show an agent's paint; the agent by its number.
    ///
    /// # Errors
    /// When the database cannot be read; `Overloaded` while a long season is counted.
    pub(super) async fn held_by(
        self: &Arc<Self>,
        state: &Arc<AppState>,
        agent: i64,
    ) -> Result<(Cutout, Vec<usize>), Refusal> {
        let (heats, state) = (self.clone(), state.clone());
        let looking = self.runtime.spawn(async move {
            let mut counted = heats.counted.lock().await;
            loop {
                let (strokes, season) = count(&state, &mut counted, PATIENCE).await?;
                let cutout = state.snapshot(|world| {
                    (world.season.seq == season.seq).then(|| Cutout::of(world, season.size.full_rect()))
                });
                // Another season may have begun since the count.
                let Some(cutout) = cutout else { continue };
                let painters = strokes.painters.iter().enumerate();
                let held = painters.filter(|(_, painter)| i64::from(**painter) == agent);
                return Ok((cutout, held.map(|(place, _)| place).collect()));
            }
        });
        join(COUNTING, looking).await?
    }

    async fn plain(self: &Arc<Self>, state: &Arc<AppState>, by: By) -> Result<Arc<Body>, Refusal> {
        let view = &self.views[by as usize];
        let stem = stem_now(state, by);
        if let Some(body) = view.newest_if(|body| body.stem == stem) {
            return Ok(body);
        }
        let (heats, state) = (self.clone(), state.clone());
        let make = async |(): &mut ()| {
            let making = self.runtime.spawn(async move { heats.make(&state, by).await });
            join("making a heatmap", making).await?
        };
        view.get(make).await
    }

    async fn make(&self, state: &AppState, by: By) -> Result<Body, Refusal> {
        let _turn = wait_for_permit(QUEUE, self.turn.acquire()).await?;
        let mut counted = self.counted.clone().lock_owned().await;
        let (_, season) = count(state, &mut counted, PATIENCE).await?;
        let now = shared(state.clock.now());
        let looking = run_blocking(COUNTING, move || {
            let strokes = counted.strokes.as_ref().ok_or("nothing was counted")?;
            Ok::<_, &str>(Heat::of(strokes, &season, by, now))
        });
        let (mut heat, painters) = looking.await?;
        if by == By::Painter {
            heat.agents = Some(store::holders(&state.pool, &painters).await?);
        }
        run_blocking("writing a heatmap", move || {
            let bytes = serde_json::to_vec(&heat)?;
            let stem = stem(&heat.season, heat.version, by, now);
            serde_json::Result::Ok(Body::new(stem, heat.version, Coding::Identity, bytes))
        })
        .await
    }

    async fn pack(&self, plain: Arc<Body>, coding: Coding) -> Result<Arc<Body>, Refusal> {
        let _turn = wait_for_permit(QUEUE, self.turn.acquire()).await?;
        run_blocking("compressing a heatmap", move || {
            let bytes = coding.encode(plain.bytes.to_vec())?;
            std::io::Result::Ok(Arc::new(Body::new(plain.stem.clone(), plain.version, coding, bytes)))
        })
        .await
    }
}

/// Brings what was counted up to the newest event of the season that is played. What was read stays if the rest cannot
/// be, or takes too long.
async fn count<'a>(
    state: &AppState,
    counted: &'a mut Counted,
    patience: Duration,
) -> Result<(&'a mut Strokes, Season), Refusal> {
    let (season, head) = state.snapshot(|world| (world.season.clone(), world.head));
    let known = counted.strokes.take_if(|strokes| strokes.season == season.seq);
    let strokes = match known {
        Some(strokes) => strokes,
        None => begin(state, &season, head, &mut counted.kept).await?,
    };
    let strokes = counted.strokes.insert(strokes);
    let begun = clock::moment();
    while strokes.up_to < head {
        let next = head.min(strokes.up_to + PAGE);
        let _turn = state.scan().await;
        let page = store::strokes(&state.pool, strokes.up_to, next).await?;
        strokes.count(&page, next);
        if next < head && begun.elapsed() > patience {
            return Err(Refusal::Overloaded);
        }
    }
    Ok((strokes, season))
}

async fn begin(state: &AppState, season: &Season, head: i64, newest: &mut i64) -> Result<Strokes, Refusal> {
    let mut strokes = Strokes::new(season);
    let kept = store::kept_strokes(&state.pool, season.seq).await?;
    if let Some(kept) = kept.filter(|kept| kept.up_to <= head) {
        *newest = kept.up_to;
        strokes.resume(kept);
    }
    Ok(strokes)
}

impl Heat {
    /// Returns a view without its agents, and these by their numbers, with how many pixels each holds.
    fn of(strokes: &Strokes, season: &Season, by: By, now: DateTime<Utc>) -> (Self, Vec<(u32, u32)>) {
        let Size { width, height } = season.size;
        let painters = if by == By::Painter { strokes.holders() } else { Vec::new() };
        let values = match by {
            By::Painter => places(strokes, &painters),
            By::Age => ages(strokes, now),
            By::Contested => strokes.strokes.iter().map(|count| count.cast_signed()).collect(),
        };
        let heat = Self {
            width,
            height,
            version: strokes.version,
            season: season.id.clone(),
            by,
            agents: None,
            now: (by == By::Age).then_some(now),
            values,
        };
        (heat, painters)
    }
}

fn places(strokes: &Strokes, painters: &[(u32, u32)]) -> Vec<i32> {
    let highest = painters.iter().map(|(painter, _)| *painter as usize).max().unwrap_or_default();
    let mut places = vec![0; highest + 1];
    for (place, (painter, _)) in (1..).zip(painters) {
        places[*painter as usize] = place;
    }
    strokes.painters.iter().map(|painter| places[*painter as usize]).collect()
}

fn ages(strokes: &Strokes, now: DateTime<Utc>) -> Vec<i32> {
    let age = |(count, painted_at): (&u32, &u32)| match count {
        0 => -1,
        _ => (now.timestamp() - i64::from(*painted_at)).max(0) as i32,
    };
    strokes.strokes.iter().zip(&strokes.painted_at).map(age).collect()
}

/// What a view's tags begin with if it is made now.
fn stem_now(state: &AppState, by: By) -> String {
    let (season, version) = state.snapshot(|world| (world.season.id.clone(), world.version));
    stem(&season, version, by, shared(state.clock.now()))
}

fn stem(season: &str, version: i64, by: By, now: DateTime<Utc>) -> String {
    let by = match by {
        By::Painter => "painter".to_owned(),
        By::Age => format!("age{}", now.timestamp()),
        By::Contested => "contested".to_owned(),
    };
    format!("{}-{version}-{by}", short(season))
}

fn tag(stem: &str, coding: Coding) -> String {
    format!("\"{stem}-{}\"", coding.name())
}

fn shared(now: DateTime<Utc>) -> DateTime<Utc> {
    now.duration_trunc(STEP).unwrap_or(now)
}
