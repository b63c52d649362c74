//! The grid of images for vision models: the widths of its lines and the colours of light ones.

use rules::palette::Rgb;

/// The scale from which light lines are drawn. Beside smaller pixels, a line would look like pixels itself.
const LIGHT_LINE_MIN_SCALE: usize = 3;
/// The share of a light line that shows through: the colour beside the line is mixed with black or white.
const LIGHT_LINE_OPACITY: f64 = 0.3;
/// The scale from which a grid line has a dark and a light half, so that it is visible on any colour.
const TWO_TONE_MIN_SCALE: usize = 4;
/// The scale from which all lines are twice as wide.
const WIDE_LINE_MIN_SCALE: usize = 24;

/// The lines at every eighth pixel. They are drawn between pixels and never cover one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Grid {
    /// No lines.
    Off,
    /// Thin lines in a shade of the pixels beside them; marks at the edges where pixels are too small for
    /// lines.
    #[default]
    Light,
    /// Black and white lines.
    On,
}

impl Grid {
    /// Returns the grid's name in queries and entity tags.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Light => "light",
            Self::On => "on",
        }
    }

    /// Returns the width of a line beside pixels of this size, in image pixels.
    pub(super) fn line_width(self, scale: usize) -> usize {
        match (self, scale) {
            (Self::Off, _) | (Self::Light, ..LIGHT_LINE_MIN_SCALE) => 0,
            (Self::Light, LIGHT_LINE_MIN_SCALE..WIDE_LINE_MIN_SCALE) | (Self::On, ..TWO_TONE_MIN_SCALE) => 1,
            (Self::Light, _) | (Self::On, ..WIDE_LINE_MIN_SCALE) => 2,
            (Self::On, _) => 4,
        }
    }
}

/// Returns the colour of a light line on a colour: darker on bright ones, brighter on dark ones.
pub(super) fn shade(color: Rgb) -> Rgb {
    let mixed_with = if luminance(color) > 127.0 { 0.0 } else { 255.0 };
    color.map(|channel| {
        let channel = f64::from(channel);
        (channel + (mixed_with - channel) * LIGHT_LINE_OPACITY).round() as u8
    })
}

/// Returns the perceived brightness of a colour, from 0 to 255 (ITU-R BT.601).
pub(super) fn luminance(color: Rgb) -> f64 {
    let weighted =
        color.iter().zip([0.299, 0.587, 0.114]).map(|(channel, weight)| f64::from(*channel) * weight);
    weighted.sum()
}

#[cfg(test)]
mod tests {
    use rules::palette;

    use super::*;

    #[test]
    fn light_lines_have_no_color_of_the_palette() {
        let palette = palette::rgb_colors();
        assert!(palette.iter().copied().map(shade).all(|shade| !palette.contains(&shade)));
    }
}
