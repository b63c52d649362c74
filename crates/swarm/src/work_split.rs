//! Division of the work: the picture is placed on the canvas and cut into equal regions.

use anyhow::{Result, bail};
use rand::rngs::StdRng;

use crate::{
    api_types::{Canvas, PixelInput, Rect},
    paint_order::PaintOrder,
    picture::Picture,
};

/// Returns every pixel of the picture on the canvas, with the colour that the canvas shows there now.
pub fn position_picture(
    picture: &Picture,
    canvas: &Canvas,
    offset: Option<(u32, u32)>,
) -> Result<Vec<PixelInput>> {
    let (left, top) = offset.unwrap_or_else(|| centred_offset(picture, canvas));
    let pixels: Vec<PixelInput> = picture
        .cells()
        .map(|(x, y, color)| (x.saturating_add(left), y.saturating_add(top), color))
        .filter(|(x, y, _)| *x < canvas.width && *y < canvas.height)
        .map(|(x, y, color)| PixelInput { x, y, color, expected_color: canvas.color_at(x, y) })
        .collect();
    if pixels.is_empty() {
        bail!("no part of the picture is on the {}×{} canvas", canvas.width, canvas.height);
    }
    Ok(pixels)
}

/// Returns the position of the top left pixel of a picture in the middle of the canvas.
pub fn centred_offset(picture: &Picture, canvas: &Canvas) -> (u32, u32) {
    let centred = |outer: u32, inner: u32| outer.saturating_sub(inner) / 2;
    (centred(canvas.width, picture.width), centred(canvas.height, picture.height))
}

/// Returns the pixels that still have to be painted; all of them if the picture is complete.
pub fn remaining_pixels(pixels: Vec<PixelInput>) -> Vec<PixelInput> {
    let remaining: Vec<PixelInput> =
        pixels.iter().copied().filter(|d| d.expected_color != Some(d.color)).collect();
    if remaining.is_empty() { pixels } else { remaining }
}

/// Returns one share per agent: pixels close together, in equal numbers (±1), in the order of the agent's
/// paint order.
/// Some shares are empty if there are more agents than pixels.
pub fn split_work(pixels: Vec<PixelInput>, agents: usize, rng: &mut StdRng) -> Vec<Vec<PixelInput>> {
    let mut shares = Vec::with_capacity(agents);
    split_region(pixels, agents, &mut shares);
    for share in &mut shares {
        PaintOrder::random(rng).sort(share);
    }
    shares
}

/// Cuts across the longer side, in proportion to the agents on either side, until one agent is left.
fn split_region(mut pixels: Vec<PixelInput>, agents: usize, shares: &mut Vec<Vec<PixelInput>>) {
    if agents <= 1 {
        shares.extend((agents == 1).then_some(pixels));
        return;
    }
    match Rect::around(&pixels) {
        Some(r) if r.x2 - r.x1 >= r.y2 - r.y1 => pixels.sort_by_key(|d| (d.x, d.y)),
        _ => pixels.sort_by_key(|d| (d.y, d.x)),
    }
    let first = agents / 2;
    let rest = pixels.split_off(pixels.len() * first / agents);
    split_region(pixels, first, shares);
    split_region(rest, agents - first, shares);
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use rand::SeedableRng;

    use super::*;

    fn grid(width: u32, height: u32) -> Vec<PixelInput> {
        let points = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        points.map(|(x, y)| PixelInput { x, y, color: (x % 16) as u8, expected_color: Some(0) }).collect()
    }

    fn split(pixels: Vec<PixelInput>, agents: usize) -> Vec<Vec<PixelInput>> {
        split_work(pixels, agents, &mut StdRng::seed_from_u64(7))
    }

    #[test]
    fn every_pixel_is_in_exactly_one_share() {
        for agents in [1, 2, 3, 7, 50, 64] {
            let shares = split(grid(40, 25), agents);
            assert_eq!(shares.len(), agents);
            let points: HashSet<_> = shares.iter().flatten().map(|d| (d.x, d.y)).collect();
            assert_eq!(points.len(), 1_000);
            assert_eq!(shares.iter().map(Vec::len).sum::<usize>(), 1_000);
        }
    }

    #[test]
    fn shares_are_of_equal_size() {
        let sizes: Vec<usize> = split(grid(40, 25), 7).iter().map(Vec::len).collect();
        let spread = sizes.iter().max().unwrap() - sizes.iter().min().unwrap();
        assert!(spread <= 1, "{sizes:?}");
    }

    #[test]
    fn shares_are_compact() {
        for share in split(grid(64, 64), 16) {
            let r = Rect::around(&share).unwrap();
            assert!(r.x2 - r.x1 <= 16 && r.y2 - r.y1 <= 16, "{r:?}");
        }
    }

    #[test]
    fn more_agents_than_pixels_leaves_empty_shares() {
        let shares = split(grid(3, 1), 10);
        assert_eq!(shares.len(), 10);
        assert_eq!(shares.iter().filter(|s| !s.is_empty()).count(), 3);
    }

    #[test]
    fn skips_correct_pixels_unless_all_are_correct() {
        let mut pixels = grid(4, 1);
        assert_eq!(remaining_pixels(pixels.clone()).len(), 3, "column 0 is white and seen white");
        pixels.iter_mut().for_each(|d| d.expected_color = Some(d.color));
        assert_eq!(remaining_pixels(pixels).len(), 4);
    }
}
