//! Sizes, points and inclusive rectangles on the canvas. The origin is the top left pixel.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The size of a canvas in pixels, 8–4096 in each direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Size {
    pub width: u16,
    pub height: u16,
}

impl Size {
    /// Returns a width or height; `None` if a canvas cannot have it.
    pub fn parse_side(value: i64) -> Option<u16> {
        u16::try_from(value).ok().filter(|side| (8..=4_096).contains(side))
    }

    /// Returns the number of pixels.
    pub fn area(self) -> usize {
        usize::from(self.width) * usize::from(self.height)
    }

    /// Returns the point at these coordinates; `None` if it is outside the canvas.
    pub fn point(self, x: i64, y: i64) -> Option<Point> {
        let point = Point { x: u16::try_from(x).ok()?, y: u16::try_from(y).ok()? };
        (point.x < self.width && point.y < self.height).then_some(point)
    }

    /// Returns the rectangle between these corners; `None` if they are out of order or outside the canvas.
    pub fn rect(self, corners: Corners) -> Option<Rect> {
        let first = self.point(corners.x1, corners.y1)?;
        let last = self.point(corners.x2, corners.y2)?;
        (first.x <= last.x && first.y <= last.y).then_some(Rect { first, last })
    }

    /// Returns the rectangle of the whole canvas.
    pub fn full_rect(self) -> Rect {
        Rect { first: Point { x: 0, y: 0 }, last: Point { x: self.width - 1, y: self.height - 1 } }
    }

    /// Returns the point's index in row-major order.
    pub fn index(self, point: Point) -> usize {
        usize::from(point.y) * usize::from(self.width) + usize::from(point.x)
    }
}

/// The position of a pixel, checked against the size of a canvas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Point {
    pub x: u16,
    pub y: u16,
}

/// Two opposite corners, as the sender gave them. They may lie outside the canvas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Corners {
    pub x1: i64,
    pub y1: i64,
    pub x2: i64,
    pub y2: i64,
}

/// The top left and bottom right corners of a rectangle, both inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rect {
    first: Point,
    last: Point,
}

impl Rect {
    /// Returns the size of the rectangle.
    pub fn size(self) -> Size {
        Size { width: self.last.x - self.first.x + 1, height: self.last.y - self.first.y + 1 }
    }

    /// Returns the number of pixels in the rectangle.
    pub fn area(self) -> usize {
        self.size().area()
    }

    /// Returns the smallest rectangle that contains all of these points; `None` if there are none.
    pub fn bounding(points: impl IntoIterator<Item = Point>) -> Option<Self> {
        let mut points = points.into_iter();
        let first = points.next()?;
        Some(points.fold(Self { first, last: first }, Self::expanded_to))
    }

    /// Returns the smallest rectangle that contains this one and a point.
    #[must_use]
    pub fn expanded_to(self, point: Point) -> Self {
        Self {
            first: Point { x: self.first.x.min(point.x), y: self.first.y.min(point.y) },
            last: Point { x: self.last.x.max(point.x), y: self.last.y.max(point.y) },
        }
    }

    /// Returns true if a point is inside the rectangle, or at most `distance` beside it in each direction.
    pub fn is_near(self, point: Point, distance: u16) -> bool {
        self.distance_to(point) <= distance
    }

    /// Returns the number of pixels from the rectangle to a point, the larger of both directions; 0 if the
    /// point is inside.
    pub fn distance_to(self, point: Point) -> u16 {
        let outside = |at: u16, first: u16, last: u16| first.saturating_sub(at).max(at.saturating_sub(last));
        outside(point.x, self.first.x, self.last.x).max(outside(point.y, self.first.y, self.last.y))
    }

    /// Returns all points of the rectangle, row by row.
    pub fn points(self) -> impl Iterator<Item = Point> {
        let columns = self.first.x..=self.last.x;
        (self.first.y..=self.last.y).flat_map(move |y| columns.clone().map(move |x| Point { x, y }))
    }

    /// Returns true if a point lies in the rectangle.
    pub fn contains(self, point: Point) -> bool {
        (self.first.x..=self.last.x).contains(&point.x) && (self.first.y..=self.last.y).contains(&point.y)
    }

    /// Returns the index of a point within the rectangle, in row-major order; `None` if it is outside.
    pub fn index_of(self, point: Point) -> Option<usize> {
        let column = point.x.checked_sub(self.first.x)?;
        let row = point.y.checked_sub(self.first.y)?;
        self.contains(point)
            .then_some(usize::from(row) * usize::from(self.size().width) + usize::from(column))
    }

    /// Returns the intersection of two rectangles; `None` if it is empty.
    pub fn intersection(self, other: Self) -> Option<Self> {
        let first = Point { x: self.first.x.max(other.first.x), y: self.first.y.max(other.first.y) };
        let last = Point { x: self.last.x.min(other.last.x), y: self.last.y.min(other.last.y) };
        (first.x <= last.x && first.y <= last.y).then_some(Self { first, last })
    }

