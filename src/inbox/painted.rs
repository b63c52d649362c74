//! Pixels that were painted over, gathered by time and place.

use std::collections::HashMap;
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use rules::grid::{Corners, Point, Rect};

use super::item::{Importance, Item, Kind, Painter, Patch};
use crate::canvas::Placement;

/// What happens later than this after the last pixel of a group is another story.
const APART: TimeDelta = TimeDelta::minutes(10);
/// So is what happens further away from a group, in pixels.
const AWAY: u16 = 8;
/// So many pixels matter.
const MANY: usize = 5;
/// How many painters are told at most.
const PAINTERS: usize = 10;

/// Pixels that belong together, oldest first.
struct Group<'a> {
    newest: DateTime<Utc>,
    around: Rect,
    pixels: Vec<&'a Placement>,
}

/// The items that tell of these placements, which come oldest first and are by others.
pub(super) fn items(over: &[Placement]) -> Vec<Item> {
    groups(over).iter().filter_map(Group::item).collect()
}

/// The same placements as patches, the newest first.
pub fn patches(painted: &[Placement]) -> Vec<Patch> {
    let mut groups = groups(painted);
    groups.sort_by_key(|group| std::cmp::Reverse(group.newest));
    groups.iter().map(Group::patch).collect()
}

fn groups(over: &[Placement]) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for pixel in over {
        let point = Point { x: pixel.x, y: pixel.y };
        let near = |group: &&mut Group<'_>| {
            pixel.placed_at - group.newest <= APART && group.around.is_near(point, AWAY)
        };
        match groups.iter_mut().rev().find(near) {
            Some(group) => group.take(pixel, point),
            None => groups.extend(Group::of(pixel, point)),
        }
    }
    groups
}

impl<'a> Group<'a> {
    fn of(pixel: &'a Placement, point: Point) -> Option<Self> {
        Some(Self { newest: pixel.placed_at, around: Rect::bounding([point])?, pixels: vec![pixel] })
    }

    fn take(&mut self, pixel: &'a Placement, point: Point) {
        self.newest = pixel.placed_at;
        self.around = self.around.expanded_to(point);
        self.pixels.push(pixel);
    }

    fn item(&self) -> Option<Item> {
        let newest = self.pixels.last()?;
        let mut item = Item::new(Kind::PaintedOver, newest.seq, newest.placed_at);
        if self.pixels.len() >= MANY {
            item.importance = Importance::High;
        }
        item.pixels = Some(self.patch());
        Some(item)
    }

    fn patch(&self) -> Patch {
        let Corners { x1, y1, x2, y2 } = self.around.corners();
        let by = painters(self.pixels.iter().copied());
        Patch { count: self.pixels.len(), x1, y1, x2, y2, by }
    }
}

/// Who painted how many of these, the most first.
fn painters<'a>(pixels: impl Iterator<Item = &'a Placement>) -> Vec<Painter> {
    let mut counts: HashMap<&Arc<str>, Painter> = HashMap::new();
    for pixel in pixels {
        let painter = counts.entry(&pixel.agent_id).or_insert_with(|| Painter {
            id: pixel.agent_id.clone(),
            name: pixel.agent_name.clone(),
            count: 0,
        });
        painter.count += 1;
    }
    let mut painters: Vec<_> = counts.into_values().collect();
    painters.sort_by(|one, other| other.count.cmp(&one.count).then_with(|| one.id.cmp(&other.id)));
    painters.truncate(PAINTERS);
    painters
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    fn pixel(seq: i64, (x, y): (u16, u16), minute: i64, agent: &str) -> Placement {
        Placement {
            x,
            y,
            color: 1,
            agent_id: agent.into(),
            agent_name: agent.into(),
            placed_at: DateTime::UNIX_EPOCH + TimeDelta::minutes(minute),
            seq,
        }
    }

    #[test]
    fn placements_near_in_time_and_place_form_one_item() {
        let over = [
            pixel(1, (0, 0), 0, "b"),
            pixel(2, (50, 50), 1, "c"),
            pixel(3, (8, 0), 9, "c"),
            pixel(4, (16, 8), 19, "c"),
            pixel(5, (16, 8), 30, "c"),
        ];
        let items = items(&over);
        let told: Vec<_> = items
            .iter()
            .map(|item| {
                let patch = item.pixels.as_ref().unwrap();
                (item.seq, patch.count, [patch.x1, patch.y1, patch.x2, patch.y2], patch.by.len())
            })
            .collect();
        assert_eq!(told, [(4, 3, [0, 0, 16, 8], 2), (2, 1, [50, 50, 50, 50], 1), (5, 1, [16, 8, 16, 8], 1)]);
        let by = &items[0].pixels.as_ref().unwrap().by;
        assert_eq!((&*by[0].name, by[0].count), ("c", 2));
    }

    #[test]
    fn many_pixels_have_high_importance() {
        let over: Vec<_> = (0..5).map(|i| pixel(i, (i as u16, 0), i, "b")).collect();
        assert_eq!(items(&over)[0].importance, Importance::High);
        assert_eq!(items(&over[1..])[0].importance, Importance::Normal);
    }

    proptest! {
        #[test]
        fn every_pixel_is_in_exactly_one_item(steps in vec((0_u16..60, 0_u16..60, 0_i64..12, 0_u8..3), 0..60)) {
            let mut minute = 0;
            let over: Vec<_> = steps.iter().enumerate().map(|(seq, (x, y, later, who))| {
                minute += later;
                pixel(seq as i64, (*x, *y), minute, &who.to_string())
            }).collect();
            let items = items(&over);
            let patches = || items.iter().filter_map(|item| item.pixels.as_ref());
            prop_assert_eq!(patches().map(|patch| patch.count).sum::<usize>(), over.len());
            for patch in patches() {
                prop_assert_eq!(patch.by.iter().map(|painter| painter.count).sum::<usize>(), patch.count);
            }
        }
    }
}
