//! The canvas as it was after an event: folded from a snapshot, or from one that was read before.

use chrono::{DateTime, Utc};
use rules::palette::BLANK_COLOR;
use sqlx::PgConnection;

use super::store::{self, Strokes};
use crate::canvas::picture::{Cutout, packed_pairs};
use crate::log::world::Season;

/// How many numbers are folded at a time.
const STRETCH: i64 = 65_536;
/// So few are folded sooner than a snapshot is looked for.
const NEAR: i64 = 512;

/// A canvas of the past.
#[derive(Clone, Debug)]
pub struct Canvas {
    /// The season that it belongs to.
    pub season: Season,
    /// The newest event that is in.
    pub seq: i64,
    /// Its time; before anything, that of the first event.
    pub at: DateTime<Utc>,
    /// The newest event that changed a pixel.
    pub version: i64,
    /// Placements since the season's opening.
    pub placements: i64,
    /// One palette index per pixel, row by row.
    pub pixels: Vec<u8>,
}

impl Canvas {
    /// As it was at the season's opening.
    pub(super) fn blank(season: Season) -> Self {
        let (seq, at, area) = (season.seq, season.opened_at, season.size.area());
        Self { season, seq, at, version: seq, placements: 0, pixels: vec![BLANK_COLOR.index(); area] }
    }

    /// Takes it forward to an event of the same season; what is before the opening shows as the opening does.
    pub(super) async fn advance(
        &mut self,
        connection: &mut PgConnection,
        upto: i64,
    ) -> Result<(), sqlx::Error> {
        if upto < self.season.seq {
            (self.seq, self.version) = (upto, 0);
            return Ok(());
        }
        if upto > self.seq + NEAR
            && let Some(kept) = store::newest_snapshot(connection, self.seq, upto).await?
        {
            self.lay(&kept);
        }
        while self.seq < upto {
            let next = upto.min(self.seq + STRETCH);
            let strokes = store::strokes(connection, self.seq, next, self.season.size.width).await?;
            self.paint(&strokes);
            self.seq = next;
        }
        if let Some(at) = store::time_of(connection, upto).await? {
            self.at = at;
        }
        Ok(())
    }

    /// A snapshot of another size is none of this season's.
    fn lay(&mut self, kept: &store::Snapshot) {
        let pixels = unpacked(&kept.pixels, self.pixels.len());
        if pixels.len() == self.pixels.len() {
            (self.seq, self.version, self.placements) = (kept.seq, kept.version, kept.placements);
            self.pixels = pixels;
        }
    }

    fn paint(&mut self, strokes: &Strokes) {
        for stroke in strokes.packed() {
            // Whatever lies outside was never accepted.
            if let Some(pixel) = self.pixels.get_mut(stroke.place) {
                *pixel = stroke.color;
            }
        }
        self.placements += strokes.count();
        self.version = self.version.max(strokes.newest());
    }

    /// Two pixels in each byte.
    pub(super) fn packed(&self) -> Vec<u8> {
        packed_pairs(&self.pixels)
    }

    /// All of it, to be drawn.
    pub fn cutout(&self) -> Cutout {
        Cutout::whole(&self.season, self.version, self.pixels.clone())
    }
}

/// An odd last pixel leaves half a byte over.
fn unpacked(packed: &[u8], count: usize) -> Vec<u8> {
    let mut pixels: Vec<u8> = packed.iter().flat_map(|pair| [pair >> 4, pair & 15]).collect();
    if pixels.len() == count + 1 {
        pixels.pop();
    }
    pixels
}
