//! Target pictures that are sent as a PNG: each pixel becomes the palette colour that looks most like it.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::io::Cursor;

use caraplace_accounts::agents::permissions;
use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use platform::concurrency::join;
use platform::refusal::Refusal;
use png::{ColorType, Decoder, DecodingError, Info, Limits, Reader, Transformations};
use rules::palette::{Color, Rgb, nearest_color};
use rules::plan::MAX_SIDE;
use rules::rights::AccountAction;
use serde::Serialize;
use tokio::task::spawn_blocking;
use utoipa::ToSchema;

use super::PlanResponse;

/// The alpha from which a pixel counts as opaque; pixels below it are left as they are.
const MIN_OPAQUE_ALPHA: u8 = 128;
/// The maximum number of colours that a mapping names.
const MAX_MAPPED_COLORS: usize = 256;
/// The maximum number of bytes that the decoder allocates.
const MAX_DECODER_BYTES: usize = 256 * 1024;
/// The maximum number of bytes of a PNG's palette: 256 colours of three channels.
const MAX_PALETTE_BYTES: usize = 256 * 3;
/// The first bytes of every PNG.
const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";
/// The refusal of a picture whose chunks or data are wrong.
const DAMAGED: &str =
    "The PNG is damaged or incomplete, so it cannot be read. Save it again, and send the whole file.";
/// The digit of a pixel to leave as it is.
const ANY_COLOR: char = '.';

/// A picture in the text form of the canvas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MappedPicture {
    /// One string per row: hex digits, and dots for pixels to leave as they are.
    pub rows: Vec<String>,
    pub mapped: Vec<MappedColor>,
}

/// A colour of a picture, and the palette colour that it became.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct MappedColor {
    /// The colour in the picture as `#RRGGBB`, without its alpha.
    #[schema(pattern = "^#[0-9A-F]{6}$")]
    pub hex: String,
    /// The index of the palette colour that looks most like it: the nearest in Oklab.
    pub index: u8,
    /// The number of pixels in the picture that have it.
    pub count: usize,
}

/// Response to a new plan.
#[derive(Debug, Serialize, ToSchema)]
pub struct NewPlanResponse {
    #[serde(flatten)]
    pub created: PlanResponse,
    /// For a PNG: its colours and what they became, the most frequent first, at most 256; left out otherwise.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub mapped: Vec<MappedColor>,
}

/// A pixel of a picture; `None` if it is transparent.
type Pixel = Option<Rgb>;

/// Converts the PNG of an author into rows of palette digits, on a thread that may block.
///
/// # Errors
/// `Denied` if the author may not open plans, which is checked first; then `Input` as for any wrong PNG.
pub async fn read_png(
    state: &AppState,
    author: &Identity,
    png: impl AsRef<[u8]> + Send + 'static,
) -> Result<MappedPicture, Refusal> {
    permissions::check(state, author, AccountAction::Plan).await?;
    join("decoding a picture", spawn_blocking(move || parse_png(png.as_ref()))).await?
}

/// Converts a PNG into rows of palette digits. Its colours are taken as sRGB, whatever profile it names, and
/// its 256 most frequent ones are listed with the palette colours that they became.
///
/// # Errors
/// `Input` if the bytes are no PNG, or an animated, a damaged, a too large or a wholly transparent one.
fn parse_png(png: &[u8]) -> Result<MappedPicture, Refusal> {
    if !png.starts_with(SIGNATURE) {
        return Err(refuse("The body is not a PNG. Send one, or send rows as JSON."));
    }
    let (width, pixels) = decode(png)?;
    if pixels.iter().all(Option::is_none) {
        return Err(refuse("Every pixel of the picture is transparent, so there is nothing to paint."));
    }
    Ok(map_colors(width, &pixels))
}

