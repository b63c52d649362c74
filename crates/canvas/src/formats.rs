//! The canvas in three formats: JSON for language models, raw bytes for programs, and PNG images.

use std::io::Write as _;
use std::iter::repeat_n;
use std::rc::Rc;

use bytes::Bytes;
use caraplace_log::season::Season;
use caraplace_log::world::World;
use chrono::{DateTime, Utc};
use rules::grid::{Corners, Point, Rect, Size};
use rules::micros;
use rules::numbers::Seq;
use rules::palette::{self, PALETTE, Rgb, Swatch};
use serde::Serialize;
use utoipa::ToSchema;

use super::labels::label_rows;

/// The canvas, or a region of it, as JSON.
#[derive(Debug, Serialize, ToSchema)]
pub struct CanvasJson {
    pub width: u16,
    pub height: u16,
    #[serde(flatten)]
    #[schema(value_type = RegionCorners)]
    pub corners: Option<Corners>,
    /// Absent with `palette=false`.
    #[schema(value_type = Option<Vec<Swatch>>)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub palette: Option<&'static [Swatch]>,
    /// Sequence number of the last event that changed a pixel.
    #[schema(value_type = i64)]
    pub version: Seq,
    /// `season_…`.
    pub season: String,
    /// The requested point in time; absent for the current canvas.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<LogPosition>,
    /// One lowercase hex digit per pixel, one string per row. With `labels=true`, each row begins with its y
    /// and a space, and before the first row come one to four lines of a ruler: the digits above a pixel are
    /// its x, read from top to bottom.
    pub rows: Vec<String>,
}

/// The parts of a region's JSON that a client can choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegionOptions {
    /// True to add coordinates to the rows.
    pub labels: bool,
    /// True to include the palette.
    pub palette: bool,
}

impl Default for RegionOptions {
    fn default() -> Self {
        Self { labels: false, palette: true }
    }
}

/// A position in the log.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct LogPosition {
    /// Sequence number of the last event up to this time; 0 before the first event.
    #[schema(value_type = i64)]
    pub seq: Seq,
    /// Its time, with six decimals; before the first event, the time of that event.
    #[serde(serialize_with = "micros::serialize")]
    pub time: DateTime<Utc>,
}

/// The corners of the region; all absent for the whole canvas.
#[derive(ToSchema)]
pub struct RegionCorners {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub x1: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub y1: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub x2: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub y2: Option<i64>,
}

/// Returns a row as a string with one hex digit per pixel.
pub(super) fn hex_digits(row: &[u8]) -> String {
    row.iter().map(|color| hex_digit(*color)).collect()
}

/// Returns a colour as a hex digit.
pub(super) fn hex_digit(color: u8) -> char {
    char::from_digit(color.into(), 16).unwrap_or('0')
}

/// A copy of a region of the canvas, so that it can be rendered without locking the projection.
pub struct CanvasRegion {
    size: Size,
    /// `None` for the whole canvas.
    corners: Option<Corners>,
    version: Seq,
    season: String,
    /// The point in time; `None` for the current canvas.
    at: Option<LogPosition>,
    pixels: Vec<u8>,
}

impl CanvasRegion {
    /// Copies a region of the current canvas.
    pub fn from_world(world: &World, rect: Rect) -> Self {
        Self::from_pixels(&world.season, world.version, world.canvas.pixels(), rect)
    }

    /// Copies a region of a canvas with these pixels, at a version.
    pub fn from_pixels(season: &Season, version: Seq, pixels: &[u8], rect: Rect) -> Self {
        let rows = rect.rows(season.size, pixels);
        Self {
            size: rect.size(),
            corners: (rect != season.size.full_rect()).then(|| rect.corners()),
            version,
            season: season.id.clone(),
            at: None,
            pixels: rows.fold(Vec::with_capacity(rect.size().area()), |mut pixels, row| {
                pixels.extend_from_slice(row);
                pixels
            }),
        }
    }

    /// Returns the whole canvas of a season at a version.
    pub fn whole_canvas(season: &Season, version: Seq, pixels: Vec<u8>) -> Self {
        Self { size: season.size, corners: None, version, season: season.id.clone(), at: None, pixels }
    }

    /// Sets the point in time of a past canvas.
    #[must_use]
    pub(crate) fn with_position(self, at: LogPosition) -> Self {
        Self { at: Some(at), ..self }
    }

    /// Returns the point in time; `None` for the current canvas.
    pub fn position(&self) -> Option<LogPosition> {
        self.at
    }

    /// Returns the size of the region.
    pub fn size(&self) -> Size {
        self.size
    }

    /// Returns the coordinates of the top left pixel on the canvas.
    pub fn top_left(&self) -> Point {
        self.corners
            .map_or(Point { x: 0, y: 0 }, |corners| Point { x: corners.x1 as u16, y: corners.y1 as u16 })
    }

    /// Returns the season's id, `season_…`.
    pub fn season(&self) -> &str {
        &self.season
    }

    /// Returns the sequence number of the last event that changed a pixel.
    pub fn version(&self) -> Seq {
        self.version
    }

    /// Returns one palette index per pixel, row by row.
    pub fn pixels(&self) -> &[u8] {
        &self.pixels
    }

    /// Returns the pixels of each row.
    pub fn rows(&self) -> impl Iterator<Item = &[u8]> {
        self.pixels.chunks_exact(usize::from(self.size.width))
    }

    /// Returns the rows as text: hex digits, and their coordinates if these are wanted.
    pub(super) fn text_rows(&self, labels: bool) -> Vec<String> {
        let rows: Vec<String> = self.rows().map(hex_digits).collect();
        if labels { label_rows(self.top_left(), &rows) } else { rows }
    }

