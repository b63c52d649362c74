//! The season's course: how much was painted in each of so many equal steps of time.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use super::moment::times_between;
use super::store::{self, Mark};
use super::{Past, Turn};
use crate::cache::Cache;
use crate::log::world::Season;
use crate::refusal::Refusal;

/// How long one is shown again.
const LIFETIME: Duration = Duration::from_secs(2);
const MAX_BYTES: u32 = 4 << 20;

/// The season that is played, as a row of steps.
#[derive(Debug, Serialize, ToSchema)]
pub struct Timeline {
    /// `season_…`.
    pub season: String,
    pub title: String,
    pub width: u16,
    pub height: u16,
    pub opened_at: DateTime<Utc>,
    pub now: DateTime<Utc>,
    /// Number of the event that opened the season.
    pub first: i64,
    /// Number of the newest event.
    pub head: i64,
    /// Placements in each step; the steps are equally long and go from the opening to now.
    pub counts: Vec<i64>,
}

/// Returns an empty cache of timelines by season and number of steps.
pub(super) fn cache() -> Cache<(i64, usize), Arc<Timeline>> {
    Cache::new("timeline", MAX_BYTES, Some(LIFETIME), |timeline| size_of_val(timeline.counts.as_slice()))
}

impl Past {
    /// The course of the season until now; the same for two seconds.
    ///
    /// # Errors
    /// `Overloaded` when too many wait; or that the database cannot be read.
    pub async fn timeline(&self, steps: usize) -> Result<Arc<Timeline>, Refusal> {
        let season = self.state.snapshot(|world| world.season.seq);
        let read = async {
            let _turn: Turn = self.reading_turn().await?;
            self.read_timeline(steps).await.map(Arc::new)
        };
        self.timelines.get_or_compute((season, steps), |_| true, read).await
    }

    async fn read_timeline(&self, steps: usize) -> Result<Timeline, Refusal> {
        let (season, head) = self.state.snapshot(|world| (world.season.clone(), world.head));
        let now = self.state.clock.now().max(season.opened_at);
        let ends = self.ends(&season, head, &times_between(season.opened_at, now, steps)).await?;
        let sums = self.sums(&season, &ends).await?;
        let counts = sums.iter().zip(std::iter::once(&0).chain(&sums)).map(|(sum, before)| sum - before);
        Ok(Timeline {
            counts: counts.collect(),
            season: season.id,
            title: season.title,
            width: season.size.width,
            height: season.size.height,
            opened_at: season.opened_at,
            now,
            first: season.seq,
            head,
        })
    }

    /// Where each step ends, with the last mark before that. Marks tell roughly where to search.
    async fn ends(
        &self,
        season: &Season,
        head: i64,
        times: &[DateTime<Utc>],
    ) -> Result<Vec<(i64, Mark)>, Refusal> {
        let mut marks = vec![Mark { seq: season.seq, at: season.opened_at, placements: 0 }];
        marks.extend(store::marks(&self.state.pool, season.seq, head).await?);
        let next = |time: &DateTime<Utc>| marks.partition_point(|mark| mark.at <= *time);
        let low: Vec<i64> = times.iter().map(|time| marks[next(time).max(1) - 1].seq).collect();
        let high: Vec<i64> =
            times.iter().map(|time| marks.get(next(time)).map_or(head, |mark| mark.seq - 1)).collect();
        let mut ends = store::newest_until(&self.state.pool, times, &low, &high).await?;
        // Whatever has happened until the head has happened until now.
        ends.push(head);
        let before = |end: i64| (end, marks[marks.partition_point(|mark| mark.seq <= end).max(1) - 1]);
        Ok(ends.into_iter().map(before).collect())
    }

    /// How many placements there were in all at each end. What is no placement is counted from the end or the mark
    /// before, whichever is nearer.
    async fn sums(&self, season: &Season, ends: &[(i64, Mark)]) -> Result<Vec<i64>, Refusal> {
        let before = std::iter::once(season.seq).chain(ends.iter().map(|(end, _)| *end));
        let after: Vec<i64> = before.zip(ends).map(|(before, (_, mark))| before.max(mark.seq)).collect();
        let upto: Vec<i64> = ends.iter().map(|(end, _)| *end).collect();
        let others = store::others(&self.state.pool, &after, &upto).await?;
        let (mut sums, mut sum) = (Vec::with_capacity(ends.len()), 0);
        for ((after, others), (end, mark)) in after.iter().zip(others).zip(ends) {
            let base = if *after == mark.seq { mark.placements } else { sum };
            sum = base + end - after - others;
            sums.push(sum);
        }
        Ok(sums)
    }
}
