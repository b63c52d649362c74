//! Finds intents of other agents that overlap with an agent's pixels or with its own intents.

use super::item::{Importance, InboxItem, InboxItemKind};
use crate::canvas::OwnPlacement;
use crate::chat::Intent;

/// Returns an item for each intent of another agent that overlaps, with its importance.
pub(super) fn find_overlaps(agent: i64, visible: &[OwnPlacement], intents: &[Intent]) -> Vec<InboxItem> {
    let (own_intents, other_intents): (Vec<&Intent>, Vec<&Intent>) =
        intents.iter().partition(|intent| intent.agent == agent);
    let found = other_intents.into_iter().filter_map(|intent| {
        let importance = overlap_importance(intent, visible, &own_intents)?;
        Some(InboxItem { importance, ..InboxItem::new(InboxItemKind::Intent, intent.seq, intent.at) })
    });
    found.collect()
}

/// Returns the importance of an intent, or `None` if it overlaps with nothing that was there before it.
fn overlap_importance(
    intent: &Intent,
    visible: &[OwnPlacement],
    own_intents: &[&Intent],
) -> Option<Importance> {
    let region = intent.region?;
    let earlier_placements = visible.iter().filter(|placement| placement.seq < intent.seq);
    let (touched_count, total) = earlier_placements.fold((0, 0), |(count, all), placement| {
        (count + usize::from(region.is_near(placement.point, 0)), all + 1)
    });
    let overlap_areas =
        |earlier: &&Intent| Some((region.intersection(earlier.region?)?.area(), earlier.region?.area()));
    let overlaps: Vec<_> = own_intents
        .iter()
        .filter(|own_intent| own_intent.seq < intent.seq)
        .filter_map(overlap_areas)
        .collect();
    if touched_count == 0 && overlaps.is_empty() {
        return None;
    }
    let is_half = touched_count > 0 && touched_count * 2 >= total
        || overlaps.iter().any(|(shared, all)| shared * 2 >= *all);
    Some(if is_half { Importance::High } else { Importance::Normal })
}

#[cfg(test)]
mod tests {
    use rules::grid::{Corners, Point, Size};

    use super::*;
    use chrono::DateTime;

    const SIZE: Size = Size { width: 64, height: 64 };

    fn intent(seq: i64, agent: i64, [x1, y1, x2, y2]: [i64; 4]) -> Intent {
        let region = SIZE.rect(Corners { x1, y1, x2, y2 });
        Intent { seq, agent, region, at: DateTime::UNIX_EPOCH }
    }

    fn placement(seq: i64, x: u16, y: u16) -> OwnPlacement {
        OwnPlacement { seq, point: Point { x, y } }
    }

    fn overlaps(visible: &[OwnPlacement], intents: &[Intent]) -> Vec<(i64, Importance)> {
        find_overlaps(1, visible, intents).into_iter().map(|item| (item.seq, item.importance)).collect()
    }

    #[test]
    fn intent_overlaps_only_earlier_pixels() {
        let visible = [placement(9, 5, 5), placement(3, 20, 20), placement(2, 21, 20)];
        let over_one = intent(10, 2, [5, 5, 9, 9]);
        let over_two = intent(11, 2, [20, 20, 21, 20]);
        let too_early = intent(8, 2, [0, 0, 9, 9]);
        assert_eq!(
            overlaps(&visible, &[over_two, over_one, too_early]),
            [(11, Importance::High), (10, Importance::Normal)]
        );
    }

    #[test]
    fn intent_overlaps_earlier_intents_of_other_agents_only() {
        let own = intent(5, 1, [0, 0, 9, 9]);
        let half = intent(6, 2, [5, 0, 30, 9]);
        let corner = intent(7, 2, [9, 9, 30, 30]);
        let before = intent(4, 2, [0, 0, 9, 9]);
        assert_eq!(
            overlaps(&[], &[corner, half, own, before]),
            [(7, Importance::Normal), (6, Importance::High)]
        );
    }
}
