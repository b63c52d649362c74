//! A landscape of any size: sky, sun, mountain, house, meadow and sea.
//!
//! No pixel is white, so on a blank canvas all of them have to be painted.

/// A colour as red, green and blue.
type Rgb = [u8; 3];

const SKY: Rgb = [0x00, 0xD3, 0xDD];
const HIGH_SKY: Rgb = [0x00, 0x83, 0xC7];
const SUN: Rgb = [0xE5, 0xD9, 0x00];
const SUN_RIM: Rgb = [0xE5, 0x95, 0x00];
const SNOW: Rgb = [0xE4, 0xE4, 0xE4];
const ROCK: Rgb = [0x88, 0x88, 0x88];
const SHADED_ROCK: Rgb = [0x22, 0x22, 0x22];
const MEADOW: Rgb = [0x94, 0xE0, 0x44];
const HILL: Rgb = [0x02, 0xBE, 0x01];
const SEA: Rgb = [0x00, 0x00, 0xEA];
const ROOF: Rgb = [0xE5, 0x00, 0x00];
const WALL: Rgb = [0xA0, 0x6A, 0x42];
const DOOR: Rgb = [0x82, 0x00, 0x80];
const BLOSSOM: Rgb = [0xFF, 0xA7, 0xD1];

/// The height of the horizon, from the top.
const HORIZON: f64 = 0.62;

/// Returns the colour at a point of a landscape of this size, in pixels.
pub fn color_at(x: u32, y: u32, width: u32, height: u32) -> Rgb {
    let u = (f64::from(x) + 0.5) / f64::from(width);
    let v = (f64::from(y) + 0.5) / f64::from(height);
    house(u, v).or_else(|| ground(u, v, x, y)).or_else(|| mountain(u, v)).unwrap_or_else(|| sky(u, v))
}

fn sky(u: f64, v: f64) -> Rgb {
    match (u - 0.75).hypot(v - 0.22) {
        distance if distance < 0.11 => SUN,
        distance if distance < 0.15 => SUN_RIM,
        _ if v < 0.16 + 0.05 * (u * 9.0).sin() => HIGH_SKY,
        _ => SKY,
    }
}

fn mountain(u: f64, v: f64) -> Option<Rgb> {
    let from_peak = v - 0.14;
    let is_inside = from_peak > 0.0 && (u - 0.32).abs() < from_peak * 0.7;
    let rock = if u < 0.32 { ROCK } else { SHADED_ROCK };
    let is_snow = v < 0.26 + 0.03 * (u * 50.0).sin();
    is_inside.then_some(if is_snow { SNOW } else { rock })
}

fn ground(u: f64, v: f64, x: u32, y: u32) -> Option<Rgb> {
    let is_blossom = (x * 7 + y * 11).is_multiple_of(23);
    match v {
        _ if v > 0.86 + 0.03 * (u * 8.0).sin() => Some(if y.is_multiple_of(3) { HIGH_SKY } else { SEA }),
        _ if v > 0.74 + 0.04 * (u * 5.0).cos() => Some(if is_blossom { BLOSSOM } else { MEADOW }),
        _ if v > HORIZON + 0.05 * (u * 6.0).sin() => Some(HILL),
        _ => None,
    }
}

fn house(u: f64, v: f64) -> Option<Rgb> {
    let from_middle = (u - 0.72).abs();
    match v {
        _ if (0.45..0.57).contains(&v) && from_middle < (v - 0.45) * 1.4 => Some(ROOF),
        _ if (0.64..0.74).contains(&v) && from_middle < 0.03 => Some(DOOR),
        _ if (0.57..0.74).contains(&v) && from_middle < 0.12 => Some(WALL),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn a_landscape_has_many_colors_and_no_white() {
        let points = (0..32).flat_map(|y| (0..32).map(move |x| (x, y)));
        let colors: HashSet<Rgb> = points.map(|(x, y)| color_at(x, y, 32, 32)).collect();
        assert!(colors.len() >= 12, "{} colours", colors.len());
        assert!(!colors.contains(&[0xFF; 3]));
    }
}
