//! Rollback: the canvas as it would be without some of its placements.

use std::collections::BTreeMap;

use super::grid::{Point, Rect};
use super::numbers::{AccountNo, Seq};
use super::palette::BLANK_COLOR;

/// A placement as recorded in the log. One of the operators' account is a correction, and is ignored in a
/// replay.
#[derive(Clone, Copy, Debug)]
pub struct LoggedPlacement {
    pub seq: Seq,
    pub point: Point,
    /// The index into the palette.
    pub color: u8,
    pub agent: AccountNo,
    /// For a correction, the agent whose placement it shows again; `None` for any other placement, and if the
    /// pixel became blank.
    pub restored_agent: Option<AccountNo>,
}

impl LoggedPlacement {
    /// Returns the agent that the pixel shows as its painter; `None` if it became blank.
    fn shown_agent(&self) -> Option<AccountNo> {
        if self.agent == AccountNo::OPERATOR { self.restored_agent } else { Some(self.agent) }
    }
}

/// The selection of placements to roll back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RollbackFilter {
    /// Selects this agent's placements only; `None` selects all agents'.
    pub agent: Option<AccountNo>,
    /// Selects placements in this rectangle.
    pub rect: Rect,
    /// Selects placements after this event.
    pub after_seq: Seq,
    /// Selects placements up to and including this event.
    pub up_to_seq: Seq,
}

impl RollbackFilter {
    /// Returns true if the filter selects a placement.
    pub fn matches(&self, placement: &LoggedPlacement) -> bool {
        (self.after_seq < placement.seq && placement.seq <= self.up_to_seq)
            && self.agent.is_none_or(|agent| agent == placement.agent)
            && self.rect.contains(placement.point)
            && placement.agent != AccountNo::OPERATOR
    }
}

/// A pixel that must be repainted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Correction {
    pub point: Point,
    /// The new colour, as an index into the palette.
    pub color: u8,
    /// The placement that is replaced. A newer placement at this point stays.
    pub replaced_seq: Seq,
    /// The placement that is visible again; `None` if the pixel becomes blank.
    pub restored: Option<RemainingPlacement>,
}

/// A placement that remains when others are rolled back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RemainingPlacement {
    pub seq: Seq,
    pub agent: AccountNo,
}

/// The placements and pixels that one agent loses by a rollback.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AgentLoss {
    /// The number of its placements that are selected.
    pub placements: usize,
    /// The number of pixels that show it now and will not afterwards.
    pub pixels: usize,
}

/// A part of a season's canvas, replayed with and without the rolled back placements.
pub struct RollbackReplay {
    /// The rollback that is made or undone now: only the pixels that it selects are corrected.
    target: RollbackFilter,
    /// All rollbacks in force.
    filters: Vec<RollbackFilter>,
    /// The pixels of the target's rectangle, row by row.
    pixels: Vec<PixelState>,
    /// The number of placements that the target selects, by agent.
    matched_placements: BTreeMap<AccountNo, usize>,
}

#[derive(Clone, Copy)]
struct PixelState {
    /// The colour that it shows.
    shown: u8,
    /// The agent that it shows as its painter.
    shown_agent: Option<AccountNo>,
    /// The newest placement; [`Seq::ZERO`] for an unpainted pixel.
    latest_seq: Seq,
    /// The colour that it would show without the rolled back placements.
    restored: u8,
    /// The newest placement that is not rolled back.
    remaining: Option<RemainingPlacement>,
    is_matched: bool,
}

impl PixelState {
    fn needs_correction(&self) -> bool {
        let restored_agent = self.remaining.map(|placement| placement.agent);
        self.is_matched && (self.shown, self.shown_agent) != (self.restored, restored_agent)
    }
}

impl RollbackReplay {
    /// Returns the replay of a blank canvas.
    pub fn new(target: RollbackFilter, filters: Vec<RollbackFilter>) -> Self {
        let blank = PixelState {
            shown: BLANK_COLOR.index(),
            shown_agent: None,
            latest_seq: Seq::ZERO,
            restored: BLANK_COLOR.index(),
            remaining: None,
            is_matched: false,
        };
        Self { target, filters, pixels: vec![blank; target.rect.area()], matched_placements: BTreeMap::new() }
    }

    /// Applies the next placement; placements outside the rectangle are ignored.
    pub fn apply(&mut self, placement: &LoggedPlacement) {
        let is_matched = self.target.matches(placement);
        let remains = placement.agent != AccountNo::OPERATOR
            && !self.filters.iter().any(|filter| filter.matches(placement));
        let Some(pixel) =
            self.target.rect.index_of(placement.point).and_then(|place| self.pixels.get_mut(place))
        else {
            return;
        };
        pixel.shown = placement.color;
        pixel.latest_seq = placement.seq;
        pixel.shown_agent = placement.shown_agent();
        pixel.is_matched |= is_matched;
        if remains {
            pixel.restored = placement.color;
            pixel.remaining = Some(RemainingPlacement { seq: placement.seq, agent: placement.agent });
        }
        if is_matched {
            *self.matched_placements.entry(placement.agent).or_default() += 1;
        }
    }

    /// Returns the number of placements that the target selects.
    pub fn matched_placements(&self) -> usize {
        self.matched_placements.values().sum()
    }

