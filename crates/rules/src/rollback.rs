//! Rollback: the canvas as it would be without some of its placements.

use super::grid::{Point, Rect};
use super::palette::BLANK_COLOR;

/// The number of the account through which operators paint. Its placements are corrections and are ignored in
/// a replay.
pub const OPERATOR_AGENT_NUMBER: i64 = 0;

/// A placement as recorded in the log.
#[derive(Clone, Copy, Debug)]
pub struct LoggedPlacement {
    /// The event number.
    pub seq: i64,
    pub point: Point,
    /// The index into the palette.
    pub color: u8,
    /// The agent's number.
    pub agent: i64,
}

/// The selection of placements to roll back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RollbackFilter {
    /// Selects this agent's placements only; `None` selects all agents'.
    pub agent: Option<i64>,
    /// Selects placements in this rectangle.
    pub rect: Rect,
    /// Selects placements after this event.
    pub after_seq: i64,
    /// Selects placements up to and including this event.
    pub up_to_seq: i64,
}

impl RollbackFilter {
    /// Returns true if the filter selects a placement.
    pub fn matches(&self, placement: &LoggedPlacement) -> bool {
        (self.after_seq < placement.seq && placement.seq <= self.up_to_seq)
            && self.agent.is_none_or(|agent| agent == placement.agent)
            && self.rect.contains(placement.point)
            && placement.agent != OPERATOR_AGENT_NUMBER
    }
}

/// A pixel that must be repainted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Correction {
    pub point: Point,
    /// The new colour, as an index into the palette.
    pub color: u8,
    /// The event number of the placement that is replaced. A newer placement at this point stays.
    pub replaced_seq: i64,
}

/// A part of a season's canvas, replayed with and without the rolled back placements.
pub struct RollbackReplay {
    /// The rollback that is made or undone now: only the pixels that it selects are corrected.
    target: RollbackFilter,
    /// All rollbacks in force.
    filters: Vec<RollbackFilter>,
    /// The pixels of the target's rectangle, row by row.
    pixels: Vec<PixelState>,
    matched_placements: usize,
}

#[derive(Clone, Copy)]
struct PixelState {
    /// The colour that it shows.
    shown: u8,
    /// The event number of the newest placement; 0 for an unpainted pixel.
    latest_seq: i64,
    /// The colour that it would show without the rolled back placements.
    restored: u8,
    is_matched: bool,
}

impl RollbackReplay {
    /// Returns the replay of a blank canvas.
    pub fn new(target: RollbackFilter, filters: Vec<RollbackFilter>) -> Self {
        let blank = PixelState {
            shown: BLANK_COLOR.index(),
            latest_seq: 0,
            restored: BLANK_COLOR.index(),
            is_matched: false,
        };
        Self { target, filters, pixels: vec![blank; target.rect.area()], matched_placements: 0 }
    }

    /// Applies the next placement; placements outside the rectangle are ignored.
    pub fn apply(&mut self, placement: &LoggedPlacement) {
        let is_matched = self.target.matches(placement);
        let remains = placement.agent != OPERATOR_AGENT_NUMBER
            && !self.filters.iter().any(|filter| filter.matches(placement));
        let Some(pixel) =
            self.target.rect.index_of(placement.point).and_then(|place| self.pixels.get_mut(place))
        else {
            return;
        };
        (pixel.shown, pixel.latest_seq) = (placement.color, placement.seq);
        pixel.is_matched |= is_matched;
        if remains {
            pixel.restored = placement.color;
        }
        self.matched_placements += usize::from(is_matched);
    }

    /// Returns the number of placements that the target selects.
    pub fn matched_placements(&self) -> usize {
        self.matched_placements
    }

    /// Returns the corrections after which the canvas shows the remaining placements only.
    pub fn corrections(&self) -> Vec<Correction> {
        let needs_correction = |pixel: &PixelState| pixel.is_matched && pixel.shown != pixel.restored;
        let points = self.target.rect.points().zip(&self.pixels).filter(|(_, pixel)| needs_correction(pixel));
        let correction = |(point, pixel): (Point, &PixelState)| Correction {
            point,
            color: pixel.restored,
            replaced_seq: pixel.latest_seq,
        };
        points.map(correction).collect()
    }

