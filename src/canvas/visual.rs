//! The picture for vision models: whole pixels, a grid, and their real coordinates along all four edges.

use rules::grid::Size;
use rules::palette::{self, PALETTE, Rgb};

use super::axis::{Axis, DOT, TICK};
use super::digits;
use super::picture::{Cutout, encode_indexed};

/// Models take pictures of about a thousand image pixels each way as they are, and shrink larger ones.
const ENOUGH: usize = 1_000;
/// The most that a picture has where its pixels let it have less.
const MOST: usize = 1_500;
/// From this scale on a grid line has a dark and a light side, so that it shows beside any colour.
const ROOM_FOR_PAIRS: usize = 4;
/// From this scale on both sides are twice as wide.
const ROOM_FOR_MORE: usize = 24;

/// Colours besides the palette's, by index.
const INKS: [Rgb; 4] = [[0x24, 0x28, 0x33], [0xFF, 0xFF, 0xFF], [0x00, 0x00, 0x00], [0xFF, 0xFF, 0xFF]];
const PAPER: u8 = PALETTE.len() as u8;
const TEXT: u8 = PAPER + 1;
const DARK: u8 = PAPER + 2;
const LIGHT: u8 = PAPER + 3;

/// Draws a part of the canvas, or all of it.
///
/// # Errors
/// When the image is too large to be encoded.
pub fn png(cutout: &Cutout) -> Result<Vec<u8>, png::EncodingError> {
    let (across, down) = axes(cutout);
    let mut sheet = Sheet::new(across.extent(), down.extent());
    sheet.paint(cutout.pixels(), &across, &down);
    sheet.rule(&across, &down);
    sheet.label(&across, &down);
    sheet.encode()
}

/// The two axes, at the smallest scale that gives models enough to see.
fn axes(cutout: &Cutout) -> (Axis, Axis) {
    let mut axes = axes_at(cutout, 1);
    for scale in 2.. {
        let larger = axes_at(cutout, scale);
        if extent(&axes) >= ENOUGH || extent(&larger) > MOST {
            break;
        }
        axes = larger;
    }
    axes
}

fn extent((across, down): &(Axis, Axis)) -> usize {
    across.extent().max(down.extent())
}

fn axes_at(cutout: &Cutout, scale: usize) -> (Axis, Axis) {
    let Size { width, height } = cutout.size();
    let origin = cutout.origin();
    let line = match scale {
        ..ROOM_FOR_PAIRS => 1,
        ROOM_FOR_PAIRS..ROOM_FOR_MORE => 2,
        ROOM_FOR_MORE.. => 4,
    };
    let axis =
        |first: u16, count: u16| Axis { first: first.into(), count: count.into(), scale, line, margin: 0 };
    let (across, down) = (axis(origin.x, width), axis(origin.y, height));
    // A label stands in the middle above its pixel, and may stick out on both sides.
    let beside = down.label_width().max(across.label_width() / 2) + TICK + 3 * DOT;
    let above = digits::HEIGHT * DOT + TICK + 3 * DOT;
    (Axis { margin: beside, ..across }, Axis { margin: above, ..down })
}

/// An image while it is drawn, one byte for each image pixel.
struct Sheet {
    width: usize,
    height: usize,
    inks: Vec<u8>,
}

impl Sheet {
    fn new(width: usize, height: usize) -> Self {
        Self { width, height, inks: vec![PAPER; width * height] }
    }

    fn fill(&mut self, (x, y): (usize, usize), (width, height): (usize, usize), ink: u8) {
        for row in self.inks.chunks_exact_mut(self.width).skip(y).take(height) {
            row[x..x + width].fill(ink);
        }
    }

    fn paint(&mut self, pixels: &[u8], across: &Axis, down: &Axis) {
        for (place, row) in pixels.chunks_exact(across.count).enumerate() {
            let begin = down.start(place) * self.width;
            for (place, color) in row.iter().enumerate() {
                let start = begin + across.start(place);
                self.inks[start..start + across.scale].fill(*color);
            }
            for copy in 1..down.scale {
                self.inks.copy_within(begin..begin + self.width, begin + copy * self.width);
            }
        }
    }

    /// Draws the frame and the grid: a dark and a light side, or dark and light in turns where there is room for one.
    fn rule(&mut self, across: &Axis, down: &Axis) {
        let (left, top) = (across.margin, down.margin);
        let (width, height) = (across.end() + across.line - left, down.end() + down.line - top);
        let half = across.line / 2;
        for x in across.lines() {
            self.fill((x, top), (across.line - half, height), DARK);
            self.fill((x + half, top), (half, height), LIGHT);
        }
        for y in down.lines() {
            self.fill((left, y), (width, down.line - half), DARK);
            self.fill((left, y + half), (width, half), LIGHT);
        }
        if half == 0 {
            across.lines().for_each(|x| self.stitch((x, top), height, self.width));
            down.lines().for_each(|y| self.stitch((left, y), width, 1));
        }
    }

    /// Lightens every other two image pixels of a dark line.
    fn stitch(&mut self, (x, y): (usize, usize), length: usize, stride: usize) {
        let begin = y * self.width + x;
        for along in (0..length).filter(|along| along / 2 % 2 == 1) {
            self.inks[begin + along * stride] = LIGHT;
        }
    }

