//! The timeline of a season: the number of placements in each of several equal steps of time.

use std::sync::Arc;
use std::time::Duration;

use caraplace_log::season::{ArchivedSeason, Season};
use chrono::{DateTime, Utc};
use platform::cache::Cache;
use platform::refusal::Refusal;
use platform::work_shares::WorkCaller;
use rules::numbers::Seq;
use serde::Serialize;
use utoipa::ToSchema;

use super::History;
use super::compute_permit::ComputePermit;
use super::point_in_time::times_between;
use super::store::{self, SnapshotMetadata};
use crate::heatmap::HeatmapCache;
use crate::heatmap::archived::ArchivedHeatmaps;

/// The time for which a timeline is cached.
const TIMELINE_TTL: Duration = Duration::from_secs(2);
const MAX_CACHE_BYTES: u32 = 4 << 20;

/// A season, divided into steps of equal length.
#[derive(Debug, Serialize, ToSchema)]
pub struct Timeline {
    /// `season_…`.
    pub season: String,
    pub title: String,
    pub width: u16,
    pub height: u16,
    pub opened_at: DateTime<Utc>,
    /// The end of the last step: now, or the end of a season that has ended.
    pub now: DateTime<Utc>,
    /// True for an archived season, whose timeline never changes again.
    pub has_ended: bool,
    /// Sequence number of the event that opened the season.
    #[schema(value_type = i64)]
    pub first: Seq,
    /// Sequence number of the season's newest event.
    #[schema(value_type = i64)]
    pub head: Seq,
    /// Number of placements in each step. The steps have equal length and reach from the opening to `now`.
    pub counts: Vec<i64>,
    /// Number of placements in each step by which agents painted over pixels of other agents. Left out while
    /// a long season is counted for the first time.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    pub overpainted: Option<Vec<i64>>,
}

/// The part of the log that a timeline shows.
struct Span {
    season: Season,
    /// The newest event of the season.
    head: Seq,
    /// The end of the last step.
    now: DateTime<Utc>,
    has_ended: bool,
}

/// The last event of a step, with the newest snapshot before it.
type StepEnd = (Seq, SnapshotMetadata);

/// Returns the last event of each step.
fn events_of(ends: &[StepEnd]) -> Vec<Seq> {
    ends.iter().map(|(end, _)| *end).collect()
}

/// Returns an empty cache of timelines by season and number of steps.
pub(super) fn new_cache() -> Cache<(Seq, usize), Arc<Timeline>> {
    Cache::new("timeline", MAX_CACHE_BYTES, Some(TIMELINE_TTL), |timeline| {
        let overpainted = timeline.overpainted.as_deref().unwrap_or_default();
        size_of_val(timeline.counts.as_slice()) + size_of_val(overpainted)
    })
}

impl History {
    /// Returns the timeline of the current season, at most two seconds old.
    ///
    /// # Errors
    /// Returns `Work` or `Overloaded` if too many requests wait.
    pub async fn timeline(
        &self,
        caller: &WorkCaller,
        heatmaps: &HeatmapCache,
        steps: usize,
    ) -> Result<Arc<Timeline>, Refusal> {
        let key = (self.state.read_world(|world| world.season.seq), steps);
        if let Some(timeline) = self.timelines.get(&key) {
            return Ok(timeline);
        }
        let permit = ComputePermit::acquire(&self.reads, caller).await?;
        let compute = async {
            let read_permit = permit.take().await?;
            let (season, head) = self.state.read_world(|world| (world.season.clone(), world.head));
            let now = self.state.clock.now().max(season.opened_at);
            let span = Span { season, head, now, has_ended: false };
            let (timeline, ends) = self.read_timeline(span, steps).await?;
            // The count has limits of its own.
            drop(read_permit);
            let overpainted = heatmaps.count_overpaints(&self.state, timeline.first, &ends).await?;
            Ok::<_, Refusal>(Arc::new(Timeline { overpainted, ..timeline }))
        };
        permit.wait_for(Box::pin(self.timelines.get_or_compute(key, |_| true, compute))).await
    }

