//! Statistics of each pixel, counted from the log: its last painter, its time, and its number of placements.

use std::collections::HashMap;

use rules::grid::{Point, Size};
use serde::Serialize;
use utoipa::ToSchema;

use crate::log::world::Season;

/// One number per pixel for each statistic, row by row.
pub(super) struct PixelStats {
    size: Size,
    /// The sequence number of the event that opened the season.
    pub season: i64,
    /// The newest counted event.
    pub up_to: i64,
    /// The newest counted placement, or the season's opening.
    pub version: i64,
    /// The numbers of the pixels' last painters, or 0 if the pixel is blank.
    pub painters: Vec<u32>,
    /// The times of the newest placements, in seconds since 1970.
    pub painted_at: Vec<u32>,
    pub placement_counts: Vec<u32>,
    /// The number of visible pixels of each agent.
    owned_counts: HashMap<u32, u32>,
}

impl PixelStats {
    /// Returns the statistics of a blank canvas.
    pub fn new(season: &Season) -> Self {
        let blank = || vec![0; season.size.area()];
        Self {
            size: season.size,
            season: season.seq,
            up_to: season.seq,
            version: season.seq,
            painters: blank(),
            painted_at: blank(),
            placement_counts: blank(),
            owned_counts: HashMap::new(),
        }
    }

    /// Restores stored statistics. Those of a canvas of another size are ignored.
    pub fn restore(&mut self, stored: StoredPixelStats) {
        let area = self.size.area();
        if [&stored.painters, &stored.painted_at, &stored.placement_counts]
            .iter()
            .any(|values| values.len() != area)
        {
            return;
        }
        for painter in stored.painters.iter().filter(|painter| **painter > 0) {
            *self.owned_counts.entry(*painter).or_default() += 1;
        }
        (self.up_to, self.version) = (stored.up_to, stored.version);
        (self.painters, self.painted_at, self.placement_counts) =
            (stored.painters, stored.painted_at, stored.placement_counts);
    }

    /// Counts the placements of the next events, up to one.
    pub fn apply_placements(&mut self, columns: &PlacementColumns, up_to: i64) {
        let placements = columns.x.iter().zip(&columns.y).zip(columns.agent.iter().zip(&columns.painted_at));
        for ((x, y), (painter, painted_at)) in placements {
            if let Some(Point { x, y }) = self.size.point(i64::from(*x), i64::from(*y)) {
                let index = self.size.index(Point { x, y });
                self.apply_placement(index, *painter as u32, *painted_at as u32);
            }
        }
        self.version = columns.version.unwrap_or(self.version);
        self.up_to = up_to;
    }

    /// Returns the agents with their numbers of visible pixels: the one with the most first, and of equal
    /// ones the one that registered first.
    pub fn owners(&self) -> Vec<(u32, u32)> {
        let mut owners: Vec<_> =
            self.owned_counts.iter().map(|(painter, pixels)| (*painter, *pixels)).collect();
        owners.sort_unstable_by_key(|(painter, pixels)| (std::cmp::Reverse(*pixels), *painter));
        owners
    }

    /// Returns the size of the numbers in bytes.
    pub fn size(&self) -> usize {
        size_of_val(self.painters.as_slice()) * 3
    }

    /// Returns the number of an agent's visible pixels.
    pub fn owned_count(&self, painter: i64) -> u32 {
        u32::try_from(painter).ok().and_then(|painter| self.owned_counts.get(&painter).copied()).unwrap_or(0)
    }

    fn apply_placement(&mut self, index: usize, painter: u32, painted_at: u32) {
        let previous_owner = std::mem::replace(&mut self.painters[index], painter);
        self.painted_at[index] = painted_at;
        self.placement_counts[index] += 1;
        if previous_owner != painter {
            *self.owned_counts.entry(painter).or_default() += 1;
            self.decrement_owned(previous_owner);
        }
    }

    fn decrement_owned(&mut self, painter: u32) {
        if let Some(pixels) = self.owned_counts.get_mut(&painter) {
            *pixels -= 1;
            if *pixels == 0 {
                self.owned_counts.remove(&painter);
            }
        }
    }
}

