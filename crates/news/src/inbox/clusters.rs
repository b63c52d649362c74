//! Groups placements over an agent's pixels by time and place.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use caraplace_canvas::Placement;
use caraplace_talk::read_state::ReadState;
use chrono::{DateTime, TimeDelta, Utc};
use rules::grid::{Corners, Point, Rect};
use rules::numbers::Seq;

use super::item::{Importance, InboxItem, InboxItemKind, PainterCount, PixelCluster};

/// The maximum time between two placements of a group.
const MAX_CLUSTER_GAP: TimeDelta = TimeDelta::minutes(10);
/// The maximum distance of a placement from the area of its group, in pixels.
const MAX_CLUSTER_DISTANCE: u16 = 8;
/// The number of pixels from which an item has high importance.
const HIGH_IMPORTANCE_PIXELS: usize = 5;
/// The maximum number of painters in a cluster.
const MAX_PAINTERS: usize = 10;

/// A group of placements that are close in time and place, oldest first.
struct ClusterBuilder<'a> {
    newest: DateTime<Utc>,
    bounds: Rect,
    pixels: Vec<&'a Placement>,
}

/// Returns the items for placements of other agents, which must be in order, oldest first. What was marked as
/// read is not repeated in the item of a later placement.
pub(super) fn overwritten_items(placements: &[Placement], read: &ReadState) -> Vec<InboxItem> {
    group_by_item(placements, read).iter().filter_map(ClusterBuilder::to_item).collect()
}

/// Returns the points of those placements whose items are unread.
pub(super) fn unread_points(placements: &[Placement], read: &ReadState) -> HashSet<Point> {
    let groups = group_by_item(placements, read).into_iter();
    let unread = groups.filter(|group| !read.is_item_marked(group.newest_seq()));
    unread.flat_map(|group| group.pixels).map(Placement::point).collect()
}

/// Groups placements. What was marked as read is a group of its own.
fn group_by_item<'a>(placements: &'a [Placement], read: &ReadState) -> Vec<ClusterBuilder<'a>> {
    let is_closed = |group: &ClusterBuilder<'_>, later: &Placement| {
        read.is_item_marked(group.newest_seq()) && later.seq > read.up_to
    };
    group_placements(placements, is_closed)
}

/// Returns these placements as clusters, newest first.
pub fn cluster_placements(placements: &[Placement]) -> Vec<PixelCluster> {
    let mut groups = group_placements(placements, |_, _| false);
    groups.sort_by_key(|group| std::cmp::Reverse(group.newest));
    groups.iter().map(ClusterBuilder::to_cluster).collect()
}

/// Groups placements. A placement does not join a group that is closed for it.
fn group_placements<'a>(
    placements: &'a [Placement],
    is_closed: impl Fn(&ClusterBuilder<'_>, &Placement) -> bool,
) -> Vec<ClusterBuilder<'a>> {
    let mut groups: Vec<ClusterBuilder<'a>> = Vec::new();
    for pixel in placements {
        let point = pixel.point();
        let belongs_to = |group: &&mut ClusterBuilder<'_>| {
            pixel.placed_at - group.newest <= MAX_CLUSTER_GAP
                && group.bounds.is_near(point, MAX_CLUSTER_DISTANCE)
                && !is_closed(group, pixel)
        };
        match groups.iter_mut().rev().find(belongs_to) {
            Some(group) => group.push(pixel, point),
            None => groups.extend(ClusterBuilder::new(pixel, point)),
        }
    }
    groups
}

impl<'a> ClusterBuilder<'a> {
    fn new(pixel: &'a Placement, point: Point) -> Option<Self> {
        Some(Self { newest: pixel.placed_at, bounds: Rect::bounding([point])?, pixels: vec![pixel] })
    }

    fn newest_seq(&self) -> Seq {
        self.pixels.last().map_or(Seq::ZERO, |placement| placement.seq)
    }

    fn push(&mut self, pixel: &'a Placement, point: Point) {
        self.newest = pixel.placed_at;
        self.bounds = self.bounds.expanded_to(point);
        self.pixels.push(pixel);
    }

    fn to_item(&self) -> Option<InboxItem> {
        let newest = self.pixels.last()?;
        let mut item = InboxItem::new(InboxItemKind::Overwritten, newest.seq, newest.placed_at);
        item.first_seq = self.pixels.first().map_or(newest.seq, |oldest| oldest.seq);
        if self.pixels.len() >= HIGH_IMPORTANCE_PIXELS {
            item.importance = Importance::High;
        }
        item.pixels = Some(self.to_cluster());
        Some(item)
    }

    fn to_cluster(&self) -> PixelCluster {
        let Corners { x1, y1, x2, y2 } = self.bounds.corners();
        let by = count_painters(self.pixels.iter().copied());
        PixelCluster { count: self.pixels.len(), x1, y1, x2, y2, by }
    }
}

