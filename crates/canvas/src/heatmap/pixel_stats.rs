//! Statistics of each pixel, counted from the log: its last painter, its time, and its number of placements.
//! Also which placements painted over a pixel of another agent.

use std::collections::HashMap;

use caraplace_live::event::compact_painter;
use caraplace_log::season::Season;
use rules::grid::Size;
use rules::numbers::{AccountNo, Seq};
use serde::Serialize;
use utoipa::ToSchema;

use super::event_set::EventSet;

/// One number per pixel for each statistic, row by row.
pub(super) struct PixelStats {
    size: Size,
    /// The sequence number of the event that opened the season.
    pub season: Seq,
    /// The newest counted event.
    pub up_to: Seq,
    /// The newest counted placement, or the season's opening.
    pub version: Seq,
    /// The numbers of the pixels' last painters, or 0 if the pixel is blank.
    pub painters: Vec<u32>,
    /// The times of the newest placements, in seconds since 1970.
    pub painted_at: Vec<u32>,
    pub placement_counts: Vec<u32>,
    /// The placements by which agents painted over pixels of other agents.
    pub overpaints: EventSet,
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
            overpaints: EventSet::new(season.seq),
            owned_counts: HashMap::new(),
        }
    }

    /// Restores stored statistics. Those of a canvas of another size are ignored.
    pub fn restore(&mut self, stored: StoredPixelStats) {
        let area = self.size.area();
        let numbers = [&stored.painters, &stored.painted_at, &stored.placement_counts];
        if numbers.iter().any(|values| values.len() != area) {
            return;
        }
        for painter in stored.painters.iter().filter(|painter| **painter > 0) {
            *self.owned_counts.entry(*painter).or_default() += 1;
        }
        self.up_to = stored.up_to;
        self.version = stored.version;
        self.painters = stored.painters;
        self.painted_at = stored.painted_at;
        self.placement_counts = stored.placement_counts;
        self.overpaints = EventSet::from_bytes(self.season, stored.overpaints);
    }

    /// Counts the placements of the next events, up to one.
    pub fn apply_placements(&mut self, columns: &PlacementColumns, up_to: Seq) {
        for placement in columns.placements() {
            if let Some(point) = self.size.point(placement.x, placement.y) {
                self.apply_placement(self.size.index(point), &placement);
            }
        }
        self.version = columns.seq.last().copied().unwrap_or(self.version);
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
        size_of_val(self.painters.as_slice()) * 3 + self.overpaints.as_bytes().len()
    }

    /// Returns the number of an agent's visible pixels.
    pub fn owned_count(&self, painter: AccountNo) -> u32 {
        u32::try_from(painter.0)
            .ok()
            .and_then(|painter| self.owned_counts.get(&painter).copied())
            .unwrap_or(0)
    }

    fn apply_placement(&mut self, index: usize, placement: &CountedPlacement) {
        let CountedPlacement { seq, painter, painted_at, is_restored, .. } = *placement;
        let previous_owner = std::mem::replace(&mut self.painters[index], painter);
        self.painted_at[index] = painted_at;
        self.placement_counts[index] += 1;
        // Operators correct pixels: they show earlier ones of agents again, or own ones. Their account has
        // the number 0.
        if !is_restored && previous_owner != painter && previous_owner > 0 && painter > 0 {
            self.overpaints.insert(seq);
        }
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
    pub up_to: Seq,
    pub version: Seq,
    pub painters: Vec<u32>,
    pub painted_at: Vec<u32>,
    pub placement_counts: Vec<u32>,
    /// The bits of [`PixelStats::overpaints`].
    pub overpaints: Vec<u8>,
}

/// The placements of a part of the log, in order, as columns.
pub(super) struct PlacementColumns {
    pub seq: Vec<Seq>,
    pub x: Vec<i16>,
    pub y: Vec<i16>,
    pub agent: Vec<AccountNo>,
    /// The times in seconds since 1970.
    pub painted_at: Vec<i64>,
    /// True for the placements by which operators show earlier ones of agents again.
    pub is_restored: Vec<bool>,
}

/// A placement, as [`PixelStats`] counts it.
struct CountedPlacement {
    seq: Seq,
    x: i64,
    y: i64,
    painter: u32,
    painted_at: u32,
    is_restored: bool,
}

