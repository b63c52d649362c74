//! What was done to each pixel, folded from the log: who painted it last, when, and how often it was painted.

use std::collections::HashMap;

use rules::grid::{Point, Size};
use serde::Serialize;
use utoipa::ToSchema;

use crate::log::world::Season;

/// One number per pixel and question, row by row.
pub(super) struct Strokes {
    size: Size,
    /// The season's opening event.
    pub season: i64,
    /// The newest event that is counted.
    pub up_to: i64,
    /// The newest placement that is counted, or the season's opening.
    pub version: i64,
    /// The newest painters' numbers; 0 where nobody painted.
    pub painters: Vec<u32>,
    /// In seconds since 1970.
    pub painted_at: Vec<u32>,
    pub strokes: Vec<u32>,
    /// How many pixels show each painter's paint.
    held: HashMap<u32, u32>,
}

impl Strokes {
    /// A blank canvas.
    pub fn new(season: &Season) -> Self {
        let blank = || vec![0; season.size.area()];
        Self {
            size: season.size,
            season: season.seq,
            up_to: season.seq,
            version: season.seq,
            painters: blank(),
            painted_at: blank(),
            strokes: blank(),
            held: HashMap::new(),
        }
    }

    /// What was counted before; of a canvas of another size, nothing was.
    pub fn resume(&mut self, kept: Kept) {
        let area = self.size.area();
        if [&kept.painters, &kept.painted_at, &kept.strokes].iter().any(|each| each.len() != area) {
            return;
        }
        for painter in kept.painters.iter().filter(|painter| **painter > 0) {
            *self.held.entry(*painter).or_default() += 1;
        }
        (self.up_to, self.version) = (kept.up_to, kept.version);
        (self.painters, self.painted_at, self.strokes) = (kept.painters, kept.painted_at, kept.strokes);
    }

    /// Counts the placements of the events that follow, up to one.
    pub fn count(&mut self, page: &Page, up_to: i64) {
        let strokes = page.x.iter().zip(&page.y).zip(page.agent.iter().zip(&page.painted_at));
        for ((x, y), (painter, painted_at)) in strokes {
            if let Some(Point { x, y }) = self.size.point(i64::from(*x), i64::from(*y)) {
                let place = self.size.index(Point { x, y });
                self.paint(place, *painter as u32, *painted_at as u32);
            }
        }
        self.version = page.version.unwrap_or(self.version);
        self.up_to = up_to;
    }

    /// Who holds how many pixels: first who holds most, of equals who registered first.
    pub fn holders(&self) -> Vec<(u32, u32)> {
        let mut holders: Vec<_> = self.held.iter().map(|(painter, pixels)| (*painter, *pixels)).collect();
        holders.sort_unstable_by_key(|(painter, pixels)| (std::cmp::Reverse(*pixels), *painter));
        holders
    }

    /// How many pixels show a painter's paint.
    pub fn held(&self, painter: i64) -> u32 {
        u32::try_from(painter).ok().and_then(|painter| self.held.get(&painter).copied()).unwrap_or(0)
    }

    fn paint(&mut self, place: usize, painter: u32, painted_at: u32) {
        let before = std::mem::replace(&mut self.painters[place], painter);
        self.painted_at[place] = painted_at;
        self.strokes[place] += 1;
        if before != painter {
            *self.held.entry(painter).or_default() += 1;
            self.lose(before);
        }
    }

    fn lose(&mut self, painter: u32) {
        if let Some(pixels) = self.held.get_mut(&painter) {
            *pixels -= 1;
            if *pixels == 0 {
                self.held.remove(&painter);
            }
        }
    }
}

/// An agent whose paint shows.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Holder {
    /// `agent_…`.
    pub id: String,
    pub name: String,
    /// How many pixels show it.
    pub pixels: u32,
}

/// What was counted up to an event, as it is kept for the next start.
pub(super) struct Kept {
    pub up_to: i64,
    pub version: i64,
    pub painters: Vec<u32>,
    pub painted_at: Vec<u32>,
    pub strokes: Vec<u32>,
}

/// The placements of a part of the log, in order.
pub(super) struct Page {
    pub x: Vec<i16>,
    pub y: Vec<i16>,
    pub agent: Vec<i64>,
    /// In seconds since 1970.
    pub painted_at: Vec<i64>,
    /// The number of the newest.
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

    fn page(strokes: &[(i16, i16, i64)], first: i64) -> Page {
        Page {
            x: strokes.iter().map(|stroke| stroke.0).collect(),
            y: strokes.iter().map(|stroke| stroke.1).collect(),
            agent: strokes.iter().map(|stroke| stroke.2).collect(),
            painted_at: (first..).take(strokes.len()).collect(),
            version: (!strokes.is_empty()).then(|| first + strokes.len() as i64 - 1),
        }
    }

    proptest! {
        #[test]
        fn counting_in_parts_equals_counting_at_once(
            painted in vec((0_i16..8, 0_i16..9, 1_i64..5), 0..200), cuts in vec(0_usize..200, 0..4), stop in 0_usize..4
        ) {
            let mut at_once = Strokes::new(&season());
            at_once.count(&page(&painted, 2), 1 + painted.len() as i64);
            let mut ends: Vec<usize> = cuts.into_iter().map(|cut| cut.min(painted.len())).chain([painted.len()]).collect();
            ends.sort_unstable();
            let (mut pieces, mut done) = (Strokes::new(&season()), 0);
            for (number, end) in ends.into_iter().enumerate() {
                pieces.count(&page(&painted[done..end], 2 + done as i64), 1 + end as i64);
                done = end;
                if number == stop {
                    let Strokes { up_to, version, painters, painted_at, strokes, .. } = pieces;
                    pieces = Strokes::new(&season());
                    pieces.resume(Kept { up_to, version, painters, painted_at, strokes });
                }
            }
            prop_assert_eq!((pieces.up_to, pieces.version), (at_once.up_to, at_once.version));
            prop_assert_eq!(&pieces.painters, &at_once.painters);
            prop_assert_eq!(&pieces.painted_at, &at_once.painted_at);
            prop_assert_eq!(&pieces.strokes, &at_once.strokes);
            let holders = pieces.holders();
            prop_assert_eq!(&holders, &at_once.holders());
            let held = |painter: u32| at_once.painters.iter().filter(|other| **other == painter).count();
            prop_assert!(holders.iter().all(|(painter, pixels)| *pixels as usize == held(*painter)));
            let shown = at_once.painters.iter().filter(|painter| **painter > 0).count();
            prop_assert_eq!(holders.iter().map(|(_, pixels)| *pixels as usize).sum::<usize>(), shown);
        }
    }

    #[test]
    fn ignores_stored_stats_of_another_size() {
        let mut strokes = Strokes::new(&season());
        let one = || vec![1; 3];
        strokes.resume(Kept { up_to: 9, version: 9, painters: one(), painted_at: one(), strokes: one() });
        assert_eq!((strokes.up_to, strokes.painters.len(), strokes.holders().len()), (1, 72, 0));
    }
}
