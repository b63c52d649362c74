//! The canvas as a spectator has it: loaded once, then drawn stroke by stroke from the stream.

use crate::client::Body;

pub struct Copy {
    width: usize,
    cells: Vec<u8>,
    version: u64,
}

/// How a copy compares with the canvas that the server gives.
#[derive(Debug, PartialEq, Eq)]
pub enum Likeness {
    Same,
    /// The canvas has moved on; the stream has yet to tell.
    Behind,
    /// The stream is further than this body.
    Ahead,
    /// The same number, another picture.
    Differs(String),
}

impl Copy {
    pub fn new(width: u32, body: Body) -> Option<Self> {
        Some(Copy { width: width as usize, cells: body.bytes, version: body.version? })
    }

    /// False when the point does not lie on the canvas.
    pub fn paint(&mut self, seq: u64, x: u32, y: u32, color: u8) -> bool {
        if seq <= self.version {
            return true;
        }
        self.version = seq;
        let inside = (x as usize) < self.width;
        let cell = self.cells.get_mut(y as usize * self.width + x as usize).filter(|_| inside);
        cell.map(|cell| *cell = color).is_some()
    }

    pub fn compare(&self, body: &Body) -> Likeness {
        match body.version {
            None => Likeness::Differs("the canvas has no number".to_owned()),
            Some(version) if version > self.version => Likeness::Behind,
            Some(version) if version < self.version => Likeness::Ahead,
            Some(version) => self.differences(version, &body.bytes),
        }
    }

    fn differences(&self, version: u64, bytes: &[u8]) -> Likeness {
        if bytes.len() != self.cells.len() {
            return Likeness::Differs(format!("{} pixels instead of {}", bytes.len(), self.cells.len()));
        }
        let mut differing = self.cells.iter().zip(bytes).enumerate().filter(|(_, (own, told))| own != told);
        let Some((first, (own, told))) = differing.next() else { return Likeness::Same };
        let (x, y) = (first % self.width.max(1), first / self.width.max(1));
        let more = differing.count();
        Likeness::Differs(format!(
            "at version {version} ({x},{y}) is {own} by the stream and {told} on the canvas, and {more} more differ"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(version: u64, bytes: &[u8]) -> Body {
        Body { bytes: bytes.to_vec(), version: Some(version) }
    }

    #[test]
    fn placements_in_loaded_canvas_are_skipped() {
        let mut copy = Copy::new(2, body(5, &[0, 1, 2, 3])).unwrap();
        assert!(copy.paint(5, 0, 0, 9) && copy.paint(6, 1, 1, 7));
        assert_eq!(copy.compare(&body(6, &[0, 1, 2, 7])), Likeness::Same);
        assert_eq!(copy.compare(&body(7, &[0, 1, 2, 7])), Likeness::Behind);
        assert_eq!(copy.compare(&body(5, &[0, 1, 2, 3])), Likeness::Ahead);
    }

    #[test]
    fn different_canvas_at_same_version_is_reported() {
        let copy = Copy::new(2, body(5, &[0, 1, 2, 3])).unwrap();
        let Likeness::Differs(why) = copy.compare(&body(5, &[0, 1, 9, 8])) else { panic!() };
        assert!(why.contains("(0,1) is 2") && why.contains("1 more"), "{why}");
        assert!(matches!(copy.compare(&body(5, &[0])), Likeness::Differs(_)));
    }

    #[test]
    fn point_outside_canvas_is_rejected() {
        let mut copy = Copy::new(2, body(0, &[0; 4])).unwrap();
        assert!(!copy.paint(1, 2, 0, 1));
        assert!(!copy.paint(2, 0, 2, 1));
    }
}
