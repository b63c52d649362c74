//! One agent's part of the picture and its progress.

use std::collections::VecDeque;

use crate::api_types::{Canvas, PixelInput, Rect};

/// The pixels that one agent paints.
pub struct Assignment {
    pixels: Vec<PixelInput>,
    remaining: VecDeque<PixelInput>,
    is_first_pass: bool,
}

impl Assignment {
    /// Returns a share of these pixels.
    pub fn new(pixels: Vec<PixelInput>) -> Self {
        Assignment { remaining: pixels.iter().copied().collect(), pixels, is_first_pass: true }
    }

    /// Returns true if no pixels are left.
    pub fn is_done(&self) -> bool {
        self.remaining.is_empty()
    }

    /// Returns the number of pixels that are left.
    pub fn remaining_count(&self) -> usize {
        self.remaining.len()
    }

    /// Returns the finished percentage.
    pub fn percent(&self) -> usize {
        let done_count = self.pixels.len().saturating_sub(self.remaining.len());
        (done_count * 100).checked_div(self.pixels.len()).unwrap_or(100)
    }

    /// Returns the next pixels.
    pub fn next_pixels(&self, count: usize) -> Vec<PixelInput> {
        self.remaining.iter().take(count).copied().collect()
    }

    /// Removes the next pixels, which were painted or given up. Returns the number that were new.
    pub fn advance(&mut self, count: usize) -> usize {
        let count = count.min(self.remaining.len());
        self.remaining.drain(..count);
        let new_count = if self.is_first_pass { count } else { 0 };
        self.is_first_pass &= !self.remaining.is_empty();
        new_count
    }

    /// Discards the expected colours of the next pixels after another account painted there.
    pub fn clear_expected_colors(&mut self, count: usize) {
        for pixel in self.remaining.iter_mut().take(count) {
            pixel.expected_color = None;
        }
    }

    /// Starts again with all pixels, also those that are complete.
    pub fn restart(&mut self) {
        let without_expected_color = |dot: &PixelInput| PixelInput { expected_color: None, ..*dot };
        self.remaining = self.pixels.iter().map(without_expected_color).collect();
    }

    /// Starts again with the pixels that were painted over. `canvas` is cropped to the share's region.
    pub fn queue_overpainted(&mut self, canvas: &Canvas) {
        let Some(region) = self.region() else { return };
        let with_current_color = |dot: &PixelInput| PixelInput {
            expected_color: canvas.color_at(dot.x - region.x1, dot.y - region.y1),
            ..*dot
        };
        self.remaining = self
            .pixels
            .iter()
            .map(with_current_color)
            .filter(|d| d.expected_color != Some(d.color))
            .collect();
    }

    /// Returns the smallest rectangle around the share; `None` if it is empty.
    pub fn region(&self) -> Option<Rect> {
        Rect::around(&self.pixels)
    }

    /// Returns the region and the colours of the next pixels, for an intent.
    pub fn next_region_and_colors(&self, count: usize) -> Option<(Rect, Vec<u8>)> {
        let next = self.next_pixels(count);
        let mut colors: Vec<u8> = next.iter().map(|d| d.color).collect();
        colors.sort_unstable();
        colors.dedup();
        Rect::around(&next).map(|region| (region, colors))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assignment() -> Assignment {
        let pixel = |x, color| PixelInput { x, y: 5, color, expected_color: Some(0) };
        Assignment::new(vec![pixel(10, 1), pixel(11, 2), pixel(12, 2)])
    }

    fn canvas_with_row(row: &str) -> Canvas {
        Canvas { width: 3, height: 1, palette: vec![], version: 0, rows: vec![row.to_owned()] }
    }

    #[test]
    fn only_the_first_pass_counts_as_new() {
        let mut assignment = assignment();
        assert_eq!(assignment.advance(2), 2);
        assert_eq!(assignment.percent(), 66);
        assert_eq!(assignment.advance(9), 1);
        assignment.restart();
        assert_eq!(assignment.advance(3), 0);
    }

    #[test]
    fn queues_pixels_that_were_painted_over() {
        let mut assignment = assignment();
        assignment.advance(3);
        assignment.queue_overpainted(&canvas_with_row("152"));
        let next = assignment.next_pixels(9);
        assert_eq!(next.iter().map(|d| (d.x, d.expected_color)).collect::<Vec<_>>(), [(11, Some(5))]);
        assignment.queue_overpainted(&canvas_with_row("122"));
        assert!(assignment.is_done());
    }

    #[test]
    fn next_region_covers_the_next_pixels() {
        let (region, colors) = assignment().next_region_and_colors(2).unwrap();
        assert_eq!(region, Rect { x1: 10, y1: 5, x2: 11, y2: 5 });
        assert_eq!(colors, [1, 2]);
    }
}
