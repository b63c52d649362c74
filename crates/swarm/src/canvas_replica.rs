//! A spectator's replica of the canvas: loaded once, then updated from the stream.

use crate::client::CanvasBody;

/// The canvas of one spectator.
pub struct CanvasReplica {
    width: usize,
    cells: Vec<u8>,
    version: u64,
}

/// The result of comparing a replica with the server's canvas.
#[derive(Debug, PartialEq, Eq)]
pub enum Comparison {
    Same,
    /// The canvas is newer than the stream.
    Behind,
    /// The stream is newer than the canvas body.
    Ahead,
    /// The versions are equal and the colours differ.
    Differs(String),
}

impl CanvasReplica {
    /// Returns a replica of a loaded canvas; `None` if the body has no version.
    pub fn new(width: u32, body: CanvasBody) -> Option<Self> {
        Some(CanvasReplica { width: width as usize, cells: body.bytes, version: body.version? })
    }

    /// Applies a placement. Returns false if the point is outside the canvas.
    pub fn apply_placement(&mut self, seq: u64, x: u32, y: u32, color: u8) -> bool {
        if seq <= self.version {
            return true;
        }
        self.version = seq;
        let is_inside = (x as usize) < self.width;
        let cell = self.cells.get_mut(y as usize * self.width + x as usize).filter(|_| is_inside);
        cell.map(|cell| *cell = color).is_some()
    }

    /// Compares the replica with a loaded canvas.
    pub fn compare(&self, body: &CanvasBody) -> Comparison {
        match body.version {
            None => Comparison::Differs("the canvas has no version".to_owned()),
            Some(version) if version > self.version => Comparison::Behind,
            Some(version) if version < self.version => Comparison::Ahead,
            Some(version) => self.find_differences(version, &body.bytes),
        }
    }

    fn find_differences(&self, version: u64, bytes: &[u8]) -> Comparison {
        if bytes.len() != self.cells.len() {
            return Comparison::Differs(format!("{} pixels instead of {}", bytes.len(), self.cells.len()));
        }
        let mut differences = self
            .cells
            .iter()
            .zip(bytes)
            .enumerate()
            .filter(|(_, (replica_color, served_color))| replica_color != served_color);
        let Some((first, (replica_color, served_color))) = differences.next() else {
            return Comparison::Same;
        };
        let (x, y) = (first % self.width.max(1), first / self.width.max(1));
        let other_count = differences.count();
        Comparison::Differs(format!(
            "at version {version} ({x},{y}) is {replica_color} in the stream and {served_color} on the canvas, and {other_count} more differ"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(version: u64, bytes: &[u8]) -> CanvasBody {
        CanvasBody { bytes: bytes.to_vec(), version: Some(version) }
    }

    #[test]
    fn placements_in_loaded_canvas_are_skipped() {
        let mut replica = CanvasReplica::new(2, body(5, &[0, 1, 2, 3])).unwrap();
        assert!(replica.apply_placement(5, 0, 0, 9) && replica.apply_placement(6, 1, 1, 7));
        assert_eq!(replica.compare(&body(6, &[0, 1, 2, 7])), Comparison::Same);
        assert_eq!(replica.compare(&body(7, &[0, 1, 2, 7])), Comparison::Behind);
        assert_eq!(replica.compare(&body(5, &[0, 1, 2, 3])), Comparison::Ahead);
    }

    #[test]
    fn different_canvas_at_same_version_is_reported() {
        let replica = CanvasReplica::new(2, body(5, &[0, 1, 2, 3])).unwrap();
        let Comparison::Differs(details) = replica.compare(&body(5, &[0, 1, 9, 8])) else { panic!() };
        assert!(details.contains("(0,1) is 2") && details.contains("1 more"), "{details}");
        assert!(matches!(replica.compare(&body(5, &[0])), Comparison::Differs(_)));
    }

    #[test]
    fn point_outside_canvas_is_rejected() {
        let mut replica = CanvasReplica::new(2, body(0, &[0; 4])).unwrap();
        assert!(!replica.apply_placement(1, 2, 0, 1));
        assert!(!replica.apply_placement(2, 0, 2, 1));
    }
}
