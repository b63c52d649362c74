//! The image for vision models: enlarged pixels, a grid, and coordinates along all four edges.

use rules::grid::Size;
use rules::palette::{self, PALETTE, Rgb};

use super::axis::{Axis, DOT_SIZE, TICK_LENGTH};
use super::digits;
use super::formats::{CanvasRegion, encode_indexed};

/// The longer side that an image should reach. Vision models accept images of about this size unchanged and
/// shrink larger ones.
const MIN_IMAGE_EXTENT: usize = 1_000;
/// The maximum length of the longer side, unless the image is larger at the smallest scale.
const MAX_IMAGE_EXTENT: usize = 1_500;
/// The scale from which a grid line has a dark and a light half, so that it is visible on any colour.
const TWO_TONE_MIN_SCALE: usize = 4;
/// The scale from which both halves are twice as wide.
const WIDE_LINE_MIN_SCALE: usize = 24;

/// The colours that follow the palette's.
const EXTRA_COLORS: [Rgb; 4] =
    [[0x24, 0x28, 0x33], [0xFF, 0xFF, 0xFF], [0x00, 0x00, 0x00], [0xFF, 0xFF, 0xFF]];
const BACKGROUND_INDEX: u8 = PALETTE.len() as u8;
const TEXT_INDEX: u8 = BACKGROUND_INDEX + 1;
const DARK_LINE_INDEX: u8 = BACKGROUND_INDEX + 2;
const LIGHT_LINE_INDEX: u8 = BACKGROUND_INDEX + 3;

/// Renders a region of the canvas.
///
/// # Errors
/// Returns an error if the image is too large to be encoded.
pub fn render_png(region: &CanvasRegion) -> Result<Vec<u8>, png::EncodingError> {
    let (x_axis, y_axis) = choose_axes(region);
    let mut image = GridImage::new(x_axis.extent(), y_axis.extent());
    image.draw_pixels(region.pixels(), &x_axis, &y_axis);
    image.draw_grid(&x_axis, &y_axis);
    image.draw_labels(&x_axis, &y_axis);
    image.encode_png()
}

/// Returns both axes, at the smallest scale at which the image is large enough.
fn choose_axes(region: &CanvasRegion) -> (Axis, Axis) {
    let mut axes = axes_at(region, 1);
    for scale in 2.. {
        let larger = axes_at(region, scale);
        if image_extent(&axes) >= MIN_IMAGE_EXTENT || image_extent(&larger) > MAX_IMAGE_EXTENT {
            break;
        }
        axes = larger;
    }
    axes
}

fn image_extent((x_axis, y_axis): &(Axis, Axis)) -> usize {
    x_axis.extent().max(y_axis.extent())
}

fn axes_at(region: &CanvasRegion, scale: usize) -> (Axis, Axis) {
    let Size { width, height } = region.size();
    let origin = region.top_left();
    let line = match scale {
        ..TWO_TONE_MIN_SCALE => 1,
        TWO_TONE_MIN_SCALE..WIDE_LINE_MIN_SCALE => 2,
        WIDE_LINE_MIN_SCALE.. => 4,
    };
    let axis = |first: u16, count: u16| Axis {
        first: first.into(),
        count: count.into(),
        scale,
        line_width: line,
        margin: 0,
    };
    let (x_axis, y_axis) = (axis(origin.x, width), axis(origin.y, height));
    // A label is centred on its pixel, and may be wider than the pixel on both sides.
    let side_margin = y_axis.label_width().max(x_axis.label_width() / 2) + TICK_LENGTH + 3 * DOT_SIZE;
    let top_margin = digits::DIGIT_HEIGHT * DOT_SIZE + TICK_LENGTH + 3 * DOT_SIZE;
    (Axis { margin: side_margin, ..x_axis }, Axis { margin: top_margin, ..y_axis })
}

/// An indexed image, one byte per image pixel.
struct GridImage {
    width: usize,
    height: usize,
    pixels: Vec<u8>,
}

impl GridImage {
    fn new(width: usize, height: usize) -> Self {
        Self { width, height, pixels: vec![BACKGROUND_INDEX; width * height] }
    }

    fn fill(&mut self, (x, y): (usize, usize), (width, height): (usize, usize), color: u8) {
        for row in self.pixels.chunks_exact_mut(self.width).skip(y).take(height) {
            row[x..x + width].fill(color);
        }
    }

