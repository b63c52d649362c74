//! Colours as the templates of the console draw them.

use rules::palette::{PALETTE, Swatch};

/// Returns a colour of the palette; `None` if there is none with this index.
pub fn find_swatch(color: &u8) -> Option<&'static Swatch> {
    PALETTE.get(usize::from(*color))
}
