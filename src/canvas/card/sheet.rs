//! A picture while it is drawn: the wall with its lamp, and what hangs on it.

use rules::palette::{self, Rgb};

use crate::canvas::picture::Cutout;

/// The gallery at night, as in `public/css/tokens.css`.
const WALL: Rgb = [0x13, 0x11, 0x10];
const LIT: Rgb = [0x3a, 0x32, 0x2a];
const FRAME: Rgb = [0x07, 0x06, 0x05];
const EDGE: Rgb = [0x3a, 0x32, 0x2a];
const MAT: Rgb = [0xd9, 0xd2, 0xc5];
const BEVEL: Rgb = [0xa8, 0x9f, 0x90];
/// How far the lamp's light and the frame's shadow reach.
const LAMP: f32 = 640.0;
const SHADOW: f32 = 46.0;
/// The light comes from above.
const FALL: f32 = 16.0;
/// Thresholds in an order in which no two neighbours are alike: a dark wall would show steps.
const GRAIN: [[f32; 4]; 4] = [[0., 8., 2., 10.], [12., 4., 14., 6.], [3., 11., 1., 9.], [15., 7., 13., 5.]];

/// Left, top, width and height in image pixels.
#[derive(Clone, Copy)]
pub(super) struct Area {
    pub left: usize,
    pub top: usize,
    pub width: usize,
    pub height: usize,
}

impl Area {
    /// The same with a border around it.
    pub fn grown(self, by: usize) -> Self {
        let Self { left, top, width, height } = self;
        Self { left: left - by, top: top - by, width: width + 2 * by, height: height + 2 * by }
    }

    fn middle(self) -> (f32, f32) {
        ((self.left + self.width / 2) as f32, (self.top + self.height / 2) as f32)
    }

    /// How far a point lies outside.
    fn distance(self, x: f32, y: f32) -> f32 {
        let beyond =
            |at: f32, from: usize, size: usize| (from as f32 - at).max(at - (from + size) as f32).max(0.0);
        beyond(x, self.left, self.width).hypot(beyond(y, self.top, self.height))
    }
}

/// Rows of red, green and blue.
pub(super) struct Sheet {
    pub width: usize,
    pub height: usize,
    pub inks: Vec<Rgb>,
}

impl Sheet {
    /// A wall with a lamp over what will hang at a place.
    pub fn wall(width: usize, height: usize, work: Area) -> Self {
        let middle = work.middle();
        let spot = |place: usize| {
            let (column, row) = (place % width, place / width);
            let (x, y) = (column as f32, row as f32);
            let far = (x - middle.0).hypot((y - middle.1) * 1.2) / LAMP;
            let light = (1.0 - far).max(0.0).powi(2);
            let shade = 1.0 - 0.7 * (1.0 - work.distance(x, y - FALL) / SHADOW).max(0.0).powi(2);
            let grain = GRAIN[row % 4][column % 4] / 16.0;
            std::array::from_fn(|part| {
                let (dark, lit) = (f32::from(WALL[part]), f32::from(LIT[part]));
                ((dark + (lit - dark) * light) * shade + grain) as u8
            })
        };
        Self { width, height, inks: (0..width * height).map(spot).collect() }
    }

    /// Hangs a canvas, in its frame, where its paint shall be.
    pub fn hang(&mut self, cutout: &Cutout, paint: Area, mat: usize, frame: usize) {
        self.fill(paint.grown(mat + frame + 1), EDGE);
        self.fill(paint.grown(mat + frame), FRAME);
        self.fill(paint.grown(mat), MAT);
        self.fill(paint.grown(1), BEVEL);
        let colors = palette::rgb_colors();
        let (columns, rows) = (usize::from(cutout.size().width), usize::from(cutout.size().height));
        for y in 0..paint.height {
            for x in 0..paint.width {
                // Four points of each image pixel: a canvas that is larger than its picture loses no line.
                let sums = [1, 3].into_iter().flat_map(|down| [1, 3].map(|right| (right, down))).fold(
                    [0_u16; 3],
                    |sum, (right, down)| {
                        let column = (4 * x + right) * columns / (4 * paint.width);
                        let row = (4 * y + down) * rows / (4 * paint.height);
                        let color = colors[usize::from(cutout.pixels()[row * columns + column])];
                        std::array::from_fn(|part| sum[part] + u16::from(color[part]))
                    },
                );
                let place = (paint.top + y) * self.width + paint.left + x;
                self.inks[place] = sums.map(|sum| (sum / 4) as u8);
            }
        }
    }

    /// A round light, with its glow.
    pub fn lamp(&mut self, (x, y): (usize, usize), radius: f32, ink: Rgb) {
        let reach = (radius * 3.0) as usize;
        for row in y - reach..=y + reach {
            for column in x - reach..=x + reach {
                let far = (column as f32 - x as f32).hypot(row as f32 - y as f32);
                let core = (radius + 0.5 - far).clamp(0.0, 1.0);
                let glow = 0.3 * (1.0 - far / reach as f32).max(0.0).powi(2);
                self.blend(column as i64, row as i64, ink, core.max(glow));
            }
        }
    }

    /// Lays a share of an ink over a point; beside the sheet, nothing.
    pub fn blend(&mut self, x: i64, y: i64, ink: Rgb, share: f32) {
        let inside = |at: i64, size: usize| usize::try_from(at).ok().filter(|at| *at < size);
        let (Some(x), Some(y)) = (inside(x, self.width), inside(y, self.height)) else { return };
        let under = &mut self.inks[y * self.width + x];
        *under = std::array::from_fn(|part| {
            let (old, new) = (f32::from(under[part]), f32::from(ink[part]));
            (old + (new - old) * share.clamp(0.0, 1.0)).round() as u8
        });
    }

    fn fill(&mut self, area: Area, ink: Rgb) {
        for row in self.inks.chunks_exact_mut(self.width).skip(area.top).take(area.height) {
            row[area.left..area.left + area.width].fill(ink);
        }
    }
}
