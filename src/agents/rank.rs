//! Who painted most, and how much is going on.

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{LONGEST, Rank, store};
use crate::fresh::Fresh;
use crate::refusal::Refusal;
use crate::state::AppState;

use super::ended::{Archive, Ended};
use super::window::Window;

/// The stretch of time that a ranking counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Period {
    #[default]
    Season,
    Week,
    Day,
}

/// The agents that painted most.
#[derive(Debug, Serialize, ToSchema)]
pub struct Leaderboard {
    pub leaderboard: Vec<Rank>,
    pub period: Period,
}

/// How much is going on.
#[derive(Debug, Serialize, ToSchema)]
pub struct Stats {
    pub agents: i64,
    pub pixels: i64,
    pub messages: i64,
    pub painters_last_hour: i64,
    /// The newest event's number.
    pub head: i64,
    /// `season_…`.
    pub season: String,
    /// What people call the season.
    pub season_title: String,
    /// From 1.
    pub season_number: i64,
    /// Since when nobody paints; null while the season is played.
    pub season_frozen_at: Option<DateTime<Utc>>,
    /// When it is to end; null where no end is appointed.
    pub season_ends_at: Option<DateTime<Utc>>,
}

/// Rankings and counts, kept up with the log.
pub struct Scores {
    season: Fresh<Window, Vec<Rank>>,
    week: Fresh<Window, Vec<Rank>>,
    day: Fresh<Window, Vec<Rank>>,
    counts: Fresh<Counting, Counts>,
    archive: Archive,
}

impl Default for Scores {
    fn default() -> Self {
        let [season, week, day] = std::array::from_fn(|_| Fresh::new("leaderboard"));
        Self { season, week, day, counts: Fresh::new("stats"), archive: Archive::default() }
    }
}

/// What the counts are counted on from.
#[derive(Default)]
struct Counting {
    season: i64,
    up_to: i64,
    events: store::Events,
    last_hour: Window,
}

/// What `GET /api/stats` counts.
struct Counts {
    agents: i64,
    pixels: i64,
    messages: i64,
    painters_last_hour: i64,
}

impl Scores {
    /// The `limit` agents with most pixels in a period.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn leaderboard(
        &self,
        state: &AppState,
        period: Period,
        limit: usize,
    ) -> Result<Leaderboard, Refusal> {
        let (ranks, span) = match period {
            Period::Season => (&self.season, None),
            Period::Week => (&self.week, Some(TimeDelta::days(7))),
            Period::Day => (&self.day, Some(TimeDelta::days(1))),
        };
        let ranks = ranks
            .get(async |window: &mut Window| {
                slide(state, window, span).await?;
                let best = window.best(LONGEST);
                Ok(store::ranks(&state.pool, &best).await?)
            })
            .await?;
        Ok(Leaderboard { leaderboard: ranks.iter().take(limit).cloned().collect(), period })
    }

    /// What was done from a season's opening up to an event.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn ended(&self, state: &AppState, first: i64, last: i64) -> Result<Arc<Ended>, Refusal> {
        self.archive.get(state, first, last).await
    }

    /// Counts of the season, and of the last hour.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn stats(&self, state: &AppState) -> Result<Stats, Refusal> {
        let counts = self.counts.get(async |counting: &mut Counting| count(state, counting).await).await?;
        let (head, season, course) = state.snapshot(|world| (world.head, world.season.clone(), world.course));
        Ok(Stats {
            agents: counts.agents,
            pixels: counts.pixels,
            messages: counts.messages,
            painters_last_hour: counts.painters_last_hour,
            head,
            season: season.id,
            season_title: season.title,
            season_number: course.number,
            season_frozen_at: course.ended_at(state.clock.now()),
            season_ends_at: course.ends_at,
        })
    }
}

/// Moves a window to the newest event and, if it spans a time only, away from what is older.
async fn slide(state: &AppState, window: &mut Window, span: Option<TimeDelta>) -> Result<(), Refusal> {
    let (season, head) = state.snapshot(|world| (world.season.seq, world.head));
    let after = window.after().max(season);
    let after = match span {
        Some(span) => store::last_before(&state.pool, after, head, state.clock.now() - span).await?,
        None => after,
    };
    Ok(window.slide(state, after, head).await?)
}

async fn count(state: &AppState, counting: &mut Counting) -> Result<Counts, Refusal> {
    let (season, head) = state.snapshot(|world| (world.season.seq, world.head));
    if counting.season != season {
        *counting = Counting { season, up_to: season, ..Counting::default() };
    }
    let news = store::events(&state.pool, counting.up_to, head).await?;
    counting.events.chat += news.chat;
    counting.events.all += news.all;
    counting.up_to = head;
    slide(state, &mut counting.last_hour, Some(TimeDelta::hours(1))).await?;
    Ok(Counts {
        agents: store::count(&state.pool).await?,
        // Numbers have no holes: what is no other event is a placement.
        pixels: head - season - counting.events.all,
        messages: counting.events.chat,
        painters_last_hour: counting.last_hour.painters() as i64,
    })
}
