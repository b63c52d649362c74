//! In which order an agent paints its share: people watch, and no two painters work alike.

use std::collections::HashMap;

use rand::{RngExt, rngs::StdRng};

use crate::wire::{Dot, Rect};

#[derive(Clone, Copy, Debug)]
pub enum Manner {
    /// Line by line, there and back.
    Rows,
    /// Column by column, up and down.
    Columns,
    /// From the middle outwards.
    Outwards,
    /// One colour after the other, details before large areas.
    DetailsFirst,
    /// One colour after the other, large areas before details.
    AreasFirst,
}

impl Manner {
    pub fn any(rng: &mut StdRng) -> Manner {
        match rng.random_range(0..5) {
            0 => Manner::Rows,
            1 => Manner::Columns,
            2 => Manner::Outwards,
            3 => Manner::DetailsFirst,
            _ => Manner::AreasFirst,
        }
    }

    pub fn arrange(self, dots: &mut [Dot]) {
        match self {
            Manner::Rows => dots.sort_by_key(|d| (i64::from(d.y), there_and_back(d.y, d.x))),
            Manner::Columns => dots.sort_by_key(|d| (i64::from(d.x), there_and_back(d.x, d.y))),
            Manner::Outwards => outwards(dots),
            Manner::DetailsFirst => by_color(dots, 1),
            Manner::AreasFirst => by_color(dots, -1),
        }
    }
}

/// Along every other line the brush comes back.
fn there_and_back(line: u32, along: u32) -> i64 {
    if line.is_multiple_of(2) { i64::from(along) } else { -i64::from(along) }
}

fn outwards(dots: &mut [Dot]) {
    let Some(r) = Rect::around(dots) else { return };
    let far = |low: u32, high: u32, at: u32| (2 * i64::from(at) - i64::from(low) - i64::from(high)).pow(2);
    dots.sort_by_key(|d| far(r.x1, r.x2, d.x) + far(r.y1, r.y2, d.y));
}

fn by_color(dots: &mut [Dot], direction: i64) {
    let mut counts: HashMap<u8, i64> = HashMap::new();
    for dot in dots.iter() {
        *counts.entry(dot.color).or_default() += 1;
    }
    let weight = |d: &Dot| counts.get(&d.color).copied().unwrap_or(0) * direction;
    dots.sort_by_key(|d| (weight(d), d.color, i64::from(d.y), there_and_back(d.y, d.x)));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dots(points: &[(u32, u32, u8)]) -> Vec<Dot> {
        points.iter().map(|&(x, y, color)| Dot { x, y, color, expected_color: None }).collect()
    }

    fn points(dots: &[Dot]) -> Vec<(u32, u32)> {
        dots.iter().map(|d| (d.x, d.y)).collect()
    }

    #[test]
    fn rows_alternate_direction() {
        let mut share = dots(&[(1, 1, 0), (0, 0, 0), (0, 1, 0), (1, 0, 0)]);
        Manner::Rows.arrange(&mut share);
        assert_eq!(points(&share), [(0, 0), (1, 0), (1, 1), (0, 1)]);
    }

    #[test]
    fn outwards_starts_in_the_middle() {
        let mut share = dots(&[(0, 0, 0), (4, 0, 0), (2, 0, 0)]);
        Manner::Outwards.arrange(&mut share);
        assert_eq!(points(&share).first(), Some(&(2, 0)));
    }

    #[test]
    fn colors_come_rare_or_common_first() {
        let mut share = dots(&[(0, 0, 1), (1, 0, 1), (2, 0, 9)]);
        Manner::DetailsFirst.arrange(&mut share);
        assert_eq!(points(&share), [(2, 0), (0, 0), (1, 0)]);
        Manner::AreasFirst.arrange(&mut share);
        assert_eq!(points(&share), [(0, 0), (1, 0), (2, 0)]);
    }
}