/// An agent with visible pixels.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PixelOwner {
    /// `agent_…`.
    pub id: String,
    pub name: String,
    /// Number of its visible pixels.
    pub pixels: u32,
}

/// Statistics up to an event, as stored for the next start.
pub(super) struct StoredPixelStats {
    pub up_to: i64,
    pub version: i64,
    pub painters: Vec<u32>,
    pub painted_at: Vec<u32>,
    pub placement_counts: Vec<u32>,
}

/// The placements of a part of the log, in order, as columns.
pub(super) struct PlacementColumns {
    pub x: Vec<i16>,
    pub y: Vec<i16>,
    pub agent: Vec<i64>,
    /// The times in seconds since 1970.
    pub painted_at: Vec<i64>,
    /// The sequence number of the newest placement.
    pub version: Option<i64>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::DateTime;
    use proptest::collection::vec;
    use proptest::prelude::*;

    fn season() -> Season {
        Season {
            id: "season_a".into(),
            title: "One".into(),
            size: Size { width: 8, height: 9 },
            seq: 1,
            opened_at: DateTime::UNIX_EPOCH,
        }
    }

    fn placement_columns(placements: &[(i16, i16, i64)], first: i64) -> PlacementColumns {
        PlacementColumns {
            x: placements.iter().map(|placement| placement.0).collect(),
            y: placements.iter().map(|placement| placement.1).collect(),
            agent: placements.iter().map(|placement| placement.2).collect(),
            painted_at: (first..).take(placements.len()).collect(),
            version: (!placements.is_empty()).then(|| first + placements.len() as i64 - 1),
        }
    }

    proptest! {
        #[test]
        fn counting_in_parts_equals_counting_at_once(
            painted in vec((0_i16..8, 0_i16..9, 1_i64..5), 0..200), cuts in vec(0_usize..200, 0..4), stop in 0_usize..4
        ) {
            let mut at_once = PixelStats::new(&season());
            at_once.apply_placements(&placement_columns(&painted, 2), 1 + painted.len() as i64);
            let mut ends: Vec<usize> = cuts.into_iter().map(|cut| cut.min(painted.len())).chain([painted.len()]).collect();
            ends.sort_unstable();
            let (mut pieces, mut done) = (PixelStats::new(&season()), 0);
            for (number, end) in ends.into_iter().enumerate() {
                pieces.apply_placements(&placement_columns(&painted[done..end], 2 + done as i64), 1 + end as i64);
                done = end;
                if number == stop {
                    let PixelStats { up_to, version, painters, painted_at, placement_counts, .. } = pieces;
                    pieces = PixelStats::new(&season());
                    pieces.restore(StoredPixelStats { up_to, version, painters, painted_at, placement_counts });
                }
            }
            prop_assert_eq!((pieces.up_to, pieces.version), (at_once.up_to, at_once.version));
            prop_assert_eq!(&pieces.painters, &at_once.painters);
            prop_assert_eq!(&pieces.painted_at, &at_once.painted_at);
            prop_assert_eq!(&pieces.placement_counts, &at_once.placement_counts);
            let owners = pieces.owners();
            prop_assert_eq!(&owners, &at_once.owners());
            let owned = |painter: u32| at_once.painters.iter().filter(|other| **other == painter).count();
            prop_assert!(owners.iter().all(|(painter, pixels)| *pixels as usize == owned(*painter)));
            let visible_count = at_once.painters.iter().filter(|painter| **painter > 0).count();
            prop_assert_eq!(owners.iter().map(|(_, pixels)| *pixels as usize).sum::<usize>(), visible_count);
        }
    }

    #[test]
    fn ignores_stored_stats_of_another_size() {
        let mut stats = PixelStats::new(&season());
        let numbers = || vec![1; 3];
        stats.restore(StoredPixelStats {
            up_to: 9,
            version: 9,
            painters: numbers(),
            painted_at: numbers(),
            placement_counts: numbers(),
        });
        assert_eq!((stats.up_to, stats.painters.len(), stats.owners().len()), (1, 72, 0));
    }
}