    fn draw_pixels(&mut self, pixels: &[u8], x_axis: &Axis, y_axis: &Axis) {
        for (row_index, row) in pixels.chunks_exact(x_axis.count).enumerate() {
            let row_start = y_axis.start(row_index) * self.width;
            for (column_index, color) in row.iter().enumerate() {
                let start = row_start + x_axis.start(column_index);
                self.pixels[start..start + x_axis.scale].fill(*color);
            }
            for repeat in 1..y_axis.scale {
                self.pixels.copy_within(row_start..row_start + self.width, row_start + repeat * self.width);
            }
        }
    }

    /// Draws the frame and the grid. A line that is one image pixel wide is dashed dark and light, a wider
    /// one has a dark and a light half.
    fn draw_grid(&mut self, x_axis: &Axis, y_axis: &Axis) {
        let (left, top) = (x_axis.margin, y_axis.margin);
        let (width, height) =
            (x_axis.end() + x_axis.line_width - left, y_axis.end() + y_axis.line_width - top);
        let half = x_axis.line_width / 2;
        for x in x_axis.grid_lines() {
            self.fill((x, top), (x_axis.line_width - half, height), DARK_LINE_INDEX);
            self.fill((x + half, top), (half, height), LIGHT_LINE_INDEX);
        }
        for y in y_axis.grid_lines() {
            self.fill((left, y), (width, y_axis.line_width - half), DARK_LINE_INDEX);
            self.fill((left, y + half), (width, half), LIGHT_LINE_INDEX);
        }
        if half == 0 {
            x_axis.grid_lines().for_each(|x| self.dash_line((x, top), height, self.width));
            y_axis.grid_lines().for_each(|y| self.dash_line((left, y), width, 1));
        }
    }

    /// Turns a dark line into a dashed one: every other two image pixels become light.
    fn dash_line(&mut self, (x, y): (usize, usize), length: usize, stride: usize) {
        let line_start = y * self.width + x;
        for offset in (0..length).filter(|along| along / 2 % 2 == 1) {
            self.pixels[line_start + offset * stride] = LIGHT_LINE_INDEX;
        }
    }

    fn draw_labels(&mut self, x_axis: &Axis, y_axis: &Axis) {
        let text_height = digits::DIGIT_HEIGHT * DOT_SIZE;
        let (bottom, right) = (y_axis.end() + y_axis.line_width, x_axis.end() + x_axis.line_width);
        for index in x_axis.label_indices(x_axis.label_width()) {
            let text = (x_axis.first + index).to_string();
            let center = x_axis.center(index);
            let left = center - digits::text_width(text.len()) * DOT_SIZE / 2;
            self.draw_text((left, y_axis.margin - TICK_LENGTH - DOT_SIZE - text_height), &text);
            self.draw_text((left, bottom + TICK_LENGTH + DOT_SIZE), &text);
            self.fill((center, y_axis.margin - TICK_LENGTH), (1, TICK_LENGTH), TEXT_INDEX);
            self.fill((center, bottom), (1, TICK_LENGTH), TEXT_INDEX);
        }
        for index in y_axis.label_indices(text_height) {
            let text = (y_axis.first + index).to_string();
            let center = y_axis.center(index);
            // Labels at the sides must not cover those above and below, which may reach into the corners.
            let top = center.saturating_sub(text_height / 2).min(self.height - text_height);
            let label_width = digits::text_width(text.len()) * DOT_SIZE;
            self.draw_text((x_axis.margin - TICK_LENGTH - DOT_SIZE - label_width, top), &text);
            self.draw_text((right + TICK_LENGTH + DOT_SIZE, top), &text);
            self.fill((x_axis.margin - TICK_LENGTH, center), (TICK_LENGTH, 1), TEXT_INDEX);
            self.fill((right, center), (TICK_LENGTH, 1), TEXT_INDEX);
        }
    }

    fn draw_text(&mut self, (x, y): (usize, usize), text: &str) {
        for (right, below) in digits::digit_dots(text) {
            self.fill((x + right * DOT_SIZE, y + below * DOT_SIZE), (DOT_SIZE, DOT_SIZE), TEXT_INDEX);
        }
    }

