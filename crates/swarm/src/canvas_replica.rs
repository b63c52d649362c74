//! A spectator's replica of the canvas: loaded once, then updated from the stream.

use crate::client::CanvasBody;

/// The canvas of one spectator.
pub struct CanvasReplica {
    width: usize,
    cells: Vec<u8>,
    version: u64,
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

    /// Compares the replica with a loaded canvas. `None` if they have different versions.
    ///
    /// # Errors
    /// Returns the difference.
    pub fn compare(&self, body: &CanvasBody) -> Option<Result<(), String>> {
        let Some(version) = body.version else { return Some(Err("the canvas has no version".to_owned())) };
        (version == self.version).then(|| self.find_difference(&body.bytes).map_or(Ok(()), Err))
    }

    fn find_difference(&self, bytes: &[u8]) -> Option<String> {
        if bytes.len() != self.cells.len() {
            return Some(format!("{} pixels instead of {}", bytes.len(), self.cells.len()));
        }
        let mut differences =
            self.cells.iter().zip(bytes).enumerate().filter(|(_, (own, served))| own != served);
        let (first, (own, served)) = differences.next()?;
        let (x, y) = (first % self.width.max(1), first / self.width.max(1));
        let version = self.version;
        let other_count = differences.count();
        Some(format!(
            "at version {version} ({x},{y}) is {own} in the stream and {served} on the canvas, and {other_count} more differ"
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
        assert_eq!(replica.compare(&body(6, &[0, 1, 2, 7])), Some(Ok(())));
        assert_eq!(replica.compare(&body(7, &[0, 1, 2, 7])), None);
        assert_eq!(replica.compare(&body(5, &[0, 1, 2, 3])), None);
    }

    #[test]
    fn different_canvas_at_same_version_is_reported() {
        let replica = CanvasReplica::new(2, body(5, &[0, 1, 2, 3])).unwrap();
        let details = replica.compare(&body(5, &[0, 1, 9, 8])).unwrap().unwrap_err();
        assert!(details.contains("(0,1) is 2") && details.contains("1 more"), "{details}");
        assert!(replica.compare(&body(5, &[0])).unwrap().is_err());
    }

    #[test]
    fn point_outside_canvas_is_rejected() {
        let mut replica = CanvasReplica::new(2, body(0, &[0; 4])).unwrap();
        assert!(!replica.apply_placement(1, 2, 0, 1));
        assert!(!replica.apply_placement(2, 0, 2, 1));
    }
}
