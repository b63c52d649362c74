//! The newest placement on a pixel in an archived season.

use std::sync::Arc;

use caraplace_log::season::ArchivedSeason;
use chrono::{DateTime, TimeDelta};
use platform::refusal::Refusal;
use rules::grid::Point;
use rules::numbers::Seq;

use super::{History, store};
use crate::heatmap::archived::ArchivedHeatmaps;

impl History {
    /// Returns the number of the newest placement on a pixel in an archived season; `None` if it was never
    /// painted there.
    ///
    /// The counts of the season have the second of that placement, so only the events of that second are
    /// searched.
    ///
    /// # Errors
    /// Returns `Overloaded` if a long season is still being counted for the first time.
    pub async fn archived_placement(
        &self,
        heatmaps: &Arc<ArchivedHeatmaps>,
        season: &ArchivedSeason,
        point: Point,
    ) -> Result<Option<Seq>, Refusal> {
        let painted_at = heatmaps.painted_at(&self.state, season, point).await?;
        let Some(second) = painted_at.and_then(|seconds| DateTime::from_timestamp(seconds, 0)) else {
            return Ok(None);
        };
        // Times are stored in microseconds, and both bounds are included.
        let before = |time: DateTime<_>| time - TimeDelta::microseconds(1);
        let bounds = [before(second), before(second + TimeDelta::seconds(1))];
        let first = [season.season.seq; 2];
        let last = [season.last; 2];
        let events = store::last_events_until(&self.state.pool, &bounds, &first, &last).await?;
        let [after, up_to] = events[..] else { return Ok(None) };
        Ok(store::newest_placement_on(&self.state.pool, point, after, up_to).await?)
    }
}
