//! What each pixel can tell at a glance: who painted it, how long ago, and how contested it is.

mod strokes;

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use chrono::{DateTime, SubsecRound, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use super::picture::{Cutout, short};
use super::store;
use crate::clock;
use crate::coding::Coding;
use crate::fresh::Fresh;
use crate::log::Log;
use crate::refusal::Refusal;
use crate::rules::grid::Size;
use crate::world::Season;
pub(super) use strokes::{Kept, Strokes};

/// How often one view is made at once, so that whoever paints and then looks sees it; and per second later on.
const AT_ONCE: NonZeroU32 = NonZeroU32::new(4).unwrap();
const PER_SECOND: NonZeroU32 = NonZeroU32::new(1).unwrap();
/// How many events are read at a time.
const PAGE: i64 = 100_000;
/// How long one who asks waits for counting: where more was not counted yet, the next one goes on from there.
const PATIENCE: Duration = Duration::from_secs(3);
/// After so many events it is worth keeping what was counted for the next start.
const WORTH: i64 = 1_000_000;

/// What is told of each pixel.
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
    pub values: Vec<i64>,
}

/// An agent whose paint shows.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Holder {
    /// `agent_…`.
    pub id: String,
    pub name: String,
    /// How many pixels show it.
    pub pixels: u32,
}

/// A view that is ready to be sent.
pub struct Body {
    /// Its entity tag.
    pub tag: String,
    pub version: i64,
    pub bytes: Bytes,
}

/// One view in one coding.
type View = Fresh<(), Body>;

/// The newest bodies of all views, and what they are counted from.
pub struct Heats {
    counted: tokio::sync::Mutex<Counted>,
    views: [[View; 3]; 3],
}

/// What was counted, and the newest event of what was kept of it.
#[derive(Default)]
struct Counted {
    strokes: Option<Strokes>,
    kept: i64,
}

impl Default for Heats {
    fn default() -> Self {
        let view = || Fresh::paced(AT_ONCE, PER_SECOND);
        let codings = || [view(), view(), view()];
        Self { counted: tokio::sync::Mutex::default(), views: [codings(), codings(), codings()] }
    }
}

impl Heats {
    /// A view of now; while many ask, of at most a second ago.
    ///
    /// # Errors
    /// When the database cannot be read; `Overloaded` while a long season is counted for the first time.
    pub async fn get(&self, log: &Log, by: By, coding: Coding) -> Result<Arc<Body>, Refusal> {
        let view = &self.views[by as usize][coding as usize];
        let tag = Self::tag(log, by, coding);
        if let Some(body) = view.newest().filter(|body| body.tag == tag) {
            return Ok(body);
        }
        view.get(async |()| self.make(log, by, coding).await).await
    }

    /// What a view would be tagged with if it were made now.
    pub fn tag(log: &Log, by: By, coding: Coding) -> String {
        let (season, version) = log.snapshot(|world| (world.season.id.clone(), world.version));
        tag(&season, version, by, log.clock.now(), coding)
    }

    /// Counts on, and keeps what was counted for the next start, if it is worth it: then nobody waits for long.
    ///
    /// # Errors
    /// When the database cannot be used.
    pub async fn keep(&self, log: &Log) -> Result<(), Refusal> {
        loop {
            // Let go between two stretches, so that who asks meanwhile has a turn.
            let mut counted = self.counted.lock().await;
            let (season, head) = log.snapshot(|world| (world.season.seq, world.head));
            if head - counted.kept.max(season) < WORTH {
                return Ok(());
            }
            let counted = &mut *counted;
            match count(log, counted).await {
                Err(Refusal::Overloaded) => {}
                counting => {
                    let strokes = counting?;
                    store::keep_strokes(&log.pool, strokes).await?;
                    counted.kept = strokes.up_to;
                }
            }
        }
    }