    /// Returns what each agent loses whose placements the target selects.
    pub fn losses(&self) -> BTreeMap<AccountNo, AgentLoss> {
        let loss = |(agent, placements): (&AccountNo, &usize)| {
            (*agent, AgentLoss { placements: *placements, pixels: 0 })
        };
        let mut losses: BTreeMap<AccountNo, AgentLoss> = self.matched_placements.iter().map(loss).collect();
        for pixel in self.pixels.iter().filter(|pixel| pixel.needs_correction()) {
            if let Some(loss) = pixel.shown_agent.and_then(|agent| losses.get_mut(&agent)) {
                loss.pixels += 1;
            }
        }
        losses
    }

    /// Returns the corrections after which the canvas shows the remaining placements only, as their agents'
    /// pixels.
    pub fn corrections(&self) -> Vec<Correction> {
        let points =
            self.target.rect.points().zip(&self.pixels).filter(|(_, pixel)| pixel.needs_correction());
        let correction = |(point, pixel): (Point, &PixelState)| Correction {
            point,
            color: pixel.restored,
            replaced_seq: pixel.latest_seq,
            restored: pixel.remaining,
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
            self.log_placement(point, color, AccountNo(agent), None);
        }

        fn log_placement(
            &mut self,
            point: Point,
            color: u8,
            agent: AccountNo,
            restored_agent: Option<AccountNo>,
        ) {
            let seq = self.head().next();
            self.log.push(LoggedPlacement { seq, point, color, agent, restored_agent });
        }

        fn head(&self) -> Seq {
            Seq(self.log.len() as i64)
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
                let restored = correction.restored.map(|placement| placement.agent);
                self.log_placement(correction.point, correction.color, AccountNo::OPERATOR, restored);
            }
        }

        fn apply(&mut self, step: &Step) {
            match *step {
                Step::Paint { x, y, color, agent } => self.paint(Point { x, y }, color, agent),
                Step::RollBack { agent, corners, back } => {
                    let up_to_seq = self.head();
                    let filter = RollbackFilter {
                        agent: agent.map(AccountNo),
                        rect: rect(corners),
                        after_seq: up_to_seq.minus(back),
                        up_to_seq,
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

        fn shown(&self) -> Vec<(u8, Option<AccountNo>)> {
            replay(self.log.iter())
        }

        /// Replays the log without the rolled back placements and without corrections.
        fn expected(&self) -> Vec<(u8, Option<AccountNo>)> {
            let filters = self.active_filters();
            let is_rolled_back =
                |placed: &&LoggedPlacement| filters.iter().any(|filter| filter.matches(placed));
            replay(
                self.log
                    .iter()
                    .filter(|placed| placed.agent != AccountNo::OPERATOR && !is_rolled_back(placed)),
            )
        }
    }

    /// Returns the colour of each pixel and the agent that it shows as its painter.
    fn replay<'a>(log: impl Iterator<Item = &'a LoggedPlacement>) -> Vec<(u8, Option<AccountNo>)> {
        let mut pixels = vec![(BLANK_COLOR.index(), None); SIZE.area()];
        log.for_each(|placed| pixels[SIZE.index(placed.point)] = (placed.color, placed.shown_agent()));
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
        let target = RollbackFilter {
            agent: Some(AccountNo(2)),
            rect: rect([0, 0, 1, 7]),
            after_seq: Seq::ZERO,
            up_to_seq: Seq(3),
        };
        let mut replay = RollbackReplay::new(target, vec![target]);
        game.log.iter().for_each(|placed| replay.apply(placed));
        assert_eq!(replay.matched_placements(), 1);
        let restored = Some(RemainingPlacement { seq: Seq(1), agent: AccountNo(1) });
        let expected = Correction { point: Point { x: 1, y: 1 }, color: 3, replaced_seq: Seq(2), restored };
        assert_eq!(replay.corrections(), [expected]);
        assert_eq!(replay.corrected_pixels()[3], 3);
    }

    #[test]
    fn a_pixel_repainted_in_its_colour_gets_its_painter_back() {
        let mut game = Game::default();
        game.paint(Point { x: 1, y: 1 }, 3, 1);
        game.paint(Point { x: 1, y: 1 }, 3, 2);
        let target = RollbackFilter {
            agent: Some(AccountNo(2)),
            rect: rect([0, 0, 7, 7]),
            after_seq: Seq::ZERO,
            up_to_seq: Seq(2),
        };
        game.filters.push((target, true));
        game.roll_back(target);
        assert_eq!(game.shown()[9], (3, Some(AccountNo(1))));
    }

    #[test]
    fn losses_count_placements_and_visible_pixels_per_agent() {
        let mut game = Game::default();
        game.paint(Point { x: 1, y: 1 }, 3, 1);
        game.paint(Point { x: 1, y: 1 }, 4, 2);
        game.paint(Point { x: 2, y: 1 }, 5, 2);
        game.paint(Point { x: 3, y: 1 }, 5, 3);
        let target =
            RollbackFilter { agent: None, rect: rect([0, 0, 2, 7]), after_seq: Seq::ZERO, up_to_seq: Seq(4) };
        let mut replay = RollbackReplay::new(target, vec![target]);
        game.log.iter().for_each(|placed| replay.apply(placed));
        let loss = |placements, pixels| AgentLoss { placements, pixels };
        assert_eq!(
            replay.losses().into_iter().collect::<Vec<_>>(),
            [(AccountNo(1), loss(1, 0)), (AccountNo(2), loss(2, 2))]
        );
    }
}
