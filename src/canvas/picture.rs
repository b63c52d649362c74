//! The canvas in its three forms: JSON for language models, bytes for programs, PNG for eyes.

use std::io::Write as _;

use serde::Serialize;
use utoipa::ToSchema;

use crate::rules::grid::{Corners, Rect, Size};
use crate::rules::palette::{self, PALETTE, Swatch};
use crate::world::World;

/// The canvas, or a part of it, in JSON.
#[derive(Debug, Serialize, ToSchema)]
pub struct CanvasJson {
    pub width: u16,
    pub height: u16,
    /// Which part it is; absent for the whole canvas.
    #[serde(flatten)]
    pub part: Option<Corners>,
    #[schema(value_type = Vec<Swatch>)]
    pub palette: &'static [Swatch],
    /// Number of the last event that changed a pixel.
    pub version: i64,
    /// `season_…`.
    pub season: String,
    /// One lowercase hex digit per pixel, one string per row.
    pub rows: Vec<String>,
}

fn hex_row(row: &[u8]) -> String {
    row.iter().map(|color| char::from_digit(u32::from(*color), 16).unwrap_or('0')).collect()
}

/// Part of a canvas, cut out so that it can be drawn without holding the world.
pub struct Cutout {
    size: Size,
    /// None for the whole canvas.
    part: Option<Corners>,
    version: i64,
    season: String,
    pixels: Vec<u8>,
}

impl Cutout {
    /// Copies a part of the canvas.
    pub fn of(world: &World, rect: Rect) -> Self {
        let rows = rect.rows(world.season.size, world.pixels());
        Self {
            size: rect.size(),
            part: (rect != world.season.size.whole()).then(|| rect.corners()),
            version: world.version,
            season: world.season.id.clone(),
            pixels: rows.flatten().copied().collect(),
        }
    }

    /// Number of the last event that changed a pixel.
    pub fn version(&self) -> i64 {
        self.version
    }

    /// One palette index per pixel, row by row.
    pub fn pixels(&self) -> &[u8] {
        &self.pixels
    }

    /// The form that language models read.
    pub fn json(&self) -> CanvasJson {
        let Size { width, height } = self.size;
        CanvasJson {
            width,
            height,
            part: self.part,
            palette: &PALETTE,
            version: self.version,
            season: self.season.clone(),
            rows: self.pixels.chunks_exact(usize::from(width)).map(hex_row).collect(),
        }
    }

    /// Draws it as an indexed PNG with `scale`×`scale` image pixels for each pixel.
    ///
    /// # Errors
    /// When the image is too large to be encoded.
    pub fn png(&self, scale: u16) -> Result<Vec<u8>, png::EncodingError> {
        let scale = usize::from(scale);
        let width = usize::from(self.size.width) * scale;
        let height = usize::from(self.size.height) * scale;
        let mut image = Vec::new();
        let mut encoder = png::Encoder::new(&mut image, width as u32, height as u32);
        encoder.set_color(png::ColorType::Indexed);
        encoder.set_depth(png::BitDepth::Four);
        encoder.set_palette(palette::rgb().concat());
        encoder.set_compression(png::Compression::Fast);
        encoder.set_filter(png::Filter::Up);
        let mut writer = encoder.write_header()?;
        let mut lines = writer.stream_writer()?;
        for row in self.pixels.chunks_exact(usize::from(self.size.width)) {
            let line = packed(row, scale);
            for _ in 0..scale {
                lines.write_all(&line)?;
            }
        }
        lines.finish()?;
        writer.finish()?;
        Ok(image)
    }
}

/// One line of the image: two pixels a byte, so that a large picture is never held uncompressed.
fn packed(row: &[u8], scale: usize) -> Vec<u8> {
    let wide: Vec<u8> = row.iter().flat_map(|color| std::iter::repeat_n(*color, scale)).collect();
    wide.chunks(2).map(|pair| pair[0] << 4 | pair.get(1).copied().unwrap_or(0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_png_holds_every_pixel_scaled() {
        let size = Size { width: 3, height: 1 };
        let (part, season, pixels) = (None, String::new(), vec![0, 5, 15]);
        let cutout = Cutout { size, part, version: 1, season, pixels };
        let image = cutout.png(3).unwrap();
        let mut decoder = png::Decoder::new(std::io::Cursor::new(image));
        decoder.set_transformations(png::Transformations::EXPAND);
        let mut reader = decoder.read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        assert_eq!((info.width, info.height), (9, 3));
        let rgb = palette::rgb();
        for (position, pixel) in pixels.chunks_exact(3).enumerate() {
            let color = usize::from([0u8, 5, 15][position % 9 / 3]);
            assert_eq!(pixel, rgb[color], "{position}");
        }
    }
}