/// Returns the number of placements of each painter, the one with the most first.
fn count_painters<'a>(pixels: impl Iterator<Item = &'a Placement>) -> Vec<PainterCount> {
    let mut counts: HashMap<&Arc<str>, PainterCount> = HashMap::new();
    for pixel in pixels {
        let painter = counts.entry(&pixel.agent_id).or_insert_with(|| PainterCount {
            id: pixel.agent_id.clone(),
            name: pixel.agent_name.clone(),
            count: 0,
        });
        painter.count += 1;
    }
    let mut painters: Vec<_> = counts.into_values().collect();
    painters.sort_by(|one, other| other.count.cmp(&one.count).then_with(|| one.id.cmp(&other.id)));
    painters.truncate(MAX_PAINTERS);
    painters
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    fn placement(seq: i64, x: u16, y: u16, minute: i64, agent: &str) -> Placement {
        Placement {
            x,
            y,
            color: 1,
            agent_id: agent.into(),
            agent_name: agent.into(),
            placed_at: DateTime::UNIX_EPOCH + TimeDelta::minutes(minute),
            seq: Seq(seq),
        }
    }

    #[test]
    fn placements_near_in_time_and_place_form_one_item() {
        let placements = [
            placement(1, 0, 0, 0, "b"),
            placement(2, 50, 50, 1, "c"),
            placement(3, 8, 0, 9, "c"),
            placement(4, 16, 8, 19, "c"),
            placement(5, 16, 8, 30, "c"),
        ];
        let items = overwritten_items(&placements, &ReadState::default());
        let actual: Vec<_> = items
            .iter()
            .map(|item| {
                let cluster = item.pixels.as_ref().unwrap();
                (item.seq, cluster.count, [cluster.x1, cluster.y1, cluster.x2, cluster.y2], cluster.by.len())
            })
            .collect();
        assert_eq!(
            actual,
            [(Seq(4), 3, [0, 0, 16, 8], 2), (Seq(2), 1, [50, 50, 50, 50], 1), (Seq(5), 1, [16, 8, 16, 8], 1)]
        );
        let by = &items[0].pixels.as_ref().unwrap().by;
        assert_eq!((&*by[0].name, by[0].count), ("c", 2));
    }

    #[test]
    fn what_was_marked_as_read_is_not_repeated_in_a_later_item() {
        let placements: Vec<_> = (1..=4).map(|i| placement(i, i as u16, 0, i, "b")).collect();
        let clusters = |read: &ReadState| -> Vec<_> {
            let items = overwritten_items(&placements, read).into_iter();
            items.map(|item| (item.first_seq, item.seq, item.pixels.unwrap().count)).collect()
        };
        assert_eq!(clusters(&ReadState::default()), [(Seq(1), Seq(4), 4)]);
        assert_eq!(
            clusters(&ReadState { up_to: Seq(2), ..ReadState::default() }),
            [(Seq(1), Seq(2), 2), (Seq(3), Seq(4), 2)]
        );
        assert_eq!(
            clusters(&ReadState { items: vec![Seq(3)], ..ReadState::default() }),
            [(Seq(1), Seq(3), 3), (Seq(4), Seq(4), 1)]
        );
        assert_eq!(clusters(&ReadState { up_to: Seq(4), ..ReadState::default() }), [(Seq(1), Seq(4), 4)]);
    }

    #[test]
    fn many_pixels_have_high_importance() {
        let placements: Vec<_> = (1..=5).map(|i| placement(i, i as u16, 0, i, "b")).collect();
        assert_eq!(overwritten_items(&placements, &ReadState::default())[0].importance, Importance::High);
        assert_eq!(
            overwritten_items(&placements[1..], &ReadState::default())[0].importance,
            Importance::Normal
        );
    }

    proptest! {
        #[test]
        fn every_pixel_is_in_exactly_one_item(
            steps in vec((0_u16..60, 0_u16..60, 0_i64..12, 0_u8..3), 0..60),
        ) {
            let mut minute = 0;
            let over: Vec<_> = steps.iter().enumerate().map(|(seq, (x, y, later, who))| {
                minute += later;
                placement(seq as i64, *x, *y, minute, &who.to_string())
            }).collect();
            let items = overwritten_items(&over, &ReadState::default());
            let clusters = || items.iter().filter_map(|item| item.pixels.as_ref());
            prop_assert_eq!(clusters().map(|cluster| cluster.count).sum::<usize>(), over.len());
            for cluster in clusters() {
                prop_assert_eq!(cluster.by.iter().map(|painter| painter.count).sum::<usize>(), cluster.count);
            }
        }
    }
}
