//! Canvases of the past that were asked for lately: whoever scrubs along time asks for the next one soon.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::canvas::Canvas;

/// How many pixels are kept.
const MOST_PIXELS: usize = 16 << 20;

/// What is kept, by number.
#[derive(Default)]
pub(super) struct Shelf {
    kept: BTreeMap<i64, Kept>,
    pixels: usize,
    requests: u64,
}

struct Kept {
    canvas: Arc<Canvas>,
    /// When someone last asked for it, in requests.
    asked: u64,
}

impl Shelf {
    /// The canvas as of an event.
    pub(super) fn get(&mut self, seq: i64) -> Option<Arc<Canvas>> {
        self.requests += 1;
        let kept = self.kept.get_mut(&seq)?;
        kept.asked = self.requests;
        Some(kept.canvas.clone())
    }

    /// The newest one that lies between the opening of a season and an event.
    pub(super) fn newest(&self, opening: i64, seq: i64) -> Option<Arc<Canvas>> {
        let kept = self.kept.range(opening..=seq.max(opening)).next_back();
        kept.map(|(_, kept)| kept.canvas.clone()).filter(|canvas| canvas.seq <= seq)
    }

    /// Keeps one more, and lets go of those that nobody has asked for longest.
    pub(super) fn keep(&mut self, canvas: &Arc<Canvas>) {
        let kept = Kept { canvas: canvas.clone(), asked: self.requests };
        self.pixels += canvas.pixels.len();
        if let Some(before) = self.kept.insert(canvas.seq, kept) {
            self.pixels -= before.canvas.pixels.len();
        }
        while self.pixels > MOST_PIXELS && self.kept.len() > 1 {
            let others = self.kept.iter().filter(|(seq, _)| **seq != canvas.seq);
            let Some(seq) = others.min_by_key(|(_, kept)| kept.asked).map(|(seq, _)| *seq) else { break };
            self.pixels -= self.kept.remove(&seq).map_or(0, |kept| kept.canvas.pixels.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use rules::grid::Size;

    use super::*;
    use crate::log::world::Season;

    fn canvas(seq: i64, side: u16) -> Arc<Canvas> {
        let season = Season {
            id: "season_a".into(),
            title: "One".into(),
            size: Size { width: side, height: side },
            seq: 1,
            opened_at: DateTime::UNIX_EPOCH,
        };
        Arc::new(Canvas { seq, ..Canvas::blank(season) })
    }

    #[test]
    fn what_was_asked_for_longest_ago_goes_first() {
        let mut shelf = Shelf::default();
        for seq in 1..=4 {
            shelf.keep(&canvas(seq, 2_048));
        }
        assert!(shelf.get(1).is_some());
        shelf.keep(&canvas(5, 2_048));
        let there: Vec<i64> = shelf.kept.keys().copied().collect();
        assert_eq!((there, shelf.pixels), (vec![1, 3, 4, 5], 4 * 2_048 * 2_048));
    }

    #[test]
    fn the_nearest_before_is_of_the_same_season() {
        let mut shelf = Shelf::default();
        [5, 9, 20].iter().for_each(|seq| shelf.keep(&canvas(*seq, 8)));
        let newest = |opening, seq| shelf.newest(opening, seq).map(|canvas| canvas.seq);
        assert_eq!((newest(1, 19), newest(1, 9), newest(1, 4)), (Some(9), Some(9), None));
        assert_eq!((newest(10, 19), newest(10, 3)), (None, None));
    }
}
