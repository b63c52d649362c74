//! Striking placements out: what the canvas would show had some of them never been made.

use super::grid::{Point, Rect};
use super::palette::BLANK;

/// The number of the account through which operators paint. What it painted corrects, and counts for nothing itself.
pub const OPERATOR: i64 = 0;

/// A placement as the log has it.
#[derive(Clone, Copy, Debug)]
pub struct Placed {
    pub seq: i64,
    pub point: Point,
    /// Index into the palette.
    pub color: u8,
    /// The painter's number.
    pub agent: i64,
}

/// Which placements are struck out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strike {
    /// By this agent's number only; anyone's where none is named.
    pub agent: Option<i64>,
    pub rect: Rect,
    /// Those after this event…
    pub after: i64,
    /// …until this one.
    pub upto: i64,
}

impl Strike {
    /// Whether it strikes a placement.
    pub fn covers(&self, placed: &Placed) -> bool {
        (self.after < placed.seq && placed.seq <= self.upto)
            && self.agent.is_none_or(|agent| agent == placed.agent)
            && self.rect.is_near(placed.point, 0)
            && placed.agent != OPERATOR
    }
}

/// A pixel that must be painted over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Correction {
    pub point: Point,
    pub color: u8,
    /// The number of the placement that shows there; whatever was painted since stands.
    pub over: i64,
}

/// A part of a season's canvas, folded with and without what is struck.
pub struct Restoration {
    /// The one that is made or undone now: only what it covers is corrected.
    target: Strike,
    /// All that hold.
    strikes: Vec<Strike>,
    /// Row by row, within the target's rectangle.
    pixels: Vec<Pixel>,
    placements: usize,
}

#[derive(Clone, Copy)]
struct Pixel {
    /// What it shows…
    shown: u8,
    /// …by this placement; 0 where nobody painted.
    latest: i64,
    /// What it would show.
    standing: u8,
    covered: bool,
}

impl Restoration {
    /// Of a blank canvas.
    pub fn new(target: Strike, strikes: Vec<Strike>) -> Self {
        let blank = Pixel { shown: BLANK.index(), latest: 0, standing: BLANK.index(), covered: false };
        Self { target, strikes, pixels: vec![blank; target.rect.area()], placements: 0 }
    }

    /// Folds the next placement in; others than those in the rectangle change nothing.
    pub fn take(&mut self, placed: &Placed) {
        let covered = self.target.covers(placed);
        let stands = placed.agent != OPERATOR && !self.strikes.iter().any(|strike| strike.covers(placed));
        let Some(pixel) = self.target.rect.place(placed.point).and_then(|place| self.pixels.get_mut(place))
        else {
            return;
        };
        (pixel.shown, pixel.latest) = (placed.color, placed.seq);
        pixel.covered |= covered;
        if stands {
            pixel.standing = placed.color;
        }
        self.placements += usize::from(covered);
    }

    /// How many placements the target covers.
    pub fn placements(&self) -> usize {
        self.placements
    }

    /// What must be painted so that the canvas shows what stands.
    pub fn corrections(&self) -> Vec<Correction> {
        let wrong = |pixel: &Pixel| pixel.covered && pixel.shown != pixel.standing;
        let points = self.target.rect.points().zip(&self.pixels).filter(|(_, pixel)| wrong(pixel));
        let correction =
            |(point, pixel): (Point, &Pixel)| Correction { point, color: pixel.standing, over: pixel.latest };
        points.map(correction).collect()
    }

    /// The rectangle with its corrections, row by row.
    pub fn corrected(&self) -> Vec<u8> {
        let color = |pixel: &Pixel| if pixel.covered { pixel.standing } else { pixel.shown };
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

    /// What is done to a canvas in a test.
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
        log: Vec<Placed>,
        /// With whether it holds.
        strikes: Vec<(Strike, bool)>,
    }

    impl Game {
        fn paint(&mut self, point: Point, color: u8, agent: i64) {
            let seq = self.log.len() as i64 + 1;
            self.log.push(Placed { seq, point, color, agent });
        }

        fn holding(&self) -> Vec<Strike> {
            self.strikes.iter().filter(|(_, holds)| *holds).map(|(strike, _)| *strike).collect()
        }

        fn restore(&mut self, target: Strike) {
            let mut restoration = Restoration::new(target, self.holding());
            self.log.iter().for_each(|placed| restoration.take(placed));
            for correction in restoration.corrections() {
                let latest = self.log.iter().rev().find(|placed| placed.point == correction.point);
                assert_eq!(latest.map(|placed| placed.seq), Some(correction.over));
                self.paint(correction.point, correction.color, OPERATOR);
            }
        }

        fn play(&mut self, step: &Step) {
            let upto = self.log.len() as i64;
            match *step {
                Step::Paint { x, y, color, agent } => self.paint(Point { x, y }, color, agent),
                Step::RollBack { agent, corners, back } => {
                    let strike = Strike { agent, rect: rect(corners), after: upto - back, upto };
                    self.strikes.push((strike, true));
                    self.restore(strike);
                }
                Step::Undo { which } => {
                    let Some((strike, holds)) = self.strikes.get_mut(which) else { return };
                    *holds = false;
                    let strike = *strike;
                    self.restore(strike);
                }
            }
        }

        fn shown(&self) -> Vec<u8> {
            fold(self.log.iter())
        }

        /// The fold of the log without what is struck, which knows nothing of corrections.
        fn plain(&self) -> Vec<u8> {
            let strikes = self.holding();
            let struck = |placed: &&Placed| strikes.iter().any(|strike| strike.covers(placed));
            fold(self.log.iter().filter(|placed| placed.agent != OPERATOR && !struck(placed)))
        }
    }

    fn fold<'a>(log: impl Iterator<Item = &'a Placed>) -> Vec<u8> {
        let mut pixels = vec![BLANK.index(); SIZE.area()];
        log.for_each(|placed| pixels[SIZE.index(placed.point)] = placed.color);
        pixels
    }

    proptest! {
        #[test]
        fn the_canvas_equals_a_replay_without_rolled_back_placements(steps in vec(step(), 0..200)) {
            let mut game = Game::default();
            for step in &steps {
                game.play(step);
                prop_assert_eq!(game.shown(), game.plain());
            }
        }
    }

    #[test]
    fn the_preview_matches_the_result_and_changes_only_target_pixels() {
        let mut game = Game::default();
        game.paint(Point { x: 1, y: 1 }, 3, 1);
        game.paint(Point { x: 1, y: 1 }, 4, 2);
        game.paint(Point { x: 2, y: 1 }, 5, 2);
        let target = Strike { agent: Some(2), rect: rect([0, 0, 1, 7]), after: 0, upto: 3 };
        let mut restoration = Restoration::new(target, vec![target]);
        game.log.iter().for_each(|placed| restoration.take(placed));
        assert_eq!(restoration.placements(), 1);
        let expected = Correction { point: Point { x: 1, y: 1 }, color: 3, over: 2 };
        assert_eq!(restoration.corrections(), [expected]);
        assert_eq!(restoration.corrected()[3], 3);
    }
}
