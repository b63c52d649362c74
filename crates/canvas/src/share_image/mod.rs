//! The image for link previews on other sites: the canvas in a frame, the name, and a line about the current
//! activity.

mod image;
mod text;

use std::sync::Arc;
use std::time::Duration;

use caraplace_log::state::AppState;
use platform::cache::Cache;
use platform::refusal::Refusal;
use rules::grid::Size;
use rules::palette::Rgb;

use super::formats::{self, CanvasRegion, TaggedPng};
use super::render_threads;
use image::{Area, CardImage};
use text::{FontStyle, TextLine};

/// The size that the common link previews expect, in pixels.
const CARD_WIDTH: usize = 1_200;
const CARD_HEIGHT: usize = 630;
/// The time for which a card is cached.
const CARD_TTL: Duration = Duration::from_mins(1);
const MAX_CACHE_BYTES: u32 = 8 << 20;
/// The longer side of the canvas in the card, the position of its centre, and the widths around it.
const MAX_CANVAS_SIDE: usize = 512;
const CANVAS_CENTER: (usize, usize) = (325, 315);
const MAT_WIDTH: usize = 14;
const FRAME_WIDTH: usize = 7;
/// The left end of the text and its maximum width.
const TEXT_LEFT: f32 = 668.0;
const MAX_TEXT_WIDTH: f32 = 472.0;
const TITLE_COLOR: Rgb = [0xef, 0xe8, 0xdd];
const TEXT_COLOR: Rgb = [0xb9, 0xae, 0xa0];
const ACCENT_COLOR: Rgb = [0xeb, 0xa2, 0x3c];

/// The newest card of each season.
pub struct CardCache(Cache<String, Arc<TaggedPng>>);

impl Default for CardCache {
    fn default() -> Self {
        Self(Cache::new("card", MAX_CACHE_BYTES, Some(CARD_TTL), |image| image.body.len()))
    }
}

impl CardCache {
    /// Returns the card, at most a minute old. `activity_line` computes a short text on the
    /// current activity; it runs only if a card is drawn.
    ///
    /// # Errors
    /// Returns an error if the card cannot be rendered.
    pub async fn get(
        &self,
        state: &AppState,
        activity_line: impl Future<Output = String> + Send,
    ) -> Result<Arc<TaggedPng>, Refusal> {
        let season = state.read_world(|world| world.season.id.clone());
        let render = async {
            // The font has no narrow no-break space.
            let activity_line = activity_line.await.replace('\u{202f}', " ");
            let region =
                state.read_world(|world| CanvasRegion::from_world(world, world.season.size.full_rect()));
            let encoded = render_threads::render("rendering a card", move || {
                encode_png(&draw_card(&region, &activity_line))
            });
            Ok(Arc::new(TaggedPng::new(encoded.await?)))
        };
        self.0.get_or_compute(season, |_| true, render).await
    }
}

fn draw_card(region: &CanvasRegion, activity_line: &str) -> CardImage {
    let canvas_area = canvas_area(region.size());
    let mut image =
        CardImage::lit_background(CARD_WIDTH, CARD_HEIGHT, canvas_area.expanded(MAT_WIDTH + FRAME_WIDTH));
    image.draw_framed_canvas(region, canvas_area, MAT_WIDTH, FRAME_WIDTH);
    let line = |cut, text, size, baseline, color| TextLine {
        style: cut,
        text,
        size,
        left: TEXT_LEFT,
        baseline,
        max_width: MAX_TEXT_WIDTH,
        color,
    };
    line(FontStyle::Medium, "Caraplace", 152.0, 300.0, TITLE_COLOR).draw(&mut image);
    line(FontStyle::Italic, activity_line, 48.0, 376.0, TEXT_COLOR).draw(&mut image);
    let live_line = TextLine {
        left: TEXT_LEFT + 28.0,
        ..line(FontStyle::Italic, "Painted by machines, live.", 48.0, 430.0, TEXT_COLOR)
    };
    live_line.draw(&mut image);
    image.draw_light(TEXT_LEFT as usize + 9, 419, 7.0, ACCENT_COLOR);
    image
}

/// Returns the area of the canvas in the card. Each pixel is a whole number of image pixels wide, if the
/// canvas is small enough.
fn canvas_area(size: Size) -> Area {
    let columns = usize::from(size.width);
    let rows = usize::from(size.height);
    let longest = columns.max(rows);
    let scaled_side = |length: usize| match MAX_CANVAS_SIDE / longest {
        0 => (length * MAX_CANVAS_SIDE / longest).max(1),
        scale => length * scale,
    };
    let width = scaled_side(columns);
    let height = scaled_side(rows);
    Area { left: CANVAS_CENTER.0 - width / 2, top: CANVAS_CENTER.1 - height / 2, width, height }
}

fn encode_png(image: &CardImage) -> Result<Vec<u8>, png::EncodingError> {
    let image_rows = image.pixels.chunks_exact(image.width).map(|row| row.as_flattened());
    formats::encode(image.width, image.height, image_rows, |encoder| {
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::Balanced);
    })
}

#[cfg(test)]
mod tests {
    use rules::palette;

    use super::super::formats::tests::{decode_png, sample_region};
    use super::*;

    #[test]
    fn card_shows_canvas_corners_and_title() {
        for (width, height) in [(128, 128), (8, 40), (1_000, 300), (4_096, 4_096)] {
            let area = usize::from(width) * usize::from(height);
            let region = sample_region(0, 0, Size { width, height }, vec![5; area]);
            let (image_width, image_height, pixels) =
                decode_png(encode_png(&draw_card(&region, "1 agent, 2 pixels.")).unwrap());
            assert_eq!((image_width, image_height), (CARD_WIDTH, CARD_HEIGHT));
            let Area { left, top, width, height } = canvas_area(region.size());
            assert!(width.max(height) > 400 && width.max(height) <= MAX_CANVAS_SIDE);
            for (x, y) in [(left, top), (left + width - 1, top + height - 1), (left + width / 2, top)] {
                assert_eq!(pixels[y * CARD_WIDTH + x], palette::rgb_colors()[5], "{x}, {y}");
            }
            let title_pixels = |from: usize, to: usize| {
                pixels[from * CARD_WIDTH..to * CARD_WIDTH]
                    .iter()
                    .filter(|pixel| **pixel == TITLE_COLOR)
                    .count()
            };
            assert!(title_pixels(220, 310) > 1_000 && title_pixels(500, CARD_HEIGHT) == 0);
        }
    }
}