    /// The pixels, row by row, and those of them that show an agent's paint; the agent by its number.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub(super) async fn held_by(&self, log: &Log, agent: i64) -> Result<(Cutout, Vec<usize>), Refusal> {
        let mut counted = self.counted.lock().await;
        let strokes = count(log, &mut counted).await?;
        let cutout = log.snapshot(|world| Cutout::of(world, world.season.size.whole()));
        let painters = strokes.painters.iter().enumerate();
        Ok((
            cutout,
            painters.filter(|(_, painter)| i64::from(**painter) == agent).map(|(place, _)| place).collect(),
        ))
    }

    async fn make(&self, log: &Log, by: By, coding: Coding) -> Result<Body, Refusal> {
        let mut counted = self.counted.lock().await;
        let strokes = count(log, &mut counted).await?;
        let season = log.snapshot(|world| world.season.clone());
        let now = log.clock.now();
        let heat = Sketch::of(strokes, &season, by, now);
        drop(counted);
        let heat = heat.named(log).await?;
        let rendering = tokio::task::spawn_blocking(move || {
            let tag = tag(&heat.season, heat.version, by, now, coding);
            let bytes = coding.encode(serde_json::to_vec(&heat)?)?.into();
            Ok::<_, std::io::Error>(Body { tag, version: heat.version, bytes })
        });
        rendering.await.ok().and_then(Result::ok).ok_or(Refusal::Overloaded)
    }
}

/// Brings what was counted up to the newest event. What was read stays if the rest cannot be, or takes too long.
async fn count<'a>(log: &Log, counted: &'a mut Counted) -> Result<&'a mut Strokes, Refusal> {
    let (season, head) = log.snapshot(|world| (world.season.clone(), world.head));
    let known = counted.strokes.take_if(|strokes| strokes.season == season.seq);
    let strokes = match known {
        Some(strokes) => strokes,
        None => begin(log, &season, head, &mut counted.kept).await?,
    };
    let strokes = counted.strokes.insert(strokes);
    let begun = clock::moment();
    while strokes.up_to < head {
        if begun.elapsed() > PATIENCE {
            return Err(Refusal::Overloaded);
        }
        let next = head.min(strokes.up_to + PAGE);
        let _turn = log.scan().await;
        let page = store::strokes(&log.pool, strokes.up_to, next).await?;
        strokes.count(&page, next);
    }
    Ok(strokes)
}

async fn begin(log: &Log, season: &Season, head: i64, newest: &mut i64) -> Result<Strokes, Refusal> {
    let mut strokes = Strokes::new(season);
    let kept = store::kept_strokes(&log.pool, season.seq).await?;
    if let Some(kept) = kept.filter(|kept| kept.up_to <= head) {
        *newest = kept.up_to;
        strokes.resume(kept);
    }
    Ok(strokes)
}

/// A view whose painters are numbers still.
struct Sketch {
    heat: Heat,
    painters: Vec<(u32, u32)>,
}

impl Sketch {
    fn of(strokes: &Strokes, season: &Season, by: By, now: DateTime<Utc>) -> Self {
        let Size { width, height } = season.size;
        let painters = if by == By::Painter { strokes.holders() } else { Vec::new() };
        let values = match by {
            By::Painter => places(strokes, &painters),
            By::Age => ages(strokes, now),
            By::Contested => strokes.strokes.iter().map(|count| i64::from(*count)).collect(),
        };
        let heat = Heat {
            width,
            height,
            version: strokes.version,
            season: season.id.clone(),
            by,
            agents: None,
            now: (by == By::Age).then(|| now.trunc_subsecs(0)),
            values,
        };
        Self { heat, painters }
    }

    async fn named(mut self, log: &Log) -> Result<Heat, Refusal> {
        if self.heat.by == By::Painter {
            self.heat.agents = Some(store::holders(&log.pool, &self.painters).await?);
        }
        Ok(self.heat)
    }
}

fn places(strokes: &Strokes, painters: &[(u32, u32)]) -> Vec<i64> {
    let highest = painters.iter().map(|(painter, _)| *painter as usize).max().unwrap_or_default();
    let mut places = vec![0; highest + 1];
    for (place, (painter, _)) in (1..).zip(painters) {
        places[*painter as usize] = place;
    }
    strokes.painters.iter().map(|painter| places[*painter as usize]).collect()
}

fn ages(strokes: &Strokes, now: DateTime<Utc>) -> Vec<i64> {
    let age = |(count, painted_at): (&u32, &u32)| match count {
        0 => -1,
        _ => (now.timestamp() - i64::from(*painted_at)).max(0),
    };
    strokes.strokes.iter().zip(&strokes.painted_at).map(age).collect()
}

fn tag(season: &str, version: i64, by: By, now: DateTime<Utc>, coding: Coding) -> String {
    let by = match by {
        By::Painter => "painter".to_owned(),
        By::Age => format!("age{}", now.timestamp()),
        By::Contested => "contested".to_owned(),
    };
    format!("\"{}-{version}-{by}-{}\"", short(season), coding.name())
}
