//! The sixteen colours of the palette.

mod nearest;

pub use nearest::nearest_color;

use serde::Serialize;
use utoipa::ToSchema;

/// A colour of the palette.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct Swatch {
    /// The index that a placement uses, 0 to 15.
    pub index: u8,
    /// `#RRGGBB`.
    pub hex: &'static str,
    /// The name in English.
    pub name: &'static str,
}

/// Red, green and blue, 0–255 each.
pub type Rgb = [u8; 3];

const fn swatch(index: u8, hex: &'static str, name: &'static str) -> Swatch {
    Swatch { index, hex, name }
}

/// All colours by index.
pub const PALETTE: [Swatch; 16] = [
    swatch(0, "#FFFFFF", "white"),
    swatch(1, "#E4E4E4", "light grey"),
    swatch(2, "#888888", "grey"),
    swatch(3, "#222222", "black"),
    swatch(4, "#FFA7D1", "pink"),
    swatch(5, "#E50000", "red"),
    swatch(6, "#E59500", "orange"),
    swatch(7, "#A06A42", "brown"),
    swatch(8, "#E5D900", "yellow"),
    swatch(9, "#94E044", "light green"),
    swatch(10, "#02BE01", "green"),
    swatch(11, "#00D3DD", "cyan"),
    swatch(12, "#0083C7", "blue"),
    swatch(13, "#0000EA", "dark blue"),
    swatch(14, "#CF6EE4", "purple"),
    swatch(15, "#820080", "dark purple"),
];

/// The colour of unpainted pixels.
pub const BLANK_COLOR: Color = Color(0);

/// An index into [`PALETTE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Color(u8);

impl Color {
    /// Returns the colour with this index; `None` if it is outside the palette.
    pub fn new(index: i64) -> Option<Self> {
        let index = u8::try_from(index).ok()?;
        (usize::from(index) < PALETTE.len()).then_some(Self(index))
    }

    /// Returns the index, 0–15.
    pub fn index(self) -> u8 {
        self.0
    }
}

/// Returns the palette as RGB values, for images.
pub fn rgb_colors() -> Vec<Rgb> {
    PALETTE.iter().map(|swatch| parse_hex(swatch.hex)).collect()
}

fn parse_hex(hex: &str) -> Rgb {
    let value = u32::from_str_radix(&hex[1..], 16).unwrap_or_default();
    let [_, red, green, blue] = value.to_be_bytes();
    [red, green, blue]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_are_positions() {
        for (position, swatch) in PALETTE.iter().enumerate() {
            assert_eq!(usize::from(swatch.index), position);
        }
    }

    #[test]
    fn colours_outside_the_palette_do_not_exist() {
        assert_eq!(Color::new(15).map(Color::index), Some(15));
        for wrong in [-1, 16, 256, i64::MAX, i64::MIN] {
            assert_eq!(Color::new(wrong), None);
        }
    }

    #[test]
    fn hex_becomes_red_green_blue() {
        assert_eq!(rgb_colors()[6], [0xE5, 0x95, 0x00]);
    }
}
