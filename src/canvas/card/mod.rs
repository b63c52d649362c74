//! The card that is shown where someone links to the gallery: the canvas in its frame, with its name.

mod lettering;
mod sheet;

use std::sync::Arc;
use std::time::Duration;

use rules::grid::Size;
use rules::palette::Rgb;

use super::picture::{self, Cutout, TaggedPng};
use crate::cache::Cache;
use crate::concurrency::run_blocking;
use crate::refusal::Refusal;
use crate::state::AppState;
use lettering::{Cut, Line};
use sheet::{Area, Sheet};

/// The size that all who show cards agree on.
const WIDTH: usize = 1_200;
const HEIGHT: usize = 630;
/// It is drawn again after this at the soonest.
const PAUSE: Duration = Duration::from_mins(1);
const MAX_BYTES: u32 = 8 << 20;
/// The longer side of the paint, the place of its middle, and what is around it.
const PAINT: usize = 512;
const MIDDLE: (usize, usize) = (325, 315);
const MAT: usize = 14;
const FRAME: usize = 7;
/// Where the words begin, and how wide they may be.
const LEFT: f32 = 668.0;
const ROOM: f32 = 472.0;
const INK: Rgb = [0xef, 0xe8, 0xdd];
const SOFT: Rgb = [0xb9, 0xae, 0xa0];
const ACCENT: Rgb = [0xeb, 0xa2, 0x3c];

/// The newest card of each season.
pub struct Card(Cache<String, Arc<TaggedPng>>);

impl Default for Card {
    fn default() -> Self {
        Self(Cache::new("card", MAX_BYTES, Some(PAUSE), |drawn| drawn.body.len()))
    }
}

impl Card {
    /// The card, at most a minute old; `count` says how much is going on, in a few words.
    ///
    /// # Errors
    /// When it cannot be drawn.
    pub async fn get(
        &self,
        state: &AppState,
        count: impl AsyncFnOnce() -> String,
    ) -> Result<Arc<TaggedPng>, Refusal> {
        let season = state.snapshot(|world| world.season.id.clone());
        let drawing = async {
            // The typeface has no narrow space.
            let count = count().await.replace('\u{202f}', " ");
            let cutout = state.snapshot(|world| Cutout::of(world, world.season.size.full_rect()));
            let drawing = run_blocking("drawing a card", move || encode(&draw(&cutout, &count)));
            Ok(Arc::new(TaggedPng::new(drawing.await?)))
        };
        self.0.get_or_compute(season, |_| true, drawing).await
    }
}

fn draw(cutout: &Cutout, count: &str) -> Sheet {
    let paint = paint(cutout.size());
    let mut sheet = Sheet::wall(WIDTH, HEIGHT, paint.grown(MAT + FRAME));
    sheet.hang(cutout, paint, MAT, FRAME);
    let line = |cut, text, size, foot, ink| Line { cut, text, size, left: LEFT, foot, room: ROOM, ink };
    line(Cut::Medium, "Caraplace", 152.0, 300.0, INK).write(&mut sheet);
    line(Cut::Italic, count, 48.0, 376.0, SOFT).write(&mut sheet);
    let live =
        Line { left: LEFT + 28.0, ..line(Cut::Italic, "Painted by machines, live.", 48.0, 430.0, SOFT) };
    live.write(&mut sheet);
    sheet.lamp((LEFT as usize + 9, 419), 7.0, ACCENT);
    sheet
}

/// Where the paint goes: whole image pixels for each pixel, where there are enough of them.
fn paint(size: Size) -> Area {
    let (columns, rows) = (usize::from(size.width), usize::from(size.height));
    let longest = columns.max(rows);
    let side = |length: usize| match PAINT / longest {
        0 => (length * PAINT / longest).max(1),
        scale => length * scale,
    };
    let (width, height) = (side(columns), side(rows));
    Area { left: MIDDLE.0 - width / 2, top: MIDDLE.1 - height / 2, width, height }
}

fn encode(sheet: &Sheet) -> Result<Vec<u8>, png::EncodingError> {
    let lines = sheet.inks.chunks_exact(sheet.width).map(|row| row.as_flattened());
    picture::encode((sheet.width, sheet.height), lines, |encoder| {
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::Balanced);
    })
}

#[cfg(test)]
mod tests {
    use rules::palette;

    use super::super::picture::tests::{cutout, decode};
    use super::*;

    #[test]
    fn card_shows_canvas_corners_and_title() {
        for (width, height) in [(128, 128), (8, 40), (1_000, 300), (4_096, 4_096)] {
            let area = usize::from(width) * usize::from(height);
            let cutout = cutout((0, 0), Size { width, height }, vec![5; area]);
            let (image_width, image_height, inks) =
                decode(encode(&draw(&cutout, "1 agent, 2 pixels.")).unwrap());
            assert_eq!((image_width, image_height), (WIDTH, HEIGHT));
            let Area { left, top, width, height } = paint(cutout.size());
            assert!(width.max(height) > 400 && width.max(height) <= PAINT);
            for (x, y) in [(left, top), (left + width - 1, top + height - 1), (left + width / 2, top)] {
                assert_eq!(inks[y * WIDTH + x], palette::rgb_colors()[5], "{x}, {y}");
            }
            let words = |from: usize, to: usize| {
                inks[from * WIDTH..to * WIDTH].iter().filter(|ink| **ink == INK).count()
            };
            assert!(words(220, 310) > 1_000 && words(500, HEIGHT) == 0);
        }
    }
}
