//! Tests of target pictures, progress and the choice of pixels.

use std::collections::HashSet;
use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::grid::{Point, Size};
use crate::palette::Color;

const CANVAS: Size = Size { width: 16, height: 12 };

fn parse(rows: &[&str]) -> Result<Target, TargetError> {
    Target::parse(CANVAS, 2, 3, rows)
}

#[test]
fn each_state_is_found_by_its_name() {
    for state in PlanState::ALL {
        assert_eq!(PlanState::from_name(state.name()), Some(state));
        assert_eq!(serde_json::to_value(state).unwrap(), state.name());
    }
    assert_eq!(PlanState::from_name("Open"), None);
}

#[test]
fn rows_become_a_target_and_back() {
    let target = parse(&["0.a", "F.."]).unwrap();
    assert_eq!(target.to_rows(), ["0.a", "f.."]);
    assert_eq!(Target::from_bytes(target.area(), &target.to_bytes()), Some(target.clone()));
    assert_eq!(target.color(Point { x: 4, y: 3 }).map(Color::index), Some(10));
    assert_eq!(target.color(Point { x: 3, y: 3 }), None, "left as it is");
    assert_eq!(target.color(Point { x: 5, y: 3 }), None, "outside");
    assert_eq!(target.pixels().count(), 3);
}

#[test]
fn wrong_rows_are_named() {
    let cases: [(&[&str], TargetError); 6] = [
        (&[], TargetError::RowCount(0)),
        (&["", ""], TargetError::RowLength(0)),
        (&["00", "0"], TargetError::UnequalRow { row: 1, length: 1, first: 2 }),
        (&["00", "0g"], TargetError::InvalidDigit { row: 1, column: 1 }),
        (&["..", ".."], TargetError::Blank),
        (&["000000000000000"], TargetError::OutsideCanvas { width: 15, height: 1 }),
    ];
    for (rows, expected) in cases {
        assert_eq!(parse(rows), Err(expected), "{rows:?}");
    }
    assert_eq!(parse(&["0"; 65]), Err(TargetError::RowCount(65)));
    assert_eq!(parse(&["0".repeat(65).as_str()]), Err(TargetError::RowLength(65)));
    let at = |x, y| Target::parse(CANVAS, x, y, &["0"]);
    assert!(at(15, 11).is_ok());
    for (x, y) in [(-1, 0), (0, -1), (16, 0), (0, 12), (i64::MAX, 0), (i64::MIN, i64::MAX)] {
        assert_eq!(at(x, y), Err(TargetError::OutsideCanvas { width: 1, height: 1 }), "{x},{y}");
    }
}

fn row_of(width: usize) -> impl Strategy<Value = String> {
    let digit = prop::sample::select(vec!['.', '0', '1']);
    prop::collection::vec(digit, width).prop_map(String::from_iter)
}

/// A picture, and placements anywhere near it.
fn arbitrary_history() -> impl Strategy<Value = (Vec<String>, Vec<(u16, u16, u8)>)> {
    let rows = (1_usize..6, 1_usize..6)
        .prop_flat_map(|(width, height)| prop::collection::vec(row_of(width), height));
    let placement = (0..CANVAS.width, 0..CANVAS.height, 0_u8..3);
    (rows, prop::collection::vec(placement, 0..120))
}

proptest! {
    #[test]
    fn progress_equals_a_recount((rows, placements) in arbitrary_history(), known in 0_usize..60) {
        let Ok(target) = Target::parse(CANVAS, 2, 3, &rows) else { return Ok(()) };
        let target = Arc::new(target);
        let mut canvas = vec![0; CANVAS.area()];
        let (before, after) = placements.split_at(known.min(placements.len()));
        for (x, y, color) in before {
            canvas[CANVAS.index(Point { x: *x, y: *y })] = *color;
        }
        let mut tracker = ProgressTracker::new(target.clone(), |point| canvas[CANVAS.index(point)]);
        let mut states = vec![canvas.clone()];
        for (x, y, color) in after {
            let point = Point { x: *x, y: *y };
            canvas[CANVAS.index(point)] = *color;
            states.push(canvas.clone());
            tracker.apply(point, *color);
        }
        let is_right = |canvas: &[u8], point| {
            target.color(point).is_some_and(|color| canvas[CANVAS.index(point)] == color.index())
        };
        let done = target.pixels().filter(|(point, _)| is_right(&canvas, *point)).count();
        let has_been = |point| states.iter().any(|state| is_right(state, point));
        let is_damaged = |point| !is_right(&canvas, point) && has_been(point);
        let damaged = target.pixels().filter(|(point, _)| is_damaged(*point)).count();
        let total = target.pixels().count();
        prop_assert_eq!(tracker.progress(), Progress { total, done, left: total - done, damaged });
    }

    #[test]
    fn agents_that_claim_one_after_another_get_disjoint_wrong_pixels(
        (rows, placements) in arbitrary_history(),
        shares in prop::collection::vec(1_usize..9, 1..10),
    ) {
        let Ok(target) = Target::parse(CANVAS, 2, 3, &rows) else { return Ok(()) };
        let mut canvas = vec![0; CANVAS.area()];
        for (x, y, color) in placements {
            canvas[CANVAS.index(Point { x, y })] = color;
        }
        let color_at = |point| canvas[CANVAS.index(point)];
        let left = target.pixels().filter(|(point, color)| color_at(*point) != color.index()).count();
        let mut claimed = HashSet::new();
        for count in shares {
            let free = left - claimed.len();
            let chosen = select_pixels(&target, color_at, |point| claimed.contains(&point), count);
            prop_assert_eq!(chosen.len(), count.min(left), "claimed ones fill up");
            let mine = &chosen[..count.min(free)];
            for pixel in &chosen {
                prop_assert_eq!(target.color(pixel.point), Some(pixel.color));
                prop_assert_eq!(color_at(pixel.point), pixel.current_color);
                prop_assert_ne!(pixel.current_color, pixel.color.index());
            }
            for pixel in mine {
                prop_assert!(claimed.insert(pixel.point), "a free pixel stands before the claimed ones");
            }
        }
    }
}

#[test]
fn chosen_pixels_are_close_together() {
    let target = parse(&["111111", "111111", "111111"]).unwrap();
    let points = |claimed: &HashSet<Point>| -> Vec<(u16, u16)> {
        let chosen = select_pixels(&target, |_| 0, |point| claimed.contains(&point), 4);
        chosen.into_iter().map(|pixel| (pixel.point.x, pixel.point.y)).collect()
    };
    assert_eq!(points(&HashSet::new()), [(2, 3), (3, 3), (2, 4), (3, 4)]);
    let claimed = [(2, 3), (3, 3), (2, 4), (3, 4)].map(|(x, y)| Point { x, y });
    assert_eq!(points(&HashSet::from(claimed)), [(4, 3), (5, 3), (4, 4), (5, 4)]);
}