impl PlacementColumns {
    fn placements(&self) -> impl Iterator<Item = CountedPlacement> {
        let points = self.x.iter().zip(&self.y);
        let paint = self.agent.iter().zip(&self.painted_at);
        let events = self.seq.iter().zip(&self.is_restored);
        points.zip(paint).zip(events).map(|(((x, y), (painter, painted_at)), (seq, is_restored))| {
            CountedPlacement {
                seq: *seq,
                x: i64::from(*x),
                y: i64::from(*y),
                painter: compact_painter(*painter),
                painted_at: *painted_at as u32,
                is_restored: *is_restored,
            }
        })
    }
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
            seq: Seq(1),
            opened_at: DateTime::UNIX_EPOCH,
        }
    }

    fn placement_columns(placements: &[(i16, i16, i64)], first: i64) -> PlacementColumns {
        PlacementColumns {
            seq: (first..).map(Seq).take(placements.len()).collect(),
            x: placements.iter().map(|placement| placement.0).collect(),
            y: placements.iter().map(|placement| placement.1).collect(),
            agent: placements.iter().map(|placement| AccountNo(placement.2)).collect(),
            painted_at: (first..).take(placements.len()).collect(),
            is_restored: (first..).take(placements.len()).map(|seq| seq % 5 == 0).collect(),
        }
    }

    proptest! {
        #[test]
        fn counting_in_parts_equals_counting_at_once(
            painted in vec((0_i16..8, 0_i16..9, 1_i64..5), 0..200),
            cuts in vec(0_usize..200, 0..4),
            stop in 0_usize..4,
        ) {
            let mut at_once = PixelStats::new(&season());
            at_once.apply_placements(&placement_columns(&painted, 2), Seq(1 + painted.len() as i64));
            let cuts = cuts.into_iter().map(|cut| cut.min(painted.len()));
            let mut ends: Vec<usize> = cuts.chain([painted.len()]).collect();
            ends.sort_unstable();
            let mut pieces = PixelStats::new(&season());
            let mut done = 0;
            for (number, end) in ends.into_iter().enumerate() {
                let columns = placement_columns(&painted[done..end], 2 + done as i64);
                pieces.apply_placements(&columns, Seq(1 + end as i64));
                done = end;
                if number == stop {
                    let stored = StoredPixelStats {
                        up_to: pieces.up_to,
                        version: pieces.version,
                        painters: pieces.painters,
                        painted_at: pieces.painted_at,
                        placement_counts: pieces.placement_counts,
                        overpaints: pieces.overpaints.as_bytes().to_vec(),
                    };
                    pieces = PixelStats::new(&season());
                    pieces.restore(stored);
                }
            }
            prop_assert_eq!((pieces.up_to, pieces.version), (at_once.up_to, at_once.version));
            prop_assert_eq!(&pieces.painters, &at_once.painters);
            prop_assert_eq!(&pieces.painted_at, &at_once.painted_at);
            prop_assert_eq!(&pieces.placement_counts, &at_once.placement_counts);
            prop_assert_eq!(&pieces.overpaints, &at_once.overpaints);
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
            up_to: Seq(9),
            version: Seq(9),
            painters: numbers(),
            painted_at: numbers(),
            placement_counts: numbers(),
            overpaints: Vec::new(),
        });
        assert_eq!((stats.up_to, stats.painters.len(), stats.owners().len()), (Seq(1), 72, 0));
    }

    /// Each placement is one on the same pixel: its agent, of which 0 is the operators' account, and whether
    /// it shows an earlier placement again.
    fn overpaints_of(placements: &[(i64, bool)]) -> Vec<i64> {
        let painted: Vec<_> = placements.iter().map(|(agent, _)| (1, 1, *agent)).collect();
        let is_restored = placements.iter().map(|(_, is_restored)| *is_restored).collect();
        let columns = PlacementColumns { is_restored, ..placement_columns(&painted, 2) };
        let mut stats = PixelStats::new(&season());
        stats.apply_placements(&columns, Seq(1 + placements.len() as i64));
        stats.overpaints.counts_by_step(&columns.seq)
    }

    #[test]
    fn overpaints_are_on_pixels_of_other_agents() {
        // A blank pixel, an own one, and twice one of another agent.
        assert_eq!(overpaints_of(&[(1, false), (1, false), (2, false), (1, false)]), [0, 0, 1, 1]);
    }

    #[test]
    fn corrections_by_operators_are_no_overpaints() {
        // A rollback shows the pixel of agent 1 again, and a later one none.
        let placements = [(1, false), (2, false), (1, true), (2, false), (0, false), (2, false)];
        assert_eq!(overpaints_of(&placements), [0, 1, 0, 1, 0, 0]);
    }
}
