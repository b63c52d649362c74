//! The image for vision models: enlarged pixels, a grid, and coordinates along all four edges.

use rules::grid::Size;
use rules::palette::{self, PALETTE, Rgb};

use super::axis::{Axis, DOT_SIZE, TICK_LENGTH};
use super::digits;
use super::formats::{CanvasRegion, encode_indexed};
use super::visual_grid::{Grid, shade};

/// The longer side that an image should reach. Vision models accept images of about this size unchanged and
/// shrink larger ones.
const MIN_IMAGE_EXTENT: usize = 1_000;
/// The maximum length of the longer side, unless the image is larger at the smallest scale.
const MAX_IMAGE_EXTENT: usize = 1_500;
/// The length of the marks at the edges that stand in for light lines.
const EDGE_MARK_LENGTH: usize = 3;
/// The colours that follow the palette's.
const EXTRA_COLORS: [Rgb; 4] =
    [[0x24, 0x28, 0x33], [0xFF, 0xFF, 0xFF], [0x00, 0x00, 0x00], [0xFF, 0xFF, 0xFF]];
const BACKGROUND_INDEX: u8 = PALETTE.len() as u8;
const TEXT_INDEX: u8 = BACKGROUND_INDEX + 1;
const DARK_LINE_INDEX: u8 = BACKGROUND_INDEX + 2;
const LIGHT_LINE_INDEX: u8 = BACKGROUND_INDEX + 3;
/// The index of the first shade: one for each colour of the palette, in its order.
const SHADES_INDEX: u8 = BACKGROUND_INDEX + EXTRA_COLORS.len() as u8;

/// Renders a region of the canvas.
///
/// # Errors
/// Returns an error if the image is too large to be encoded.
pub fn render_png(region: &CanvasRegion, grid: Grid) -> Result<Vec<u8>, png::EncodingError> {
    let (x_axis, y_axis) = choose_axes(region, grid);
    let mut image = GridImage::new(x_axis.extent(), y_axis.extent());
    image.draw_pixels(region.pixels(), &x_axis, &y_axis);
    match grid {
        Grid::Off => {}
        Grid::Light if x_axis.line_width == 0 => image.draw_edge_marks(&x_axis, &y_axis),
        Grid::Light => image.draw_light_grid(&x_axis, &y_axis),
        Grid::On => image.draw_grid(&x_axis, &y_axis),
    }
    image.draw_labels(&x_axis, &y_axis);
    image.encode_png()
}

/// Returns both axes, at the smallest scale at which the image is large enough.
fn choose_axes(region: &CanvasRegion, grid: Grid) -> (Axis, Axis) {
    let mut axes = axes_at(region, grid, 1);
    for scale in 2.. {
        let larger = axes_at(region, grid, scale);
        let is_large_enough = image_extent(&axes.0, &axes.1) >= MIN_IMAGE_EXTENT;
        if is_large_enough || image_extent(&larger.0, &larger.1) > MAX_IMAGE_EXTENT {
            break;
        }
        axes = larger;
    }
    axes
}

fn image_extent(x_axis: &Axis, y_axis: &Axis) -> usize {
    x_axis.extent().max(y_axis.extent())
}

