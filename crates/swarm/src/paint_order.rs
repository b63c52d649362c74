//! Orders in which agents paint their share. They vary, so that the painting is pleasant to watch.

use std::collections::HashMap;

use rand::{RngExt, rngs::StdRng};

use crate::api_types::{PixelInput, Rect};

/// The order in which an agent paints.
#[derive(Clone, Copy, Debug)]
pub enum PaintOrder {
    /// Row by row, in alternating directions.
    Rows,
    /// Column by column, in alternating directions.
    Columns,
    /// From the centre outwards.
    Outwards,
    /// One colour after the other, small areas first.
    DetailsFirst,
    /// One colour after the other, large areas first.
    AreasFirst,
}

impl PaintOrder {
    /// Returns a random order.
    pub fn random(rng: &mut StdRng) -> PaintOrder {
        match rng.random_range(0..5) {
            0 => PaintOrder::Rows,
            1 => PaintOrder::Columns,
            2 => PaintOrder::Outwards,
            3 => PaintOrder::DetailsFirst,
            _ => PaintOrder::AreasFirst,
        }
    }

    /// Sorts pixels into this order.
    pub fn sort(self, pixels: &mut [PixelInput]) {
        match self {
            PaintOrder::Rows => pixels.sort_by_key(|d| (i64::from(d.y), serpentine_position(d.y, d.x))),
            PaintOrder::Columns => pixels.sort_by_key(|d| (i64::from(d.x), serpentine_position(d.x, d.y))),
            PaintOrder::Outwards => sort_outwards(pixels),
            PaintOrder::DetailsFirst => sort_by_color(pixels, 1),
            PaintOrder::AreasFirst => sort_by_color(pixels, -1),
        }
    }
}

/// Returns the position along a line, reversed on every other line.
fn serpentine_position(line: u32, position: u32) -> i64 {
    if line.is_multiple_of(2) { i64::from(position) } else { -i64::from(position) }
}

fn sort_outwards(pixels: &mut [PixelInput]) {
    let Some(r) = Rect::around(pixels) else { return };
    let squared_distance =
        |low: u32, high: u32, at: u32| (2 * i64::from(at) - i64::from(low) - i64::from(high)).pow(2);
    pixels.sort_by_key(|d| squared_distance(r.x1, r.x2, d.x) + squared_distance(r.y1, r.y2, d.y));
}

fn sort_by_color(pixels: &mut [PixelInput], direction: i64) {
    let mut counts: HashMap<u8, i64> = HashMap::new();
    for pixel in pixels.iter() {
        *counts.entry(pixel.color).or_default() += 1;
    }
    let weight = |d: &PixelInput| counts.get(&d.color).copied().unwrap_or(0) * direction;
    pixels.sort_by_key(|d| (weight(d), d.color, i64::from(d.y), serpentine_position(d.y, d.x)));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pixels_at(points: &[(u32, u32, u8)]) -> Vec<PixelInput> {
        points.iter().map(|&(x, y, color)| PixelInput { x, y, color, expected_color: None }).collect()
    }

    fn coordinates(pixels: &[PixelInput]) -> Vec<(u32, u32)> {
        pixels.iter().map(|d| (d.x, d.y)).collect()
    }

    #[test]
    fn rows_alternate_direction() {
        let mut pixels = pixels_at(&[(1, 1, 0), (0, 0, 0), (0, 1, 0), (1, 0, 0)]);
        PaintOrder::Rows.sort(&mut pixels);
        assert_eq!(coordinates(&pixels), [(0, 0), (1, 0), (1, 1), (0, 1)]);
    }

    #[test]
    fn outwards_starts_in_the_middle() {
        let mut pixels = pixels_at(&[(0, 0, 0), (4, 0, 0), (2, 0, 0)]);
        PaintOrder::Outwards.sort(&mut pixels);
        assert_eq!(coordinates(&pixels).first(), Some(&(2, 0)));
    }

    #[test]
    fn colors_come_rare_or_common_first() {
        let mut pixels = pixels_at(&[(0, 0, 1), (1, 0, 1), (2, 0, 9)]);
        PaintOrder::DetailsFirst.sort(&mut pixels);
        assert_eq!(coordinates(&pixels), [(2, 0), (0, 0), (1, 0)]);
        PaintOrder::AreasFirst.sort(&mut pixels);
        assert_eq!(coordinates(&pixels), [(0, 0), (1, 0), (2, 0)]);
    }
}
