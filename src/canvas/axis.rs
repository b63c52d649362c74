//! One axis of a picture for vision models: where each pixel, grid line and label stands.

use super::digits;

/// Pixels between two grid lines.
const CELL: usize = 8;
/// Image pixels for each dot of a label.
pub const DOT: usize = 2;
/// Image pixels between labels, at least.
const BETWEEN: usize = 8;
/// Length of the stroke between a label and its pixel.
pub const TICK: usize = 6;

/// A stretch of coordinates and how it is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    /// The first coordinate.
    pub first: usize,
    /// How many coordinates there are.
    pub count: usize,
    /// Image pixels for each pixel.
    pub scale: usize,
    /// Image pixels that a grid line is wide; it stands between pixels and covers none.
    pub line: usize,
    /// Image pixels before and after the canvas.
    pub margin: usize,
}

impl Axis {
    /// Where a pixel begins in the image, by its place on the axis.
    pub fn start(&self, place: usize) -> usize {
        let lines = (self.first + place) / CELL - self.first / CELL;
        self.margin + self.line * (lines + 1) + place * self.scale
    }

    /// Where the lines begin: the frame's two, and one before each multiple of eight.
    pub fn lines(&self) -> impl Iterator<Item = usize> {
        let inner = (1..self.count).filter(|place| (self.first + place).is_multiple_of(CELL));
        let inner = inner.map(|place| self.start(place) - self.line);
        std::iter::once(self.margin).chain(inner).chain(std::iter::once(self.end()))
    }

    /// Where the canvas ends and the frame's last line begins.
    pub fn end(&self) -> usize {
        self.start(self.count - 1) + self.scale
    }

    /// The image's extent.
    pub fn extent(&self) -> usize {
        self.end() + self.line + self.margin
    }

    /// The places that get a label: the first, the last, and round numbers that leave room between.
    pub fn labels(&self, room: usize) -> Vec<usize> {
        let apart = |one: usize, other: usize| self.start(other) - self.start(one) >= room + BETWEEN;
        let mut places = vec![0];
        let last = self.count - 1;
        let round = self.round(room + BETWEEN);
        let inner = (1..last).filter(|place| (self.first + place).is_multiple_of(round));
        places.extend(inner.filter(|place| apart(0, *place) && apart(*place, last)));
        places.extend(Some(last).filter(|last| apart(0, *last)));
        places
    }

    /// The middle of a pixel in the image.
    pub fn middle(&self, place: usize) -> usize {
        self.start(place) + self.scale / 2
    }

    /// Digits of the longest label.
    pub fn digits(&self) -> usize {
        (self.first + self.count - 1).to_string().len()
    }

    /// Image pixels that the longest label is wide.
    pub fn label_width(&self) -> usize {
        digits::width(self.digits()) * DOT
    }

    /// The smallest power of two whose multiples are so far apart.
    fn round(&self, apart: usize) -> usize {
        let mut step = 1;
        while step * self.scale < apart {
            step *= 2;
        }
        step
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AXIS: Axis = Axis { first: 6, count: 20, scale: 10, line: 2, margin: 30 };

    #[test]
    fn grid_lines_precede_multiples_of_eight_and_cover_no_pixel() {
        assert_eq!((AXIS.start(0), AXIS.start(1), AXIS.start(2)), (32, 42, 54));
        assert_eq!(AXIS.lines().collect::<Vec<_>>(), [30, 52, 134, 216, 238]);
        assert_eq!(AXIS.extent(), 270);
    }

    #[test]
    fn labels_are_round_numbers_with_a_minimum_gap() {
        assert_eq!(AXIS.labels(20), [0, 6, 10, 14, 19]);
        let wide = Axis { first: 0, count: 1_000, scale: 1, line: 1, margin: 30 };
        let places = wide.labels(34);
        assert!(places.windows(2).all(|pair| wide.start(pair[1]) - wide.start(pair[0]) >= 34 + BETWEEN));
        assert_eq!((places[0], places[1], places[places.len() - 1]), (0, 64, 999));
        let one = Axis { first: 57, count: 1, scale: 900, line: 2, margin: 30 };
        assert_eq!(one.labels(20), [0]);
    }
}
