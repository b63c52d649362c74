//! Draws the background wall of a card and the framed canvas on it.

use rules::palette::{self, Rgb};

use crate::formats::CanvasRegion;

/// The colours of the dark theme in `public/css/tokens.css`.
const BACKGROUND_COLOR: Rgb = [0x13, 0x11, 0x10];
const LIT_BACKGROUND_COLOR: Rgb = [0x3a, 0x32, 0x2a];
const FRAME_COLOR: Rgb = [0x07, 0x06, 0x05];
const FRAME_EDGE_COLOR: Rgb = [0x3a, 0x32, 0x2a];
const MAT_COLOR: Rgb = [0xd9, 0xd2, 0xc5];
const BEVEL_COLOR: Rgb = [0xa8, 0x9f, 0x90];
/// The radius of the light on the wall, and that of the frame's shadow, in image pixels.
const LIGHT_RADIUS: f32 = 640.0;
const SHADOW_RADIUS: f32 = 46.0;
/// The distance by which the shadow is lower than the frame, because the light comes from above.
const SHADOW_OFFSET: f32 = 16.0;
/// The thresholds of an ordered dither (a 4×4 Bayer matrix). Without it, the dark gradient would show bands.
const DITHER_MATRIX: [[f32; 4]; 4] =
    [[0., 8., 2., 10.], [12., 4., 14., 6.], [3., 11., 1., 9.], [15., 7., 13., 5.]];

/// A rectangle, in image pixels.
#[derive(Clone, Copy)]
pub(super) struct Area {
    pub left: usize,
    pub top: usize,
    pub width: usize,
    pub height: usize,
}

impl Area {
    /// Returns the area with a border around it.
    pub fn expanded(self, by: usize) -> Self {
        let Self { left, top, width, height } = self;
        Self { left: left - by, top: top - by, width: width + 2 * by, height: height + 2 * by }
    }

    fn center(self) -> (f32, f32) {
        ((self.left + self.width / 2) as f32, (self.top + self.height / 2) as f32)
    }

    /// Returns the distance of a point from the area, or 0 if the point is inside.
    fn distance_to(self, x: f32, y: f32) -> f32 {
        let outside_by =
            |at: f32, from: usize, size: usize| (from as f32 - at).max(at - (from + size) as f32).max(0.0);
        outside_by(x, self.left, self.width).hypot(outside_by(y, self.top, self.height))
    }
}

/// An image in RGB, row by row.
pub(super) struct CardImage {
    pub width: usize,
    pub height: usize,
    pub pixels: Vec<Rgb>,
}

impl CardImage {
    /// Creates the wall, lit around the area of the canvas.
    pub fn lit_background(width: usize, height: usize, lit_area: Area) -> Self {
        let center = lit_area.center();
        let wall_pixel = |index: usize| {
            let column = index % width;
            let row = index / width;
            let x = column as f32;
            let y = row as f32;
            let distance = (x - center.0).hypot((y - center.1) * 1.2) / LIGHT_RADIUS;
            let light = (1.0 - distance).max(0.0).powi(2);
            let shade = 1.0
                - 0.7 * (1.0 - lit_area.distance_to(x, y - SHADOW_OFFSET) / SHADOW_RADIUS).max(0.0).powi(2);
            let dither = DITHER_MATRIX[row % 4][column % 4] / 16.0;
            std::array::from_fn(|channel| {
                let dark = f32::from(BACKGROUND_COLOR[channel]);
                let lit = f32::from(LIT_BACKGROUND_COLOR[channel]);
                ((dark + (lit - dark) * light) * shade + dither) as u8
            })
        };
        Self { width, height, pixels: (0..width * height).map(wall_pixel).collect() }
    }

    /// Draws the canvas in this area, with its frame around it.
    pub fn draw_framed_canvas(
        &mut self,
        region: &CanvasRegion,
        canvas_area: Area,
        mat_width: usize,
        frame_width: usize,
    ) {
        self.fill(canvas_area.expanded(mat_width + frame_width + 1), FRAME_EDGE_COLOR);
        self.fill(canvas_area.expanded(mat_width + frame_width), FRAME_COLOR);
        self.fill(canvas_area.expanded(mat_width), MAT_COLOR);
        self.fill(canvas_area.expanded(1), BEVEL_COLOR);
        let colors = palette::rgb_colors();
        let columns = usize::from(region.size().width);
        let rows = usize::from(region.size().height);
        for y in 0..canvas_area.height {
            for x in 0..canvas_area.width {
                // Each image pixel averages four points, so that a canvas larger than its area loses no row
                // or column.
                let sums = [1, 3].into_iter().flat_map(|sub_y| [1, 3].map(|sub_x| (sub_x, sub_y))).fold(
                    [0_u16; 3],
                    |sum, (sub_x, sub_y)| {
                        let column = (4 * x + sub_x) * columns / (4 * canvas_area.width);
                        let row = (4 * y + sub_y) * rows / (4 * canvas_area.height);
                        let color = colors[usize::from(region.pixels()[row * columns + column])];
                        std::array::from_fn(|channel| sum[channel] + u16::from(color[channel]))
                    },
                );
                let index = (canvas_area.top + y) * self.width + canvas_area.left + x;
                self.pixels[index] = sums.map(|sum| (sum / 4) as u8);
            }
        }
    }

    /// Draws a round light with a glow.
    pub fn draw_light(&mut self, x: usize, y: usize, radius: f32, color: Rgb) {
        let glow_radius = (radius * 3.0) as usize;
        for row in y - glow_radius..=y + glow_radius {
            for column in x - glow_radius..=x + glow_radius {
                let distance = (column as f32 - x as f32).hypot(row as f32 - y as f32);
                let core = (radius + 0.5 - distance).clamp(0.0, 1.0);
                let glow = 0.3 * (1.0 - distance / glow_radius as f32).max(0.0).powi(2);
                self.blend(column as i64, row as i64, color, core.max(glow));
            }
        }
    }

    /// Mixes a colour into a pixel. Pixels outside the image are ignored.
    pub fn blend(&mut self, x: i64, y: i64, color: Rgb, opacity: f32) {
        let in_bounds = |at: i64, size: usize| usize::try_from(at).ok().filter(|at| *at < size);
        let (Some(x), Some(y)) = (in_bounds(x, self.width), in_bounds(y, self.height)) else { return };
        let pixel = &mut self.pixels[y * self.width + x];
        *pixel = std::array::from_fn(|channel| {
            let old = f32::from(pixel[channel]);
            let new = f32::from(color[channel]);
            (old + (new - old) * opacity.clamp(0.0, 1.0)).round() as u8
        });
    }

    fn fill(&mut self, area: Area, color: Rgb) {
        for row in self.pixels.chunks_exact_mut(self.width).skip(area.top).take(area.height) {
            row[area.left..area.left + area.width].fill(color);
        }
    }
}
