//! The newest placement on a pixel, which decides the colour of the pixel and the progress of plans.

use rules::numbers::Seq;

/// The newest placement on a pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewestPlacement {
    /// The index into the palette.
    pub color: u8,
    /// The painter's number, as [`crate::log::live::event::compact_painter`] returns it.
    pub painter: u32,
    /// [`Seq::ZERO`] if the pixel was never painted.
    pub seq: Seq,
}