    /// Returns the colours of the rectangle with its corrections, row by row.
    pub fn corrected_pixels(&self) -> Vec<u8> {
        let color = |pixel: &PixelState| if pixel.is_matched { pixel.restored } else { pixel.shown };
        self.pixels.iter().map(color).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::grid::{Corners, Size};
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    const SIZE: Size = Size { width: 8, height: 8 };

    /// An operation on a canvas in a test.
    #[derive(Clone, Debug)]
    enum Step {
        Paint { x: u16, y: u16, color: u8, agent: i64 },
        RollBack { agent: Option<i64>, corners: [i64; 4], back: i64 },
        Undo { which: usize },
    }

    fn step() -> impl Strategy<Value = Step> {
        let paint = (0_u16..8, 0_u16..8, 0_u8..16, 1_i64..4).prop_map(|(x, y, color, agent)| Step::Paint {
            x,
            y,
            color,
            agent,
        });
        let roll_back = (proptest::option::of(1_i64..4), proptest::array::uniform4(0_i64..8), 1_i64..60)
            .prop_map(|(agent, corners, back)| Step::RollBack { agent, corners, back });
        prop_oneof![20 => paint, 2 => roll_back, 1 => (0_usize..5).prop_map(|which| Step::Undo { which })]
    }

    fn rect([a, b, c, d]: [i64; 4]) -> Rect {
        let corners = Corners { x1: a.min(c), y1: b.min(d), x2: a.max(c), y2: b.max(d) };
        SIZE.rect(corners).unwrap()
    }

    #[derive(Default)]
    struct Game {
        log: Vec<LoggedPlacement>,
        /// With true if it is in force.
        filters: Vec<(RollbackFilter, bool)>,
    }

    impl Game {
        fn paint(&mut self, point: Point, color: u8, agent: i64) {
            let seq = self.log.len() as i64 + 1;
            self.log.push(LoggedPlacement { seq, point, color, agent });
        }

        fn active_filters(&self) -> Vec<RollbackFilter> {
            self.filters.iter().filter(|(_, holds)| *holds).map(|(filter, _)| *filter).collect()
        }

        fn roll_back(&mut self, target: RollbackFilter) {
            let mut replay = RollbackReplay::new(target, self.active_filters());
            self.log.iter().for_each(|placed| replay.apply(placed));
            for correction in replay.corrections() {
                let latest = self.log.iter().rev().find(|placed| placed.point == correction.point);
                assert_eq!(latest.map(|placed| placed.seq), Some(correction.replaced_seq));
                self.paint(correction.point, correction.color, OPERATOR_AGENT_NUMBER);
            }
        }

        fn apply(&mut self, step: &Step) {
            let upto = self.log.len() as i64;
            match *step {
                Step::Paint { x, y, color, agent } => self.paint(Point { x, y }, color, agent),
                Step::RollBack { agent, corners, back } => {
                    let filter = RollbackFilter {
                        agent,
                        rect: rect(corners),
                        after_seq: upto - back,
                        up_to_seq: upto,
                    };
                    self.filters.push((filter, true));
                    self.roll_back(filter);
                }
                Step::Undo { which } => {
                    let Some((filter, holds)) = self.filters.get_mut(which) else { return };
                    *holds = false;
                    let filter = *filter;
                    self.roll_back(filter);
                }
            }
        }

        fn shown(&self) -> Vec<u8> {
            replay(self.log.iter())
        }

        /// Replays the log without the rolled back placements and without corrections.
        fn expected(&self) -> Vec<u8> {
            let filters = self.active_filters();
            let is_rolled_back =
                |placed: &&LoggedPlacement| filters.iter().any(|filter| filter.matches(placed));
            replay(
                self.log
                    .iter()
                    .filter(|placed| placed.agent != OPERATOR_AGENT_NUMBER && !is_rolled_back(placed)),
            )
        }
    }

    fn replay<'a>(log: impl Iterator<Item = &'a LoggedPlacement>) -> Vec<u8> {
        let mut pixels = vec![BLANK_COLOR.index(); SIZE.area()];
        log.for_each(|placed| pixels[SIZE.index(placed.point)] = placed.color);
        pixels
    }

    proptest! {
        #[test]
        fn the_canvas_equals_a_replay_without_rolled_back_placements(steps in vec(step(), 0..200)) {
            let mut game = Game::default();
            for step in &steps {
                game.apply(step);
                prop_assert_eq!(game.shown(), game.expected());
            }
        }
    }

    #[test]
    fn the_preview_matches_the_result_and_changes_only_target_pixels() {
        let mut game = Game::default();
        game.paint(Point { x: 1, y: 1 }, 3, 1);
        game.paint(Point { x: 1, y: 1 }, 4, 2);
        game.paint(Point { x: 2, y: 1 }, 5, 2);
        let target = RollbackFilter { agent: Some(2), rect: rect([0, 0, 1, 7]), after_seq: 0, up_to_seq: 3 };
        let mut replay = RollbackReplay::new(target, vec![target]);
        game.log.iter().for_each(|placed| replay.apply(placed));
        assert_eq!(replay.matched_placements(), 1);
        let expected = Correction { point: Point { x: 1, y: 1 }, color: 3, replaced_seq: 2 };
        assert_eq!(replay.corrections(), [expected]);
        assert_eq!(replay.corrected_pixels()[3], 3);
    }
}
