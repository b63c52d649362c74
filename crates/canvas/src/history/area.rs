//! Reads the placements on an area of the canvas.

use platform::concurrency::join;
use platform::refusal::Refusal;
use platform::work_shares::WorkCaller;
use rules::grid::Rect;
use rules::numbers::Seq;
use serde::Serialize;
use serde::ser::Serializer;
use utoipa::ToSchema;

use super::{History, store};

use store::AreaPlacementRow;

/// The maximum number of placements in a page.
const MAX_PLACEMENTS: usize = 10_000;
/// The maximum number of events that are read for a page, most of which may be elsewhere on the canvas.
const MAX_EVENTS: i64 = 200_000;

/// A page of the placements on an area.
#[derive(Debug, Serialize, ToSchema)]
pub struct AreaPlacements {
    /// Each as `[seq, x, y, color, milliseconds since 1970]`, oldest first. There may be none although more
    /// follow.
    #[schema(value_type = Vec<Vec<i64>>)]
    placements: Vec<AreaPlacementRow>,
    /// The `after` of the next page; null on the last page.
    #[schema(value_type = Option<i64>)]
    next_after: Option<Seq>,
}

impl AreaPlacements {
    /// Returns a page that was read up to an event, and of which the last page ends with another.
    fn new(placements: Vec<AreaPlacementRow>, read_up_to: Seq, last: Seq) -> Self {
        let is_full = placements.len() == MAX_PLACEMENTS;
        let newest = placements.last().map(|placement| placement.seq).filter(|_| is_full);
        let next_after = Some(newest.unwrap_or(read_up_to)).filter(|end| *end < last);
        Self { placements, next_after }
    }
}

impl Serialize for AreaPlacementRow {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { seq, x, y, color, placed_at } = self;
        (seq, x, y, color, placed_at.timestamp_millis()).serialize(serializer)
    }
}

impl History {
    /// Returns a page of the placements on an area after one event up to another, oldest first.
    ///
    /// # Errors
    /// Returns `Work` or `Overloaded` if too many requests wait.
    pub async fn read_area(
        &self,
        caller: &WorkCaller,
        area: Rect,
        after: Seq,
        last: Seq,
    ) -> Result<AreaPlacements, Refusal> {
        let permit = self.acquire_read_permit(caller).await?;
        let pool = self.state.pool.clone();
        let up_to = last.min(after.plus(MAX_EVENTS));
        let task = self.runtime.spawn(async move {
            let placements = store::area_placements(&pool, area, after, up_to, MAX_PLACEMENTS as i64).await;
            drop(permit);
            placements
        });
        let placements = join("reading the placements on an area", task).await??;
        Ok(AreaPlacements::new(placements, up_to, last))
    }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::*;

    fn next_after(count: usize, read_up_to: i64, last: i64) -> Option<i64> {
        let placed_at = DateTime::UNIX_EPOCH;
        let placement = |seq| AreaPlacementRow { seq: Seq(seq), x: 1, y: 2, color: 3, placed_at };
        let placements = (1..).take(count).map(placement).collect();
        AreaPlacements::new(placements, Seq(read_up_to), Seq(last)).next_after.map(|seq| seq.0)
    }

    #[test]
    fn pages_go_on_until_the_last_event() {
        assert_eq!(next_after(0, 200_000, 500_000), Some(200_000), "nothing was painted on the area");
        assert_eq!(next_after(7, 200_000, 500_000), Some(200_000));
        assert_eq!(next_after(7, 500_000, 500_000), None);
        assert_eq!(next_after(0, 3, 0), None);
        assert_eq!(next_after(10_000, 500_000, 500_000), Some(10_000), "the page is full");
        assert_eq!(next_after(10_000, 10_000, 10_000), None);
    }
}
