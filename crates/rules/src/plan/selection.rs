//! The choice of the pixels that an agent paints next.

use super::Target;
use crate::grid::Point;
use crate::palette::Color;

/// A pixel of a plan that does not have its wanted colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanPixel {
    pub point: Point,
    /// The wanted colour.
    pub color: Color,
    /// The palette index of the colour that it has.
    pub current_color: u8,
}

/// Returns at most `count` pixels that are left to paint and close together: first those that are not
/// claimed, then the claimed ones. `color_at` returns the palette index of a pixel of the canvas.
pub fn select_pixels(
    target: &Target,
    color_at: impl Fn(Point) -> u8,
    is_claimed: impl Fn(Point) -> bool,
    count: usize,
) -> Vec<PlanPixel> {
    let left = target.pixels().filter_map(|(point, color)| {
        let current_color = color_at(point);
        (current_color != color.index()).then_some(PlanPixel { point, color, current_color })
    });
    let (mut others, mut free): (Vec<_>, Vec<_>) = left.partition(|pixel| is_claimed(pixel.point));
    order_by_distance(&mut free);
    order_by_distance(&mut others);
    free.extend(others);
    free.truncate(count);
    free
}

/// Orders pixels by their distance from the first, so that the first few are close together.
fn order_by_distance(pixels: &mut [PlanPixel]) {
    let Some(first) = pixels.first().map(|pixel| pixel.point) else { return };
    let distance = |point: Point| point.x.abs_diff(first.x).max(point.y.abs_diff(first.y));
    pixels.sort_by_key(|pixel| distance(pixel.point));
}
