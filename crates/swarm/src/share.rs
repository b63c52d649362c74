//! One agent's part of the picture, and how far it has come with it.

use std::collections::VecDeque;

use crate::wire::{Canvas, Dot, Rect};

pub struct Share {
    all: Vec<Dot>,
    todo: VecDeque<Dot>,
    first_pass: bool,
}

impl Share {
    pub fn new(dots: Vec<Dot>) -> Self {
        Share { todo: dots.iter().copied().collect(), all: dots, first_pass: true }
    }

    pub fn is_done(&self) -> bool {
        self.todo.is_empty()
    }

    pub fn left(&self) -> usize {
        self.todo.len()
    }

    pub fn percent(&self) -> usize {
        let done = self.all.len().saturating_sub(self.todo.len());
        (done * 100).checked_div(self.all.len()).unwrap_or(100)
    }

    pub fn upcoming(&self, count: usize) -> Vec<Dot> {
        self.todo.iter().take(count).copied().collect()
    }

    /// The next dots are painted, or given up; says how many of them were new.
    pub fn strike(&mut self, count: usize) -> usize {
        let count = count.min(self.todo.len());
        self.todo.drain(..count);
        let new = if self.first_pass { count } else { 0 };
        self.first_pass &= !self.todo.is_empty();
        new
    }

    /// Somebody else painted there: what this agent has seen of the next dots no longer holds.
    pub fn forget_seen(&mut self, count: usize) {
        for dot in self.todo.iter_mut().take(count) {
            dot.expected_color = None;
        }
    }

    /// Everything once more, needed or not.
    pub fn restart(&mut self) {
        let unseen = |dot: &Dot| Dot { expected_color: None, ..*dot };
        self.todo = self.all.iter().map(unseen).collect();
    }

    /// Only what has been painted over; `view` is the canvas cropped to the share's region.
    pub fn mend(&mut self, view: &Canvas) {
        let Some(region) = self.region() else { return };
        let look = |dot: &Dot| Dot { expected_color: view.at(dot.x - region.x1, dot.y - region.y1), ..*dot };
        self.todo = self.all.iter().map(look).filter(|d| d.expected_color != Some(d.color)).collect();
    }

    pub fn region(&self) -> Option<Rect> {
        Rect::around(&self.all)
    }

    /// Where the next strokes go, and in which colours: what an intent announces.
    pub fn outlook(&self, strokes: usize) -> Option<(Rect, Vec<u8>)> {
        let next = self.upcoming(strokes);
        let mut colors: Vec<u8> = next.iter().map(|d| d.color).collect();
        colors.sort_unstable();
        colors.dedup();
        Rect::around(&next).map(|region| (region, colors))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share() -> Share {
        let dot = |x, color| Dot { x, y: 5, color, expected_color: Some(0) };
        Share::new(vec![dot(10, 1), dot(11, 2), dot(12, 2)])
    }

    fn view(row: &str) -> Canvas {
        Canvas { width: 3, height: 1, palette: vec![], version: 0, rows: vec![row.to_owned()] }
    }

    #[test]
    fn only_the_first_pass_counts_as_new() {
        let mut share = share();
        assert_eq!(share.strike(2), 2);
        assert_eq!(share.percent(), 66);
        assert_eq!(share.strike(9), 1);
        share.restart();
        assert_eq!(share.strike(3), 0);
    }

    #[test]
    fn queues_pixels_that_were_painted_over() {
        let mut share = share();
        share.strike(3);
        share.mend(&view("152"));
        let todo = share.upcoming(9);
        assert_eq!(todo.iter().map(|d| (d.x, d.expected_color)).collect::<Vec<_>>(), [(11, Some(5))]);
        share.mend(&view("122"));
        assert!(share.is_done());
    }

    #[test]
    fn next_region_covers_the_next_pixels() {
        let (region, colors) = share().outlook(2).unwrap();
        assert_eq!(region, Rect { x1: 10, y1: 5, x2: 11, y2: 5 });
        assert_eq!(colors, [1, 2]);
    }
}