    /// Returns the timeline of an archived season.
    ///
    /// # Errors
    /// Returns `Work` or `Overloaded` if too many requests wait.
    pub async fn archived_timeline(
        &self,
        caller: &WorkCaller,
        heatmaps: &Arc<ArchivedHeatmaps>,
        archived: ArchivedSeason,
        steps: usize,
    ) -> Result<Arc<Timeline>, Refusal> {
        let season = archived.season.clone();
        let key = (season.seq, steps);
        let has_ended = |timeline: &Arc<Timeline>| timeline.has_ended;
        if let Some(timeline) = self.timelines.get_if(&key, has_ended) {
            return Ok(timeline);
        }
        let permit = ComputePermit::acquire(&self.reads, caller).await?;
        let compute = async {
            let read_permit = permit.take().await?;
            let span = Span { season, head: archived.last, now: archived.ended_at, has_ended: true };
            let (timeline, ends) = self.read_timeline(span, steps).await?;
            drop(read_permit);
            let overpainted = heatmaps.count_overpaints(&self.state, &archived, &ends).await?;
            Ok::<_, Refusal>(Arc::new(Timeline { overpainted, ..timeline }))
        };
        permit.wait_for(Box::pin(self.timelines.get_or_compute(key, has_ended, compute))).await
    }

    /// Returns the timeline without what was painted over, and the last event of each step.
    async fn read_timeline(&self, span: Span, steps: usize) -> Result<(Timeline, Vec<Seq>), Refusal> {
        let Span { season, head, now, has_ended } = span;
        let ends = self.step_ends(&season, head, &times_between(season.opened_at, now, steps)).await?;
        let cumulative_counts = self.cumulative_counts(&season, &ends).await?;
        let counts = cumulative_counts
            .iter()
            .zip(std::iter::once(&0).chain(&cumulative_counts))
            .map(|(count, previous)| count - previous);
        let timeline = Timeline {
            counts: counts.collect(),
            overpainted: None,
            season: season.id,
            title: season.title,
            width: season.size.width,
            height: season.size.height,
            opened_at: season.opened_at,
            now,
            has_ended,
            first: season.seq,
            head,
        };
        Ok((timeline, events_of(&ends)))
    }

    /// Returns the last event of each step, with the newest snapshot before it. Snapshots narrow the search.
    async fn step_ends(
        &self,
        season: &Season,
        head: Seq,
        times: &[DateTime<Utc>],
    ) -> Result<Vec<StepEnd>, Refusal> {
        let mut snapshots = vec![SnapshotMetadata { seq: season.seq, at: season.opened_at, placements: 0 }];
        snapshots.extend(store::list_snapshot_metadata(&self.state.pool, season.seq, head).await?);
        let next_index = |time: &DateTime<Utc>| snapshots.partition_point(|snapshot| snapshot.at <= *time);
        let low: Vec<Seq> = times.iter().map(|time| snapshots[next_index(time).max(1) - 1].seq).collect();
        let high: Vec<Seq> = times
            .iter()
            .map(|time| snapshots.get(next_index(time)).map_or(head, |snapshot| snapshot.seq.previous()))
            .collect();
        let mut ends = store::last_events_until(&self.state.pool, times, &low, &high).await?;
        // The last step ends now, with the newest event.
        ends.push(head);
        let snapshot_before =
            |end: Seq| (end, snapshots[snapshots.partition_point(|snapshot| snapshot.seq <= end).max(1) - 1]);
        Ok(ends.into_iter().map(snapshot_before).collect())
    }

    /// Returns the total number of placements at each end. Events that are not placements are counted from
    /// the previous end or from the snapshot before, whichever is nearer.
    async fn cumulative_counts(&self, season: &Season, ends: &[StepEnd]) -> Result<Vec<i64>, Refusal> {
        let starts = std::iter::once(season.seq).chain(ends.iter().map(|(end, _)| *end));
        let counted_from: Vec<Seq> =
            starts.zip(ends).map(|(start, (_, snapshot))| start.max(snapshot.seq)).collect();
        let up_to = events_of(ends);
        let other_counts = store::count_other_events(&self.state.pool, &counted_from, &up_to).await?;
        let mut counts = Vec::with_capacity(ends.len());
        let mut count = 0;
        for ((counted_from, other_count), (end, snapshot)) in counted_from.iter().zip(other_counts).zip(ends)
        {
            let base = if *counted_from == snapshot.seq { snapshot.placements } else { count };
            count = base + end.events_since(*counted_from) - other_count;
            counts.push(count);
        }
        Ok(counts)
    }
}