    /// Returns the corners as x1, y1, x2, y2.
    pub fn corners(self) -> Corners {
        Corners {
            x1: self.first.x.into(),
            y1: self.first.y.into(),
            x2: self.last.x.into(),
            y2: self.last.y.into(),
        }
    }

    /// Returns the rows of a row-major canvas of this size, cut to the rectangle.
    pub fn rows<T>(self, canvas: Size, pixels: &[T]) -> impl Iterator<Item = &[T]> {
        let columns = usize::from(self.first.x)..=usize::from(self.last.x);
        pixels
            .chunks_exact(usize::from(canvas.width))
            .take(usize::from(self.last.y) + 1)
            .skip(usize::from(self.first.y))
            .map(move |row| &row[columns.clone()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rows_hold_exactly_the_pixels_inside(
            x1 in 0_i64..8,
            y1 in 0_i64..10,
            x2 in 0_i64..8,
            y2 in 0_i64..10,
        ) {
            let pixels: Vec<u8> = (0..80).collect();
            let corners = Corners { x1, y1, x2, y2 };
            let Some(rect) = SIZE.rect(corners) else {
                prop_assert!(x1 > x2 || y1 > y2);
                return Ok(());
            };
            let cut: Vec<u8> = rect.rows(SIZE, &pixels).flatten().copied().collect();
            let inside = |place: usize| {
                let place = place as i64;
                (x1..=x2).contains(&(place % 8)) && (y1..=y2).contains(&(place / 8))
            };
            let there: Vec<u8> = (0..80).filter(|place| inside(*place)).map(|place| pixels[place]).collect();
            prop_assert_eq!(rect.size().area(), cut.len());
            prop_assert_eq!(cut, there);
        }
    }

    const SIZE: Size = Size { width: 8, height: 10 };

    #[test]
    fn a_side_is_from_8_to_4096_pixels() {
        for wrong in [i64::MIN, -8, 0, 7, 4_097, 65_544] {
            assert_eq!(Size::parse_side(wrong), None, "{wrong}");
        }
        assert_eq!([8, 4_096].map(Size::parse_side), [Some(8), Some(4_096)]);
    }

    #[test]
    fn the_full_rectangle_reaches_the_last_point() {
        let whole = SIZE.full_rect();
        assert_eq!((whole.first, whole.last), (Point { x: 0, y: 0 }, Point { x: 7, y: 9 }));
    }

    #[test]
    fn points_outside_the_canvas_are_none() {
        assert!(SIZE.point(7, 9).is_some());
        for (x, y) in [(8, 0), (0, 10), (-1, 0), (0, -1), (i64::MAX, 0), (65_536, 0)] {
            assert_eq!(SIZE.point(x, y), None, "{x},{y}");
        }
    }

    #[test]
    fn rectangles_have_their_corners_in_order() {
        let corners = |x1, y1, x2, y2| Corners { x1, y1, x2, y2 };
        assert!(SIZE.rect(corners(2, 2, 2, 2)).is_some());
        assert!(SIZE.rect(corners(3, 2, 2, 2)).is_none());
        assert!(SIZE.rect(corners(2, 3, 2, 2)).is_none());
        assert!(SIZE.rect(corners(0, 0, 8, 2)).is_none());
    }

    proptest! {
        #[test]
        fn an_intersection_holds_exactly_the_common_points(sides in proptest::array::uniform8(0_i64..8)) {
            let [a, b, c, d, e, f, g, h] = sides;
            let one = Corners { x1: a, y1: b, x2: c, y2: d };
            let other = Corners { x1: e, y1: f, x2: g, y2: h };
            let (Some(one), Some(other)) = (SIZE.rect(one), SIZE.rect(other)) else { return Ok(()) };
            let all = || (0..10).flat_map(|y| (0..8).map(move |x| Point { x, y }));
            let both = all().filter(|point| one.contains(*point) && other.contains(*point));
            prop_assert_eq!(one.intersection(other), Rect::bounding(both));
            for point in all() {
                let gap = |at: u16, first: u16, last: u16| {
                    first.saturating_sub(at).max(at.saturating_sub(last))
                };
                let away = gap(point.x, one.first.x, one.last.x).max(gap(point.y, one.first.y, one.last.y));
                prop_assert_eq!(one.is_near(point, 2), away <= 2);
            }
        }
    }

    #[test]
    fn rows_are_cut_inclusively() {
        let pixels: Vec<u8> = (0..80).collect();
        let rect = SIZE.rect(Corners { x1: 1, y1: 2, x2: 3, y2: 3 }).unwrap();
        let rows: Vec<_> = rect.rows(SIZE, &pixels).collect();
        assert_eq!(rows, [&[17, 18, 19][..], &[25, 26, 27][..]]);
        assert_eq!(rect.size(), Size { width: 3, height: 2 });
    }
}