    fn label(&mut self, across: &Axis, down: &Axis) {
        let tall = digits::HEIGHT * DOT;
        let (bottom, right) = (down.end() + down.line, across.end() + across.line);
        for place in across.labels(across.label_width()) {
            let text = (across.first + place).to_string();
            let middle = across.middle(place);
            let left = middle - digits::width(text.len()) * DOT / 2;
            self.write((left, down.margin - TICK - DOT - tall), &text);
            self.write((left, bottom + TICK + DOT), &text);
            self.fill((middle, down.margin - TICK), (1, TICK), TEXT);
            self.fill((middle, bottom), (1, TICK), TEXT);
        }
        for place in down.labels(tall) {
            let text = (down.first + place).to_string();
            let middle = down.middle(place);
            // The frame's corners belong to the labels above; a label beside may come close to them, not over them.
            let top = middle.saturating_sub(tall / 2).min(self.height - tall);
            let wide = digits::width(text.len()) * DOT;
            self.write((across.margin - TICK - DOT - wide, top), &text);
            self.write((right + TICK + DOT, top), &text);
            self.fill((across.margin - TICK, middle), (TICK, 1), TEXT);
            self.fill((right, middle), (TICK, 1), TEXT);
        }
    }

    fn write(&mut self, (x, y): (usize, usize), text: &str) {
        for (right, below) in digits::dots(text) {
            self.fill((x + right * DOT, y + below * DOT), (DOT, DOT), TEXT);
        }
    }

    fn encode(&self) -> Result<Vec<u8>, png::EncodingError> {
        let colors = palette::rgb_colors().into_iter().chain(INKS).collect::<Vec<_>>();
        encode_indexed((self.width, self.height), png::BitDepth::Eight, &colors, [&self.inks])
    }
}

#[cfg(test)]
mod tests {
    use super::super::picture::tests::{cutout, decode};
    use super::*;

    /// Any two neighbours differ, and no two rows are the same.
    fn pattern(width: u16, height: u16) -> Vec<u8> {
        let colors = (0..u32::from(width) * u32::from(height))
            .map(|number| (number % u32::from(width) + number / u32::from(width) * 5) % 16);
        colors.map(|color| color as u8).collect()
    }

    const EXTENTS: [(i64, i64, u16, u16); 9] = [
        (0, 0, 128, 128),
        (0, 0, 1_000, 1_000),
        (57, 33, 1, 1),
        (6, 5, 20, 11),
        (0, 0, 8, 8),
        (0, 0, 8, 600),
        (900, 3, 97, 211),
        (4_000, 4_000, 96, 2),
        (0, 0, 700, 13),
    ];

    #[test]
    fn every_pixel_keeps_its_size_and_color() {
        for (x, y, width, height) in EXTENTS {
            let cutout = cutout((x, y), Size { width, height }, pattern(width, height));
            let (across, down) = axes(&cutout);
            let (image_width, image_height, colors) = decode(png(&cutout).unwrap());
            assert_eq!((image_width, image_height), (across.extent(), down.extent()));
            let rgb = palette::rgb_colors();
            for (place, color) in cutout.pixels().iter().enumerate() {
                let (left, top) =
                    (across.start(place % usize::from(width)), down.start(place / usize::from(width)));
                for (dx, dy) in
                    [(0, 0), (across.scale - 1, 0), (0, down.scale - 1), (across.scale - 1, down.scale - 1)]
                {
                    let seen = colors[(top + dy) * image_width + left + dx];
                    assert_eq!(seen, rgb[usize::from(*color)], "{place} of {width} x {height} at ({x}, {y})");
                }
            }
        }
    }

    #[test]
    fn images_have_a_size_that_models_do_not_rescale() {
        for (x, y, width, height) in EXTENTS {
            let extent = extent(&axes(&cutout((x, y), Size { width, height }, Vec::new())));
            // Between two scales there may be none that fits.
            let least = if (500..ENOUGH as u16).contains(&width.max(height)) { 700 } else { ENOUGH };
            assert!((least..=MOST).contains(&extent), "{extent} for {width} x {height}");
        }
    }

    #[test]
    fn grid_lines_contrast_with_every_color() {
        let luminance = |color: Rgb| {
            color
                .iter()
                .zip([0.299, 0.587, 0.114])
                .map(|(part, weight)| f64::from(*part) * weight)
                .sum::<f64>()
        };
        for color in 0..16 {
            let cutout = cutout((0, 0), Size { width: 16, height: 16 }, vec![color; 256]);
            let (across, down) = axes(&cutout);
            let (width, _, colors) = decode(png(&cutout).unwrap());
            let canvas = luminance(palette::rgb_colors()[usize::from(color)]);
            for x in across.lines() {
                let row = &colors[(down.start(3) + 1) * width..];
                let contrast =
                    (x..x + across.line).map(|x| (luminance(row[x]) - canvas).abs()).fold(0.0, f64::max);
                assert!(contrast > 100.0, "{color} at {x}: {contrast}");
            }
        }
    }

    #[test]
    fn labels_are_the_real_coordinates() {
        let cutout = cutout((57, 33), Size { width: 1, height: 1 }, vec![5]);
        let (across, down) = axes(&cutout);
        let (width, _, colors) = decode(png(&cutout).unwrap());
        let is_text = |x: usize, y: usize| colors[y * width + x] == INKS[1];
        let left = across.middle(0) - digits::width(2) * DOT / 2;
        let top = down.margin - TICK - DOT - digits::HEIGHT * DOT;
        let mut written = Vec::new();
        for y in 0..digits::HEIGHT {
            written.extend(
                (0..digits::width(2)).filter(|x| is_text(left + x * DOT, top + y * DOT)).map(|x| (x, y)),
            );
        }
        let mut expected: Vec<_> = digits::dots("57").collect();
        expected.sort_by_key(|(x, y)| (*y, *x));
        assert_eq!(written, expected);
    }
}
