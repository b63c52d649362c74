//! Who paints which share: the picture laid on the canvas and cut into equal neighbourhoods.

use anyhow::{Result, bail};
use rand::rngs::StdRng;

use crate::{
    order::Manner,
    picture::Picture,
    wire::{Canvas, Dot, Rect},
};

/// The picture on the canvas: every dot inside it, knowing the colour seen there now.
pub fn lay(picture: &Picture, canvas: &Canvas, offset: Option<(u32, u32)>) -> Result<Vec<Dot>> {
    let centred = |outer: u32, inner: u32| outer.saturating_sub(inner) / 2;
    let (left, top) = offset
        .unwrap_or_else(|| (centred(canvas.width, picture.width), centred(canvas.height, picture.height)));
    let dots: Vec<Dot> = picture
        .cells()
        .map(|(x, y, color)| (x.saturating_add(left), y.saturating_add(top), color))
        .filter(|(x, y, _)| *x < canvas.width && *y < canvas.height)
        .map(|(x, y, color)| Dot { x, y, color, expected_color: canvas.at(x, y) })
        .collect();
    if dots.is_empty() {
        bail!("nothing of the picture lies on the {}×{} canvas", canvas.width, canvas.height);
    }
    Ok(dots)
}

/// What still has to be painted; all of it when the picture is complete already.
pub fn missing(dots: Vec<Dot>) -> Vec<Dot> {
    let missing: Vec<Dot> = dots.iter().copied().filter(|d| d.expected_color != Some(d.color)).collect();
    if missing.is_empty() { dots } else { missing }
}

/// One share per agent, close together on the canvas and equal in size (±1), some empty when there are
/// more agents than dots; each in the order that suits its painter.
pub fn shares(dots: Vec<Dot>, agents: usize, rng: &mut StdRng) -> Vec<Vec<Dot>> {
    let mut shares = Vec::with_capacity(agents);
    cut(dots, agents, &mut shares);
    for share in &mut shares {
        Manner::any(rng).arrange(share);
    }
    shares
}

/// Cuts across the longer side, in proportion to the agents on either side, until one is left.
fn cut(mut dots: Vec<Dot>, agents: usize, shares: &mut Vec<Vec<Dot>>) {
    if agents <= 1 {
        shares.extend((agents == 1).then_some(dots));
        return;
    }
    match Rect::around(&dots) {
        Some(r) if r.x2 - r.x1 >= r.y2 - r.y1 => dots.sort_by_key(|d| (d.x, d.y)),
        _ => dots.sort_by_key(|d| (d.y, d.x)),
    }
    let first = agents / 2;
    let rest = dots.split_off(dots.len() * first / agents);
    cut(dots, first, shares);
    cut(rest, agents - first, shares);
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use rand::SeedableRng;

    use super::*;

    fn grid(width: u32, height: u32) -> Vec<Dot> {
        let points = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        points.map(|(x, y)| Dot { x, y, color: (x % 16) as u8, expected_color: Some(0) }).collect()
    }

    fn shares_of(dots: Vec<Dot>, agents: usize) -> Vec<Vec<Dot>> {
        shares(dots, agents, &mut StdRng::seed_from_u64(7))
    }

    #[test]
    fn every_pixel_is_in_exactly_one_share() {
        for agents in [1, 2, 3, 7, 50, 64] {
            let shares = shares_of(grid(40, 25), agents);
            assert_eq!(shares.len(), agents);
            let points: HashSet<_> = shares.iter().flatten().map(|d| (d.x, d.y)).collect();
            assert_eq!(points.len(), 1_000);
            assert_eq!(shares.iter().map(Vec::len).sum::<usize>(), 1_000);
        }
    }

    #[test]
    fn shares_are_of_equal_size() {
        let sizes: Vec<usize> = shares_of(grid(40, 25), 7).iter().map(Vec::len).collect();
        let spread = sizes.iter().max().unwrap() - sizes.iter().min().unwrap();
        assert!(spread <= 1, "{sizes:?}");
    }

    #[test]
    fn shares_are_compact() {
        for share in shares_of(grid(64, 64), 16) {
            let r = Rect::around(&share).unwrap();
            assert!(r.x2 - r.x1 <= 16 && r.y2 - r.y1 <= 16, "{r:?}");
        }
    }

    #[test]
    fn more_agents_than_pixels_leaves_empty_shares() {
        let shares = shares_of(grid(3, 1), 10);
        assert_eq!(shares.len(), 10);
        assert_eq!(shares.iter().filter(|s| !s.is_empty()).count(), 3);
    }

    #[test]
    fn skips_correct_pixels_unless_all_are_correct() {
        let mut dots = grid(4, 1);
        assert_eq!(missing(dots.clone()).len(), 3, "column 0 is white and seen white");
        dots.iter_mut().for_each(|d| d.expected_color = Some(d.color));
        assert_eq!(missing(dots).len(), 4);
    }
}
