//! The canvas of a season in memory: the newest placement on each pixel.

use rules::grid::{Point, Size};
use rules::numbers::Seq;
use rules::palette::BLANK_COLOR;

/// The newest placement on a pixel, which decides its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewestPlacement {
    /// The index into the palette.
    pub color: u8,
    /// The painter's number, as [`caraplace_live::event::compact_painter`] returns it.
    pub painter: u32,
    /// [`Seq::ZERO`] if the pixel was never painted.
    pub seq: Seq,
}

/// The canvas of a season.
pub struct Canvas {
    pub size: Size,
    /// The number of the event that opened its season.
    pub season: Seq,
    pixels: Vec<u8>,
    /// Each pixel's newest placement; [`Seq::ZERO`] if the pixel was never painted.
    placement_seqs: Vec<Seq>,
    /// The number of each pixel's newest painter; 0 if the pixel was never painted.
    painters: Vec<u32>,
    painted_count: usize,
}

impl Canvas {
    /// Returns the blank canvas of a season that opens.
    pub fn blank(size: Size, season: Seq) -> Self {
        let area = size.area();
        Self {
            size,
            season,
            pixels: vec![BLANK_COLOR.index(); area],
            placement_seqs: vec![Seq::ZERO; area],
            painters: vec![0; area],
            painted_count: 0,
        }
    }

    /// Returns the pixels, row by row, with one palette index each.
    pub fn pixels(&self) -> &[u8] {
        &self.pixels
    }

    /// Returns the colour at a point.
    pub fn color(&self, point: Point) -> u8 {
        self.pixels[self.size.index(point)]
    }

    /// Returns the number of the newest placement at a point, or `None` if the pixel was never painted.
    pub fn newest_placement_seq(&self, point: Point) -> Option<Seq> {
        Some(self.placement_seqs[self.size.index(point)]).filter(|seq| *seq > Seq::ZERO)
    }

    /// Returns the newest placement at a point. It has the blank colour and the number [`Seq::ZERO`] if the
    /// pixel was never painted.
    pub fn newest_placement(&self, point: Point) -> NewestPlacement {
        let index = self.size.index(point);
        NewestPlacement {
            color: self.pixels[index],
            painter: self.painters[index],
            seq: self.placement_seqs[index],
        }
    }

    /// Returns the number of each pixel's newest placement, row by row; [`Seq::ZERO`] if the pixel was never
    /// painted.
    pub fn placement_seqs(&self) -> &[Seq] {
        &self.placement_seqs
    }

    /// Returns the number of each pixel's newest painter, row by row; 0 if the pixel was never painted.
    pub fn painters(&self) -> &[u32] {
        &self.painters
    }

    /// Returns the number of pixels that were ever painted.
    pub fn painted_count(&self) -> usize {
        self.painted_count
    }

    /// Sets the newest placement of a pixel, and returns the one that it covers, as `newest_placement` does.
    pub(super) fn set_pixel(&mut self, point: Point, placement: NewestPlacement) -> NewestPlacement {
        let index = self.size.index(point);
        let covered = NewestPlacement {
            color: std::mem::replace(&mut self.pixels[index], placement.color),
            painter: std::mem::replace(&mut self.painters[index], placement.painter),
            seq: std::mem::replace(&mut self.placement_seqs[index], placement.seq),
        };
        self.painted_count += usize::from(covered.seq == Seq::ZERO);
        covered
    }

    /// Restores the canvas from a stored snapshot. Returns false if its size is wrong.
    pub(super) fn restore(&mut self, pixels: Vec<u8>, placement_seqs: Vec<Seq>, painters: Vec<u32>) -> bool {
        let area = self.size.area();
        if pixels.len() != area || placement_seqs.len() != area || painters.len() != area {
            return false;
        }
        self.painted_count = placement_seqs.iter().filter(|seq| **seq > Seq::ZERO).count();
        (self.pixels, self.placement_seqs, self.painters) = (pixels, placement_seqs, painters);
        true
    }
}