    /// Returns the region as JSON.
    pub fn to_json(&self, options: RegionOptions) -> CanvasJson {
        let Size { width, height } = self.size;
        CanvasJson {
            width,
            height,
            corners: self.corners,
            palette: options.palette.then_some(&PALETTE),
            version: self.version,
            season: self.season.clone(),
            at: self.at,
            rows: self.text_rows(options.labels),
        }
    }

    /// Encodes the region as an indexed PNG with `scale`×`scale` image pixels for each pixel.
    ///
    /// # Errors
    /// Returns an error if the image is too large to be encoded.
    pub fn encode_png(&self, scale: u16) -> Result<Vec<u8>, png::EncodingError> {
        let scale = usize::from(scale);
        let width = usize::from(self.size.width) * scale;
        let height = usize::from(self.size.height) * scale;
        let image_rows = self.rows().flat_map(|row| repeat_n(pack_scaled_row(row, scale), scale));
        encode_indexed(width, height, png::BitDepth::Four, &palette::rgb_colors(), image_rows)
    }
}

/// Returns the part of a season's id that keeps entity tags of different canvases apart.
pub fn short_season_id(season: &str) -> &str {
    season.split_once('_').and_then(|(_, random)| random.get(..8)).unwrap_or(season)
}

/// Returns a region as a part of an entity tag.
pub fn format_span(rect: Rect) -> String {
    let Corners { x1, y1, x2, y2 } = rect.corners();
    format!("{x1}.{y1}.{x2}.{y2}")
}

/// A PNG with its entity tag.
pub struct TaggedPng {
    /// Its entity tag.
    pub etag: String,
    pub body: Bytes,
}

impl TaggedPng {
    /// Returns an image with the entity tag of its bytes.
    pub(super) fn new(image: Vec<u8>) -> Self {
        Self { etag: content_etag(&image), body: image.into() }
    }
}

/// Returns an entity tag for these bytes.
pub fn content_etag(bytes: &[u8]) -> String {
    format!("\"{}\"", &blake3::hash(bytes).to_hex()[..16])
}

/// Encodes an image with a palette. Fast rather than small, because the canvas changes often.
pub(super) fn encode_indexed<L: AsRef<[u8]>>(
    width: usize,
    height: usize,
    depth: png::BitDepth,
    colors: &[Rgb],
    image_rows: impl IntoIterator<Item = L>,
) -> Result<Vec<u8>, png::EncodingError> {
    encode(width, height, image_rows, |png_encoder| {
        png_encoder.set_color(png::ColorType::Indexed);
        png_encoder.set_depth(depth);
        png_encoder.set_palette(colors.concat());
        png_encoder.set_compression(png::Compression::Fast);
        png_encoder.set_filter(png::Filter::Up);
    })
}

/// Encodes an image row by row, so that a large one is never held uncompressed in memory.
pub(crate) fn encode<L: AsRef<[u8]>>(
    width: usize,
    height: usize,
    image_rows: impl IntoIterator<Item = L>,
    configure: impl FnOnce(&mut png::Encoder<'_, &mut Vec<u8>>),
) -> Result<Vec<u8>, png::EncodingError> {
    let mut image = Vec::new();
    let mut encoder = png::Encoder::new(&mut image, width as u32, height as u32);
    configure(&mut encoder);
    let mut writer = encoder.write_header()?;
    let mut stream = writer.stream_writer()?;
    for image_row in image_rows {
        stream.write_all(image_row.as_ref())?;
    }
    stream.finish()?;
    writer.finish()?;
    Ok(image)
}

/// Packs one image row, two pixels per byte. It is shared because scaling repeats it.
fn pack_scaled_row(row: &[u8], scale: usize) -> Rc<[u8]> {
    let scaled: Vec<u8> = row.iter().flat_map(|color| repeat_n(*color, scale)).collect();
    pack_pairs(&scaled)
}

/// Packs colours two per byte. The last byte of an odd number of colours is half used.
pub(crate) fn pack_pairs<B: FromIterator<u8>>(colors: &[u8]) -> B {
    colors.chunks(2).map(|pair| pair[0] << 4 | pair.get(1).copied().unwrap_or(0)).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Returns a region of a canvas whose top left corner is at this point.
    pub fn sample_region(x1: i64, y1: i64, size: Size, pixels: Vec<u8>) -> CanvasRegion {
        let corners =
            Corners { x1, y1, x2: x1 + i64::from(size.width) - 1, y2: y1 + i64::from(size.height) - 1 };
        CanvasRegion {
            size,
            corners: Some(corners),
            version: Seq(1),
            season: String::new(),
            at: None,
            pixels,
        }
    }

    /// Returns the width, the height and the colours of a PNG.
    pub fn decode_png(image: Vec<u8>) -> (usize, usize, Vec<Rgb>) {
        let mut decoder = png::Decoder::new(std::io::Cursor::new(image));
        decoder.set_transformations(png::Transformations::EXPAND);
        let mut reader = decoder.read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        let colors = pixels.chunks_exact(3).map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
        (info.width as usize, info.height as usize, colors)
    }

    #[test]
    fn png_contains_every_pixel_scaled() {
        let image = sample_region(0, 0, Size { width: 3, height: 1 }, vec![0, 5, 15]).encode_png(3).unwrap();
        let (width, height, colors) = decode_png(image);
        assert_eq!((width, height), (9, 3));
        for (position, color) in colors.iter().enumerate() {
            let index = usize::from([0u8, 5, 15][position % 9 / 3]);
            assert_eq!(*color, palette::rgb_colors()[index], "{position}");
        }
    }
}
