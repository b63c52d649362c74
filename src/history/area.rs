//! Reads the placements on an area of the canvas.

use rules::grid::Rect;
use serde::Serialize;
use serde::ser::Serializer;

use super::{History, store};
use crate::concurrency::join;
use crate::refusal::Refusal;

pub use store::AreaPlacementRow;

impl Serialize for AreaPlacementRow {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { seq, x, y, color, placed_at } = self;
        (seq, x, y, color, placed_at.timestamp_millis()).serialize(serializer)
    }
}

impl History {
    /// Returns the first placements on an area after one event up to another, oldest first.
    ///
    /// # Errors
    /// Returns `Overloaded` if too many requests wait, or the error of the database.
    pub async fn read_area(
        &self,
        area: Rect,
        (after, up_to): (i64, i64),
        limit: i64,
    ) -> Result<Vec<AreaPlacementRow>, Refusal> {
        let permit = self.acquire_read_permit().await?;
        let pool = self.state.pool.clone();
        let task = self.runtime.spawn(async move {
            let placements = store::area_placements(&pool, area, (after, up_to), limit).await;
            drop(permit);
            placements
        });
        Ok(join("reading the placements on an area", task).await??)
    }
}