    fn encode_png(&self) -> Result<Vec<u8>, png::EncodingError> {
        let colors = palette::rgb_colors().into_iter().chain(EXTRA_COLORS).collect::<Vec<_>>();
        encode_indexed((self.width, self.height), png::BitDepth::Eight, &colors, [&self.pixels])
    }
}

#[cfg(test)]
mod tests {
    use super::super::formats::tests::{decode_png, sample_region};
    use super::*;

    /// Returns pixels of which two neighbours always differ, and no two rows are equal.
    fn test_pattern(width: u16, height: u16) -> Vec<u8> {
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
            let region = sample_region((x, y), Size { width, height }, test_pattern(width, height));
            let (x_axis, y_axis) = choose_axes(&region);
            let (image_width, image_height, colors) = decode_png(render_png(&region).unwrap());
            assert_eq!((image_width, image_height), (x_axis.extent(), y_axis.extent()));
            let rgb = palette::rgb_colors();
            for (place, color) in region.pixels().iter().enumerate() {
                let (left, top) =
                    (x_axis.start(place % usize::from(width)), y_axis.start(place / usize::from(width)));
                for (dx, dy) in [
                    (0, 0),
                    (x_axis.scale - 1, 0),
                    (0, y_axis.scale - 1),
                    (x_axis.scale - 1, y_axis.scale - 1),
                ] {
                    let actual = colors[(top + dy) * image_width + left + dx];
                    assert_eq!(
                        actual,
                        rgb[usize::from(*color)],
                        "{place} of {width} x {height} at ({x}, {y})"
                    );
                }
            }
        }
    }

    #[test]
    fn images_have_a_size_that_models_do_not_rescale() {
        for (x, y, width, height) in EXTENTS {
            let extent =
                image_extent(&choose_axes(&sample_region((x, y), Size { width, height }, Vec::new())));
            // There may be no scale at which the image fits between both limits.
            let min_extent = if (500..MIN_IMAGE_EXTENT as u16).contains(&width.max(height)) {
                700
            } else {
                MIN_IMAGE_EXTENT
            };
            assert!((min_extent..=MAX_IMAGE_EXTENT).contains(&extent), "{extent} for {width} x {height}");
        }
    }

    #[test]
    fn grid_lines_contrast_with_every_color() {
        let luminance = |color: Rgb| {
            color
                .iter()
                .zip([0.299, 0.587, 0.114])
                .map(|(channel, weight)| f64::from(*channel) * weight)
                .sum::<f64>()
        };
        for color in 0..16 {
            let region = sample_region((0, 0), Size { width: 16, height: 16 }, vec![color; 256]);
            let (x_axis, y_axis) = choose_axes(&region);
            let (width, _, colors) = decode_png(render_png(&region).unwrap());
            let canvas = luminance(palette::rgb_colors()[usize::from(color)]);
            for x in x_axis.grid_lines() {
                let row = &colors[(y_axis.start(3) + 1) * width..];
                let contrast = (x..x + x_axis.line_width)
                    .map(|x| (luminance(row[x]) - canvas).abs())
                    .fold(0.0, f64::max);
                assert!(contrast > 100.0, "{color} at {x}: {contrast}");
            }
        }
    }

    #[test]
    fn labels_are_the_real_coordinates() {
        let region = sample_region((57, 33), Size { width: 1, height: 1 }, vec![5]);
        let (x_axis, y_axis) = choose_axes(&region);
        let (width, _, colors) = decode_png(render_png(&region).unwrap());
        let is_text = |x: usize, y: usize| colors[y * width + x] == EXTRA_COLORS[1];
        let left = x_axis.center(0) - digits::text_width(2) * DOT_SIZE / 2;
        let top = y_axis.margin - TICK_LENGTH - DOT_SIZE - digits::DIGIT_HEIGHT * DOT_SIZE;
        let mut actual = Vec::new();
        for y in 0..digits::DIGIT_HEIGHT {
            actual.extend(
                (0..digits::text_width(2))
                    .filter(|x| is_text(left + x * DOT_SIZE, top + y * DOT_SIZE))
                    .map(|x| (x, y)),
            );
        }
        let mut expected: Vec<_> = digits::digit_dots("57").collect();
        expected.sort_by_key(|(x, y)| (*y, *x));
        assert_eq!(actual, expected);
    }
}
