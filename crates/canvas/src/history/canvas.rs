//! The canvas after a past event, replayed from a snapshot or from a cached canvas.

use caraplace_log::season::Season;
use chrono::{DateTime, Utc};
use rules::grid::Rect;
use rules::numbers::Seq;
use rules::palette::BLANK_COLOR;
use sqlx::PgConnection;

use super::store::{self, PlacementBatch};
use crate::formats::{CanvasRegion, LogPosition, pack_pairs};

/// The number of events that are replayed per query.
const EVENTS_PER_READ: i64 = 65_536;
/// The number of events up to which replaying is faster than looking for a snapshot.
const MIN_SNAPSHOT_DISTANCE: i64 = 512;

/// The canvas as it was after an event.
#[derive(Clone, Debug)]
pub struct HistoricalCanvas {
    /// The season of the canvas.
    pub season: Season,
    /// The newest event that the canvas contains.
    pub seq: Seq,
    /// The time of that event; before the first event, the time of the first.
    pub at: DateTime<Utc>,
    /// The newest event that changed a pixel.
    pub version: Seq,
    /// The number of placements since the season's opening.
    pub placements: i64,
    /// One palette index per pixel, row by row.
    pub pixels: Vec<u8>,
}

impl HistoricalCanvas {
    /// Returns the canvas at the season's opening.
    pub(super) fn blank(season: Season) -> Self {
        let seq = season.seq;
        let at = season.opened_at;
        let area = season.size.area();
        Self { season, seq, at, version: seq, placements: 0, pixels: vec![BLANK_COLOR.index(); area] }
    }

    /// Advances the canvas to an event of the same season. An event before the opening gives the blank
    /// canvas.
    pub(super) async fn advance_to(
        &mut self,
        connection: &mut PgConnection,
        up_to: Seq,
    ) -> Result<(), sqlx::Error> {
        if up_to < self.season.seq {
            self.seq = up_to;
            self.version = Seq::ZERO;
            return Ok(());
        }
        if up_to.events_since(self.seq) > MIN_SNAPSHOT_DISTANCE
            && let Some(snapshot) = store::newest_snapshot(connection, self.seq, up_to).await?
        {
            self.apply_snapshot(&snapshot);
        }
        while self.seq < up_to {
            let next = up_to.min(self.seq.plus(EVENTS_PER_READ));
            let placements =
                store::placement_batch(connection, self.seq, next, self.season.size.width).await?;
            self.apply_placements(&placements);
            self.seq = next;
        }
        if let Some(at) = store::event_time(connection, up_to).await? {
            self.at = at;
        }
        Ok(())
    }

    /// Ignores a snapshot of another size, which cannot belong to this season.
    fn apply_snapshot(&mut self, snapshot: &store::CanvasSnapshot) {
        let pixels = unpack_pixels(&snapshot.pixels, self.pixels.len());
        if pixels.len() == self.pixels.len() {
            self.seq = snapshot.seq;
            self.version = snapshot.version;
            self.placements = snapshot.placements;
            self.pixels = pixels;
        }
    }

    fn apply_placements(&mut self, placements: &PlacementBatch) {
        for placement in placements.changes() {
            // Placements outside the canvas are never accepted, so there are none to report.
            if let Some(pixel) = self.pixels.get_mut(placement.index) {
                *pixel = placement.color;
            }
        }
        self.placements += placements.count();
        self.version = self.version.max(placements.newest_seq());
    }

    /// Returns the pixels packed two per byte.
    pub(super) fn packed_pixels(&self) -> Vec<u8> {
        pack_pairs(&self.pixels)
    }

    /// Copies a region of the canvas, to be rendered.
    pub fn to_region(&self, rect: Rect) -> CanvasRegion {
        let region = CanvasRegion::from_pixels(&self.season, self.version, &self.pixels, rect);
        region.with_position(LogPosition { seq: self.seq, time: self.at })
    }
}

/// Unpacks pixels packed two per byte. The last half byte of an odd number is dropped.
fn unpack_pixels(packed: &[u8], count: usize) -> Vec<u8> {
    let mut pixels: Vec<u8> = packed.iter().flat_map(|pair| [pair >> 4, pair & 15]).collect();
    if pixels.len() == count + 1 {
        pixels.pop();
    }
    pixels
}
