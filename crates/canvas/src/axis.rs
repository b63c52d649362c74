//! One axis of an image for vision models: the positions of pixels, grid lines and labels.

use super::digits;

/// Pixels between two grid lines.
const GRID_INTERVAL: usize = 8;
/// The size of a label's dot, in image pixels.
pub const DOT_SIZE: usize = 2;
/// The minimum gap between two labels, in image pixels.
const MIN_LABEL_GAP: usize = 8;
/// The length of the tick between a label and its pixel, in image pixels.
pub const TICK_LENGTH: usize = 6;

/// A range of coordinates and its scale in the image.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    /// The first coordinate.
    pub first: usize,
    /// The number of coordinates.
    pub count: usize,
    /// The size of a canvas pixel, in image pixels.
    pub scale: usize,
    /// The width of a grid line, in image pixels. Lines are drawn between pixels and cover none.
    pub line_width: usize,
    /// Image pixels before and after the canvas.
    pub margin: usize,
}

impl Axis {
    /// Returns the image coordinate at which a pixel begins, by its index on the axis.
    pub fn start(&self, index: usize) -> usize {
        let line_count = (self.first + index) / GRID_INTERVAL - self.first / GRID_INTERVAL;
        self.margin + self.line_width * (line_count + 1) + index * self.scale
    }

    /// Returns the image coordinates of the grid lines: the two of the frame, and one before each multiple of
    /// eight.
    pub fn grid_lines(&self) -> impl Iterator<Item = usize> {
        let inner = (1..self.count).filter(|index| (self.first + index).is_multiple_of(GRID_INTERVAL));
        let inner = inner.map(|index| self.start(index) - self.line_width);
        std::iter::once(self.margin).chain(inner).chain(std::iter::once(self.end()))
    }

    /// Returns the image coordinate at which the canvas ends and the last line of the frame begins.
    pub fn end(&self) -> usize {
        self.start(self.count - 1) + self.scale
    }

    /// Returns the size of the image along this axis, in image pixels.
    pub fn extent(&self) -> usize {
        self.end() + self.line_width + self.margin
    }

    /// Returns the indices of the pixels with a label: the first, the last, and round numbers with enough
    /// space between them.
    pub fn label_indices(&self, label_size: usize) -> Vec<usize> {
        let fits_between = |earlier: usize, later: usize| {
            self.start(later) - self.start(earlier) >= label_size + MIN_LABEL_GAP
        };
        let mut indices = vec![0];
        let last = self.count - 1;
        let step = self.label_step(label_size + MIN_LABEL_GAP);
        let inner = (1..last).filter(|index| (self.first + index).is_multiple_of(step));
        indices.extend(inner.filter(|index| fits_between(0, *index) && fits_between(*index, last)));
        indices.extend(Some(last).filter(|last| fits_between(0, *last)));
        indices
    }

    /// Returns the image coordinate of a pixel's centre.
    pub fn center(&self, index: usize) -> usize {
        self.start(index) + self.scale / 2
    }

    /// Returns the number of digits of the longest label.
    pub fn max_digits(&self) -> usize {
        (self.first + self.count - 1).to_string().len()
    }

    /// Returns the width of the longest label, in image pixels.
    pub fn label_width(&self) -> usize {
        digits::text_width(self.max_digits()) * DOT_SIZE
    }

    /// Returns the smallest power of two whose multiples are at least this far apart.
    fn label_step(&self, min_distance: usize) -> usize {
        let mut step = 1;
        while step * self.scale < min_distance {
            step *= 2;
        }
        step
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AXIS: Axis = Axis { first: 6, count: 20, scale: 10, line_width: 2, margin: 30 };

    #[test]
    fn grid_lines_precede_multiples_of_eight_and_cover_no_pixel() {
        assert_eq!((AXIS.start(0), AXIS.start(1), AXIS.start(2)), (32, 42, 54));
        assert_eq!(AXIS.grid_lines().collect::<Vec<_>>(), [30, 52, 134, 216, 238]);
        assert_eq!(AXIS.extent(), 270);
    }

    #[test]
    fn labels_are_round_numbers_with_a_minimum_gap() {
        assert_eq!(AXIS.label_indices(20), [0, 6, 10, 14, 19]);
        let wide = Axis { first: 0, count: 1_000, scale: 1, line_width: 1, margin: 30 };
        let indices = wide.label_indices(34);
        assert!(
            indices.windows(2).all(|pair| wide.start(pair[1]) - wide.start(pair[0]) >= 34 + MIN_LABEL_GAP)
        );
        assert_eq!((indices[0], indices[1], indices[indices.len() - 1]), (0, 64, 999));
        let one = Axis { first: 57, count: 1, scale: 900, line_width: 2, margin: 30 };
        assert_eq!(one.label_indices(20), [0]);
    }
}