/// Returns the width and the pixels, row by row.
fn decode(png: &[u8]) -> Result<(usize, Vec<Pixel>), Refusal> {
    let mut decoder = Decoder::new_with_limits(Cursor::new(png), Limits { bytes: MAX_DECODER_BYTES });
    decoder.set_transformations(Transformations::EXPAND | Transformations::STRIP_16);
    // Both can be large when decompressed, and neither is used.
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    let header = decoder.read_header_info().map_err(|error| refuse_damaged(&error))?;
    let width = check_size(header)?;
    let mut reader = decoder.read_info().map_err(|error| refuse_damaged(&error))?;
    if reader.info().animation_control.is_some() || reader.info().frame_control.is_some() {
        return Err(refuse("The PNG is animated. Send a single picture."));
    }
    // The decoder takes the length of a palette for granted.
    let palette = reader.info().palette.as_deref();
    if palette.is_some_and(|palette| palette.len() % 3 != 0 || palette.len() > MAX_PALETTE_BYTES) {
        return Err(refuse(DAMAGED));
    }
    // The samples have the format that the chunks before them give. A chunk behind them, where none of this
    // kind belongs, would change the format that the reader tells, so it is asked before.
    let color_type = reader.output_color_type().0;
    let height = reader.info().height as usize;
    let samples = read_samples(&mut reader).map_err(|error| refuse_damaged(&error))?;
    if samples.len() != width * height * color_type.samples() {
        return Err(refuse(DAMAGED));
    }
    Ok((width, to_pixels(color_type, &samples)))
}

/// Returns the width of a picture that is small enough.
fn check_size(header: &Info) -> Result<usize, Refusal> {
    let width = header.width as usize;
    let height = header.height as usize;
    if width <= MAX_SIDE && height <= MAX_SIDE {
        return Ok(width);
    }
    Err(refuse(&format!(
        "The picture is {width} × {height} pixels; at most {MAX_SIDE} × {MAX_SIDE} are allowed. \
         Scale it down: one pixel of it is one pixel of the canvas."
    )))
}

/// Returns the channels of all pixels, 8 bits each.
fn read_samples(reader: &mut Reader<Cursor<&[u8]>>) -> Result<Vec<u8>, DecodingError> {
    let mut samples = vec![0; reader.output_buffer_size().ok_or(DecodingError::LimitsExceeded)?];
    reader.next_frame(&mut samples)?;
    // Reads to the end, so that a picture that is cut off is refused.
    reader.finish()?;
    Ok(samples)
}

fn to_pixels(color_type: ColorType, samples: &[u8]) -> Vec<Pixel> {
    let pixel = |samples: &[u8]| match *samples {
        [grey] => Some([grey; 3]),
        [grey, alpha] => opaque([grey; 3], alpha),
        [red, green, blue] => Some([red, green, blue]),
        [red, green, blue, alpha] => opaque([red, green, blue], alpha),
        _ => None,
    };
    samples.chunks_exact(color_type.samples()).map(pixel).collect()
}

fn opaque(color: Rgb, alpha: u8) -> Pixel {
    (alpha >= MIN_OPAQUE_ALPHA).then_some(color)
}

fn map_colors(width: usize, pixels: &[Pixel]) -> MappedPicture {
    let mut counts: HashMap<Rgb, (Color, usize)> = HashMap::new();
    for color in pixels.iter().flatten() {
        counts.entry(*color).or_insert_with(|| (nearest_color(*color), 0)).1 += 1;
    }
    let digit = |pixel: &Pixel| {
        let index = pixel.and_then(|color| Some(counts.get(&color)?.0.index()));
        index.and_then(|index| char::from_digit(index.into(), 16)).unwrap_or(ANY_COLOR)
    };
    let rows = pixels.chunks(width).map(|row| row.iter().map(digit).collect()).collect();
    let mut colors: Vec<_> = counts.into_iter().collect();
    colors.sort_by_key(|(rgb, (_, count))| (Reverse(*count), *rgb));
    colors.truncate(MAX_MAPPED_COLORS);
    let to_mapped = |([red, green, blue], (color, count)): (Rgb, (Color, usize))| MappedColor {
        hex: format!("#{red:02X}{green:02X}{blue:02X}"),
        index: color.index(),
        count,
    };
    MappedPicture { rows, mapped: colors.into_iter().map(to_mapped).collect() }
}

fn refuse_damaged(error: &DecodingError) -> Refusal {
    match error {
        DecodingError::LimitsExceeded => {
            refuse("The PNG needs too much memory to be read. Save it without metadata.")
        }
        // The decoder's words name its own functions, so only the kind of the error is told.
        _ => refuse(DAMAGED),
    }
}

fn refuse(detail: &str) -> Refusal {
    Refusal::invalid("body", detail)
}

#[cfg(test)]
mod tests;
