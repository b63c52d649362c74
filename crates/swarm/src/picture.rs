//! Converts a PNG to palette indices: decodes it, shrinks it to fit and takes each pixel's nearest colour.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a scaled side is between 0 and the original one"
)]

use std::io::Cursor;

use anyhow::{Context, Result, bail};

use crate::api_types::Swatch;

type Rgba = [u8; 4];

/// Palette indices row by row; `None` if the PNG is transparent there.
#[derive(Debug)]
pub struct Picture {
    pub width: u32,
    pub height: u32,
    cells: Vec<Option<u8>>,
}

struct RgbaImage {
    width: u32,
    height: u32,
    pixels: Vec<Rgba>,
}

/// The server's palette as RGB values.
pub struct Palette(Vec<(u8, [u8; 3])>);

impl Palette {
    /// Parses the palette that the server returned.
    pub fn parse(swatches: &[Swatch]) -> Result<Self> {
        let colors = swatches.iter().map(|swatch| Ok((swatch.index, parse_hex(&swatch.hex)?)));
        let colors = colors.collect::<Result<Vec<_>>>()?;
        if colors.is_empty() {
            bail!("the server's palette is empty");
        }
        Ok(Palette(colors))
    }

    /// Returns the index of a recorded colour: an index of the palette, or the nearest colour to `#RRGGBB`.
    pub fn parse_color(&self, text: &str) -> Option<u8> {
        match text.parse::<u8>() {
            Ok(index) => self.0.iter().any(|(palette_index, _)| *palette_index == index).then_some(index),
            Err(_) => parse_hex(text).ok().and_then(|[r, g, b]| self.nearest([r, g, b, 255])),
        }
    }

    fn nearest(&self, pixel: Rgba) -> Option<u8> {
        let [r, g, b, alpha] = pixel;
        if alpha < 128 {
            return None;
        }
        self.0.iter().min_by_key(|(_, color)| distance([r, g, b], *color)).map(|(index, _)| *index)
    }
}

impl Picture {
    /// Decodes a PNG and shrinks it to this maximum size.
    pub fn load(png: &[u8], palette: &Palette, max_width: u32, max_height: u32) -> Result<Self> {
        let image = decode(png)?.fit_within(max_width, max_height);
        let cells = image.pixels.iter().map(|pixel| palette.nearest(*pixel)).collect();
        Ok(Picture { width: image.width, height: image.height, cells })
    }

    /// Returns a picture of this width and height from the colour at each point.
    pub fn from_colors(
        width: u32,
        height: u32,
        palette: &Palette,
        color_at: impl Fn(u32, u32) -> [u8; 3],
    ) -> Self {
        let points = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        let nearest = |(x, y)| {
            let [r, g, b] = color_at(x, y);
            palette.nearest([r, g, b, 255])
        };
        Picture { width, height, cells: points.map(nearest).collect() }
    }

    /// Returns the colour index at a point; `None` outside the picture and where it is transparent.
    pub fn color_at(&self, x: u32, y: u32) -> Option<u8> {
        let at = y as usize * self.width as usize + x as usize;
        self.cells.get(at).copied().flatten().filter(|_| x < self.width)
    }

    /// Returns every pixel to paint as (x, y, colour index).
    pub fn cells(&self) -> impl Iterator<Item = (u32, u32, u8)> {
        let width = self.width.max(1);
        let to_pixel =
            move |(at, cell): (u32, &Option<u8>)| cell.map(|color| (at % width, at / width, color));
        (0u32..).zip(&self.cells).filter_map(to_pixel)
    }
}

impl RgbaImage {
    fn fit_within(self, max_width: u32, max_height: u32) -> RgbaImage {
        let scale = f64::min(
            f64::from(max_width) / f64::from(self.width),
            f64::from(max_height) / f64::from(self.height),
        );
        if scale >= 1.0 {
            return self;
        }
        let scaled = |side: u32| ((f64::from(side) * scale).round() as u32).max(1);
        self.shrink(scaled(self.width), scaled(self.height))
    }

    /// Shrinks the image. Each new pixel is the mean of the old ones that it covers; exact for enlarged pixel
    /// art.
    fn shrink(&self, width: u32, height: u32) -> RgbaImage {
        let points = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        let pixels = points
            .map(|(x, y)| {
                self.mean_color(source_range(x, width, self.width), source_range(y, height, self.height))
            })
            .collect();
        RgbaImage { width, height, pixels }
    }

    fn mean_color(&self, columns: std::ops::Range<u32>, rows: std::ops::Range<u32>) -> Rgba {
        let mut sum = [0u64; 3];
        let (mut alpha, mut count) = (0u64, 0u64);
        for (x, y) in rows.flat_map(|y| columns.clone().map(move |x| (x, y))) {
            let [r, g, b, alpha_value] = self.at(x, y);
            for (total, channel) in sum.iter_mut().zip([r, g, b]) {
                *total += u64::from(channel) * u64::from(alpha_value);
            }
            alpha += u64::from(alpha_value);
            count += 1;
        }
        let [r, g, b] = sum.map(|total| rounded_mean(total, alpha));
        [r, g, b, rounded_mean(alpha, count)]
    }

    fn at(&self, x: u32, y: u32) -> Rgba {
        let at = y as usize * self.width as usize + x as usize;
        self.pixels.get(at).copied().unwrap_or_default()
    }
}

fn source_range(index: u32, length: u32, source_length: u32) -> std::ops::Range<u32> {
    let edge = |n: u32| (u64::from(n) * u64::from(source_length) / u64::from(length)) as u32;
    edge(index)..edge(index + 1).max(edge(index) + 1)
}

