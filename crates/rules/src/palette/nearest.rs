//! The palette colour that looks most like any other colour.

use std::sync::LazyLock;

use super::{Color, PALETTE, Rgb, parse_hex};

/// A colour in Oklab: lightness, and the two axes green–red and blue–yellow.
type Oklab = [f64; 3];

/// The weight of the two colour axes relative to lightness: about 2 fits measured differences of colours best
/// (<https://github.com/w3c/csswg-drafts/issues/6642#issuecomment-945714988>).
const CHROMA_SCALE: f64 = 2.0;

static PALETTE_IN_OKLAB: LazyLock<[Oklab; PALETTE.len()]> =
    LazyLock::new(|| PALETTE.map(|swatch| to_oklab(parse_hex(swatch.hex))));

/// Returns the palette colour nearest to a colour of sRGB; of equally near ones, the first.
///
/// Near is the Euclidean distance in Oklab, in which equal distances look equal (Björn Ottosson, “A
/// perceptual color space for image processing”, 2020, <https://bottosson.github.io/posts/oklab/>), with a
/// larger weight of the colour than of its lightness.
pub fn nearest_color(rgb: Rgb) -> Color {
    let wanted = to_oklab(rgb);
    let distances = PALETTE_IN_OKLAB.iter().map(|color| distance(wanted, *color));
    let nearest = distances.zip(0..).min_by(|(one, _), (other, _)| one.total_cmp(other));
    Color(nearest.map_or(0, |(_, index)| index))
}

/// Returns the square of the distance between two colours.
fn distance(one: Oklab, other: Oklab) -> f64 {
    let scales = [1.0, CHROMA_SCALE, CHROMA_SCALE];
    (0..3).map(|axis| scales[axis] * (one[axis] - other[axis])).map(|part| part * part).sum()
}

/// Converts a colour of sRGB with the matrices of the source above.
fn to_oklab(rgb: Rgb) -> Oklab {
    let linear = rgb.map(to_linear);
    let cones = [
        [0.412_221_470_8, 0.536_332_536_3, 0.051_445_992_9],
        [0.211_903_498_2, 0.680_699_545_1, 0.107_396_956_6],
        [0.088_302_461_9, 0.281_718_837_6, 0.629_978_700_5],
    ]
    .map(|weights| dot(weights, linear).cbrt());
    [
        [0.210_454_255_3, 0.793_617_785_0, -0.004_072_046_8],
        [1.977_998_495_1, -2.428_592_205_0, 0.450_593_709_9],
        [0.025_904_037_1, 0.782_771_766_2, -0.808_675_766_0],
    ]
    .map(|weights| dot(weights, cones))
}

fn dot(weights: [f64; 3], values: [f64; 3]) -> f64 {
    weights.iter().zip(values).map(|(weight, value)| weight * value).sum()
}

/// Returns the light of a channel, 0–1, by the transfer function of IEC 61966-2-1 (sRGB).
fn to_linear(channel: u8) -> f64 {
    let value = f64::from(channel) / 255.0;
    if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::palette::rgb_colors;

    #[test]
    fn oklab_of_known_colours_is_as_published() {
        for (rgb, expected) in [
            ([255, 255, 255], [1.0, 0.0, 0.0]),
            ([255, 0, 0], [0.627_96, 0.224_86, 0.125_85]),
            ([0, 0, 255], [0.452_01, -0.032_46, -0.311_53]),
        ] {
            let lab = to_oklab(rgb);
            assert!(
                lab.iter().zip(expected).all(|(got, want): (&f64, f64)| (got - want).abs() < 1e-4),
                "{lab:?}"
            );
        }
    }

    #[test]
    fn colours_of_the_palette_are_their_own_nearest() {
        for (rgb, index) in rgb_colors().into_iter().zip(0..) {
            assert_eq!(nearest_color(rgb).index(), index);
        }
    }

    #[test]
    fn colours_between_look_like_the_nearest() {
        for (rgb, name) in [
            ([0, 0, 0], "black"),
            ([255, 0, 0], "red"),
            ([250, 250, 245], "white"),
            ([0, 255, 0], "green"),
            ([120, 75, 50], "brown"),
            ([128, 128, 128], "grey"),
            ([0, 0, 128], "dark blue"),
            ([0, 100, 0], "green"),
            ([128, 0, 0], "brown"),
            ([192, 192, 192], "light grey"),
            ([255, 192, 203], "pink"),
        ] {
            assert_eq!(PALETTE[usize::from(nearest_color(rgb).index())].name, name, "{rgb:?}");
        }
    }
}