fn axes_at(region: &CanvasRegion, grid: Grid, scale: usize) -> (Axis, Axis) {
    let Size { width, height } = region.size();
    let origin = region.top_left();
    let axis = |first: u16, count: u16| Axis {
        first: first.into(),
        count: count.into(),
        scale,
        line_width: grid.line_width(scale),
        margin: 0,
    };
    let x_axis = axis(origin.x, width);
    let y_axis = axis(origin.y, height);
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

    fn fill(&mut self, x: usize, y: usize, width: usize, height: usize, color: u8) {
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
        let left = x_axis.margin;
        let top = y_axis.margin;
        let width = x_axis.end() + x_axis.line_width - left;
        let height = y_axis.end() + y_axis.line_width - top;
        let half = x_axis.line_width / 2;
        for x in x_axis.grid_lines() {
            self.fill(x, top, x_axis.line_width - half, height, DARK_LINE_INDEX);
            self.fill(x + half, top, half, height, LIGHT_LINE_INDEX);
        }
        for y in y_axis.grid_lines() {
            self.fill(left, y, width, y_axis.line_width - half, DARK_LINE_INDEX);
            self.fill(left, y + half, width, half, LIGHT_LINE_INDEX);
        }
        if half == 0 {
            x_axis.grid_lines().for_each(|x| self.dash_line(x, top, height, self.width));
            y_axis.grid_lines().for_each(|y| self.dash_line(left, y, width, 1));
        }
    }

    /// Draws the frame and the grid in shades of the pixels beside them.
    fn draw_light_grid(&mut self, x_axis: &Axis, y_axis: &Axis) {
        let line_width = x_axis.line_width;
        let columns = x_axis.margin..x_axis.end() + line_width;
        let rows = y_axis.margin..y_axis.end() + line_width;
        for x in x_axis.grid_lines() {
            let beside = neighbour_of_line(x_axis, x);
            for y in rows.clone() {
                let color = self.pixels[y * self.width + beside];
                self.fill(x, y, line_width, 1, shade_index(color));
            }
        }
        for y in y_axis.grid_lines() {
            let beside = neighbour_of_line(y_axis, y);
            for x in columns.clone() {
                let color = self.pixels[beside * self.width + x];
                self.fill(x, y, 1, line_width, shade_index(color));
            }
        }
    }

    /// Marks every eighth pixel at the edges.
    fn draw_edge_marks(&mut self, x_axis: &Axis, y_axis: &Axis) {
        for x in x_axis.grid_lines().take_while(|x| *x < x_axis.end()) {
            self.fill(x, y_axis.margin - EDGE_MARK_LENGTH, 1, EDGE_MARK_LENGTH, TEXT_INDEX);
            self.fill(x, y_axis.end(), 1, EDGE_MARK_LENGTH, TEXT_INDEX);
        }
        for y in y_axis.grid_lines().take_while(|y| *y < y_axis.end()) {
            self.fill(x_axis.margin - EDGE_MARK_LENGTH, y, EDGE_MARK_LENGTH, 1, TEXT_INDEX);
            self.fill(x_axis.end(), y, EDGE_MARK_LENGTH, 1, TEXT_INDEX);
        }
    }

    /// Turns a dark line into a dashed one: every other two image pixels become light.
    fn dash_line(&mut self, x: usize, y: usize, length: usize, stride: usize) {
        let line_start = y * self.width + x;
        for offset in (0..length).filter(|along| along / 2 % 2 == 1) {
            self.pixels[line_start + offset * stride] = LIGHT_LINE_INDEX;
        }
    }

    fn draw_labels(&mut self, x_axis: &Axis, y_axis: &Axis) {
        let text_height = digits::DIGIT_HEIGHT * DOT_SIZE;
        let bottom = y_axis.end() + y_axis.line_width;
        let right = x_axis.end() + x_axis.line_width;
        for index in x_axis.label_indices(x_axis.label_width()) {
            let text = (x_axis.first + index).to_string();
            let center = x_axis.center(index);
            let left = center - digits::text_width(text.len()) * DOT_SIZE / 2;
            self.draw_text(left, y_axis.margin - TICK_LENGTH - DOT_SIZE - text_height, &text);
            self.draw_text(left, bottom + TICK_LENGTH + DOT_SIZE, &text);
            self.fill(center, y_axis.margin - TICK_LENGTH, 1, TICK_LENGTH, TEXT_INDEX);
            self.fill(center, bottom, 1, TICK_LENGTH, TEXT_INDEX);
        }
        for index in y_axis.label_indices(text_height) {
            let text = (y_axis.first + index).to_string();
            let center = y_axis.center(index);
            // Labels at the sides must not cover those above and below, which may reach into the corners.
            let top = center.saturating_sub(text_height / 2).min(self.height - text_height);
            let label_width = digits::text_width(text.len()) * DOT_SIZE;
            self.draw_text(x_axis.margin - TICK_LENGTH - DOT_SIZE - label_width, top, &text);
            self.draw_text(right + TICK_LENGTH + DOT_SIZE, top, &text);
            self.fill(x_axis.margin - TICK_LENGTH, center, TICK_LENGTH, 1, TEXT_INDEX);
            self.fill(right, center, TICK_LENGTH, 1, TEXT_INDEX);
        }
    }

    fn draw_text(&mut self, x: usize, y: usize, text: &str) {
        for (right, below) in digits::digit_dots(text) {
            self.fill(x + right * DOT_SIZE, y + below * DOT_SIZE, DOT_SIZE, DOT_SIZE, TEXT_INDEX);
        }
    }

    fn encode_png(&self) -> Result<Vec<u8>, png::EncodingError> {
        let shades = palette::rgb_colors().into_iter().map(shade);
        let colors = palette::rgb_colors().into_iter().chain(EXTRA_COLORS).chain(shades).collect::<Vec<_>>();
        encode_indexed(self.width, self.height, png::BitDepth::Eight, &colors, [&self.pixels])
    }
}

/// Returns the image coordinate of the pixels whose shade a line takes: those before it, or after the first
/// line.
fn neighbour_of_line(axis: &Axis, line: usize) -> usize {
    if line == axis.margin { line + axis.line_width } else { line - 1 }
}