fn rounded_mean(total: u64, count: u64) -> u8 {
    let mean = (total + count / 2).checked_div(count).unwrap_or(0);
    u8::try_from(mean).unwrap_or(u8::MAX)
}

fn decode(png: &[u8]) -> Result<RgbaImage> {
    let mut decoder = png::Decoder::new(Cursor::new(png));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().context("not a readable PNG")?;
    let size = reader.output_buffer_size().context("the PNG is too large")?;
    let mut bytes = vec![0; size];
    let frame = reader.next_frame(&mut bytes).context("the PNG is damaged")?;
    let samples = bytes.get(..frame.buffer_size()).unwrap_or_default();
    let pixels = samples.chunks_exact(frame.color_type.samples()).filter_map(rgba).collect();
    Ok(RgbaImage { width: frame.width, height: frame.height, pixels })
}

/// Converts the samples to RGBA. The decoder has expanded palettes, so they are grey or colour, with or
/// without alpha.
fn rgba(samples: &[u8]) -> Option<Rgba> {
    match *samples {
        [v] => Some([v, v, v, 255]),
        [v, a] => Some([v, v, v, a]),
        [r, g, b] => Some([r, g, b, 255]),
        [r, g, b, a] => Some([r, g, b, a]),
        _ => None,
    }
}

/// Returns the "redmean" colour distance, a cheap approximation of perceived difference.
fn distance(a: [u8; 3], b: [u8; 3]) -> i64 {
    let [ar, ag, ab] = a.map(i64::from);
    let [br, bg, bb] = b.map(i64::from);
    let mean = i64::midpoint(ar, br);
    let (r, g, b) = (ar - br, ag - bg, ab - bb);
    (512 + mean) * r * r + 1024 * g * g + (767 - mean) * b * b
}

fn parse_hex(text: &str) -> Result<[u8; 3]> {
    let digits = text.trim_start_matches('#');
    let value = u32::from_str_radix(digits, 16).ok().filter(|_| digits.len() == 6);
    let value = value.with_context(|| format!("the server's colour {text:?} is not #RRGGBB"))?;
    let [_, r, g, b] = value.to_be_bytes();
    Ok([r, g, b])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn palette() -> Palette {
        let swatch = |(index, hex): (u8, &str)| Swatch { index, hex: hex.into(), name: String::new() };
        let colors = [(0, "#FFFFFF"), (3, "#222222"), (5, "#E50000"), (12, "#0083C7")];
        Palette::parse(&colors.map(swatch)).unwrap()
    }

    fn encode(width: u32, height: u32, pixels: &[Rgba]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, width, height);
        encoder.set_color(png::ColorType::Rgba);
        let mut writer = encoder.write_header().unwrap();
        writer.write_image_data(&pixels.concat()).unwrap();
        writer.finish().unwrap();
        bytes
    }

    const RED: Rgba = [230, 10, 5, 255];
    const BLUE: Rgba = [0, 120, 190, 255];
    const TRANSPARENT: Rgba = [9, 9, 9, 0];

    #[test]
    fn pixels_take_the_nearest_color_and_transparent_ones_are_left_out() {
        let png = encode(3, 1, &[RED, TRANSPARENT, BLUE]);
        let picture = Picture::load(&png, &palette(), 8, 8).unwrap();
        assert_eq!(picture.cells().collect::<Vec<_>>(), [(0, 0, 5), (2, 0, 12)]);
    }

    #[test]
    fn enlarged_pixel_art_shrinks_back_exactly() {
        let row = [RED, RED, RED, BLUE, BLUE, BLUE];
        let png = encode(6, 3, &[row, row, row].concat());
        let picture = Picture::load(&png, &palette(), 2, 8).unwrap();
        assert_eq!((picture.width, picture.height), (2, 1));
        assert_eq!(picture.cells().collect::<Vec<_>>(), [(0, 0, 5), (1, 0, 12)]);
    }

    #[test]
    fn transparent_pixels_do_not_change_the_mean() {
        let png = encode(4, 1, &[RED, RED, RED, TRANSPARENT]);
        let picture = Picture::load(&png, &palette(), 1, 1).unwrap();
        assert_eq!(picture.cells().collect::<Vec<_>>(), [(0, 0, 5)]);
    }

    #[test]
    fn small_picture_is_not_scaled_and_long_one_keeps_a_row() {
        let small = Picture::load(&encode(2, 1, &[RED, BLUE]), &palette(), 128, 128).unwrap();
        assert_eq!((small.width, small.height), (2, 1));
        let long = Picture::load(&encode(100, 1, &[RED; 100]), &palette(), 8, 8).unwrap();
        assert_eq!((long.width, long.height), (8, 1));
    }

    #[test]
    fn the_built_in_scene_fills_a_default_canvas_in_its_own_colors() {
        let hex = "FFFFFF E4E4E4 888888 222222 FFA7D1 E50000 E59500 A06A42 \
                   E5D900 94E044 02BE01 00D3DD 0083C7 0000EA CF6EE4 820080";
        let colors: Vec<[u8; 3]> = hex.split_whitespace().map(|hex| parse_hex(hex).unwrap()).collect();
        let image = decode(include_bytes!("../../../assets/demo.png")).unwrap();
        assert_eq!((image.width, image.height), (128, 128));
        assert!(image.pixels.iter().all(|[r, g, b, a]| *a == 255 && colors.contains(&[*r, *g, *b])));
    }

    #[test]
    fn rejects_unreadable_input() {
        assert!(Picture::load(b"GIF89a", &palette(), 8, 8).is_err());
        assert!(parse_hex("#12345").is_err());
        assert!(parse_hex("#12345g").is_err());
    }
}
