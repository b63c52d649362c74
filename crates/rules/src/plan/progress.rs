//! The progress of a plan, followed placement by placement.

use std::sync::Arc;

use serde::Serialize;
use utoipa::ToSchema;

use super::Target;
use crate::grid::Point;

/// The progress of a plan: `total = done + left`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = PlanProgress)]
pub struct Progress {
    /// Pixels that the picture has a colour for.
    pub total: usize,
    /// Pixels that have their colour.
    pub done: usize,
    /// Pixels that do not.
    pub left: usize,
    /// Those of `left` that had their colour since the picture was set, and were painted over.
    pub damaged: usize,
}

/// The pixels of a target picture that are right, and those that have been right.
#[derive(Clone, Debug)]
pub struct ProgressTracker {
    target: Arc<Target>,
    /// The number of pixels that the picture has a colour for.
    total: usize,
    /// One flag for each pixel of the area, row by row.
    right: Flags,
    was_right: Flags,
}

impl ProgressTracker {
    /// Returns the progress at the time at which the picture is set. `color_at` returns the palette index of
    /// a pixel of the canvas.
    pub fn new(target: Arc<Target>, color_at: impl Fn(Point) -> u8) -> Self {
        let mut right = Flags::new(target.area().area());
        let mut total = 0;
        for (point, color) in target.pixels() {
            total += 1;
            if color_at(point) == color.index()
                && let Some(index) = target.index_of(point)
            {
                right.set(index, true);
            }
        }
        Self { target, total, was_right: right.clone(), right }
    }

    /// Records that a pixel has been right since the picture was set.
    pub fn record_was_right(&mut self, point: Point) {
        if let Some(index) = self.target.index_of(point) {
            self.was_right.set(index, true);
        }
    }

    /// Applies a placement, given the palette index of its colour.
    pub fn apply(&mut self, point: Point, color: u8) {
        let Some((index, wanted)) = self.target.wanted_at(point) else { return };
        let is_right = wanted.index() == color;
        self.right.set(index, is_right);
        if is_right {
            self.was_right.set(index, true);
        }
    }

    /// Returns the target picture.
    pub fn target(&self) -> &Arc<Target> {
        &self.target
    }

    /// Returns the pixels that had their colour since the picture was set and were painted over, row by row.
    pub fn damaged(&self) -> impl Iterator<Item = Point> {
        let is_damaged = |index: usize| self.was_right.get(index) && !self.right.get(index);
        let points = self.target.pixels().map(|(point, _)| point);
        points.filter(move |point| self.target.index_of(*point).is_some_and(is_damaged))
    }

    /// Returns the progress.
    pub fn progress(&self) -> Progress {
        let total = self.total;
        let done = self.right.count();
        // What is right now has been right, too.
        Progress { total, done, left: total - done, damaged: self.was_right.count() - done }
    }
}

/// A list of flags, 64 in each word.
#[derive(Clone, Debug)]
struct Flags(Box<[u64]>);

impl Flags {
    fn new(length: usize) -> Self {
        Self(vec![0; length.div_ceil(64)].into())
    }

    fn get(&self, index: usize) -> bool {
        self.0[index / 64] >> (index % 64) & 1 == 1
    }

    fn set(&mut self, index: usize, value: bool) {
        let word = &mut self.0[index / 64];
        let bit = 1 << (index % 64);
        *word = if value { *word | bit } else { *word & !bit };
    }

    fn count(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }
}