/// Returns the index of a palette colour's shade. Other colours are returned unchanged: where two lines
/// cross, the first of them has a shade already.
fn shade_index(color: u8) -> u8 {
    if color < BACKGROUND_INDEX { SHADES_INDEX + color } else { color }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::formats::tests::{decode_png, sample_region};
    use super::super::visual_grid::luminance;
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

    const GRIDS: [Grid; 3] = [Grid::Off, Grid::Light, Grid::On];

    #[test]
    fn no_line_covers_any_part_of_a_pixel() {
        let rgb = palette::rgb_colors();
        let mut scales = BTreeSet::new();
        for ((x, y, width, height), grid) in
            EXTENTS.into_iter().flat_map(|extent| GRIDS.map(|grid| (extent, grid)))
        {
            let region = sample_region(x, y, Size { width, height }, test_pattern(width, height));
            let (x_axis, y_axis) = choose_axes(&region, grid);
            let (image_width, image_height, colors) = decode_png(render_png(&region, grid).unwrap());
            assert_eq!((image_width, image_height), (x_axis.extent(), y_axis.extent()));
            scales.insert(x_axis.scale);
            for (place, color) in region.pixels().iter().enumerate() {
                let left = x_axis.start(place % usize::from(width));
                let top = y_axis.start(place / usize::from(width));
                for row in top..top + y_axis.scale {
                    let start = row * image_width + left;
                    let shown = &colors[start..start + x_axis.scale];
                    let is_exact = shown.iter().all(|shown| *shown == rgb[usize::from(*color)]);
                    assert!(is_exact, "{place} of {width} x {height} at ({x}, {y}), {grid:?}: {shown:?}");
                }
            }
        }
        assert!([1, 2].iter().all(|scale| scales.contains(scale)) && scales.len() > 6, "{scales:?}");
    }

    #[test]
    fn images_have_a_size_that_models_do_not_rescale() {
        for ((x, y, width, height), grid) in
            EXTENTS.into_iter().flat_map(|extent| GRIDS.map(|grid| (extent, grid)))
        {
            let region = sample_region(x, y, Size { width, height }, Vec::new());
            let (x_axis, y_axis) = choose_axes(&region, grid);
            let extent = image_extent(&x_axis, &y_axis);
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
        for (color, (grid, min_contrast)) in
            (0..16).flat_map(|color| [(Grid::Light, 30.0), (Grid::On, 100.0)].map(|grid| (color, grid)))
        {
            let region = sample_region(0, 0, Size { width: 16, height: 16 }, vec![color; 256]);
            let (x_axis, y_axis) = choose_axes(&region, grid);
            let (width, _, colors) = decode_png(render_png(&region, grid).unwrap());
            let canvas = luminance(palette::rgb_colors()[usize::from(color)]);
            let contrast = |places: &mut dyn Iterator<Item = usize>| {
                places.map(|place| (luminance(colors[place]) - canvas).abs()).fold(0.0, f64::max)
            };
            for x in x_axis.grid_lines() {
                let row = (y_axis.start(3) + 1) * width;
                let contrast = contrast(&mut (x..x + x_axis.line_width).map(|x| row + x));
                assert!(contrast > min_contrast, "{color} at x {x}, {grid:?}: {contrast}");
            }
            for y in y_axis.grid_lines() {
                let column = x_axis.start(3) + 1;
                let contrast = contrast(&mut (y..y + y_axis.line_width).map(|y| y * width + column));
                assert!(contrast > min_contrast, "{color} at y {y}, {grid:?}: {contrast}");
            }
        }
    }

    #[test]
    fn small_pixels_have_marks_at_the_edges_instead_of_light_lines() {
        for (side, scale) in [(1_000, 1), (600, 2), (40, 24)] {
            let region =
                sample_region(0, 0, Size { width: side, height: side }, vec![0; usize::from(side).pow(2)]);
            let (x_axis, y_axis) = choose_axes(&region, Grid::Light);
            let (width, _, colors) = decode_png(render_png(&region, Grid::Light).unwrap());
            let has_lines = x_axis.line_width > 0;
            assert_eq!((x_axis.scale, has_lines), (scale, scale > 2));
            let row_above = (y_axis.margin - 1) * width;
            let marks = (0..width).filter(|x| colors[row_above + x] == EXTRA_COLORS[1]).collect::<Vec<_>>();
            for index in (0..usize::from(side)).step_by(8).filter(|_| !has_lines) {
                assert!(marks.contains(&x_axis.start(index)), "{side}: {index}");
            }
        }
        let off = sample_region(0, 0, Size { width: 16, height: 16 }, vec![0; 256]);
        let (x_axis, y_axis) = choose_axes(&off, Grid::Off);
        let (width, _, colors) = decode_png(render_png(&off, Grid::Off).unwrap());
        let row = (y_axis.start(3) * width)..(y_axis.start(3) * width + width);
        let white = colors[row].iter().filter(|color| **color == palette::rgb_colors()[0]).count();
        assert!(white >= 16 * x_axis.scale, "without lines there are no gaps");
    }

    #[test]
    fn labels_are_the_real_coordinates() {
        let region = sample_region(57, 33, Size { width: 1, height: 1 }, vec![5]);
        let (x_axis, y_axis) = choose_axes(&region, Grid::Light);
        let (width, _, colors) = decode_png(render_png(&region, Grid::Light).unwrap());
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
