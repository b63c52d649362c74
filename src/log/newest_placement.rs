//! The newest placement on a pixel, which decides the colour of the pixel and the progress of plans.

/// The newest placement on a pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewestPlacement {
    /// The index into the palette.
    pub color: u8,
    /// The painter's number, as [`crate::log::live::event::compact_painter`] returns it.
    pub painter: u32,
    /// The number of its event; 0 if the pixel was never painted.
    pub seq: i64,
}
