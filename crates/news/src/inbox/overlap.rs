//! Finds live intents of other agents that overlap with an agent's pixels or with its own live intents.

use std::sync::Arc;

use caraplace_canvas::OwnPixel;
use caraplace_messages::live_intents::LiveIntent;
use rules::grid::Rect;

use super::item::{Importance, InboxItem, InboxItemKind};

/// Returns an item for each intent of another agent that overlaps, with its importance.
pub(super) fn find_overlaps(
    agent_id: &str,
    visible: &[OwnPixel],
    intents: &[Arc<LiveIntent>],
) -> Vec<InboxItem> {
    let is_own = |intent: &&Arc<LiveIntent>| intent.message.agent_id.as_deref() == Some(agent_id);
    let (own_intents, other_intents): (Vec<&Arc<LiveIntent>>, Vec<&Arc<LiveIntent>>) =
        intents.iter().partition(is_own);
    let found = other_intents.into_iter().filter_map(|intent| {
        let importance = overlap_importance(intent, visible, &own_intents)?;
        let item = InboxItem::new(InboxItemKind::Intent, intent.message.seq, intent.message.timestamp);
        Some(InboxItem { importance, ..item })
    });
    found.collect()
}

/// Returns the importance of an intent, or `None` if it overlaps with nothing that was there before it.
fn overlap_importance(
    intent: &LiveIntent,
    visible: &[OwnPixel],
    own_intents: &[&Arc<LiveIntent>],
) -> Option<Importance> {
    let earlier_placements = visible.iter().filter(|placement| placement.seq < intent.message.seq);
    let (touched_count, total) = earlier_placements.fold((0, 0), |(count, all), placement| {
        let is_touched = intent.regions.iter().any(|region| region.contains(placement.point));
        (count + usize::from(is_touched), all + 1)
    });
    let earlier_intents = own_intents.iter().filter(|own_intent| own_intent.message.seq < intent.message.seq);
    let overlaps: Vec<(usize, usize)> = earlier_intents
        .flat_map(|own_intent| own_intent.regions.iter())
        .map(|own_region| (shared_area(&intent.regions, *own_region), own_region.area()))
        .filter(|(shared, _)| *shared > 0)
        .collect();
    if touched_count == 0 && overlaps.is_empty() {
        return None;
    }
    let is_half = touched_count > 0 && touched_count * 2 >= total
        || overlaps.iter().any(|(shared, all)| shared * 2 >= *all);
    Some(if is_half { Importance::High } else { Importance::Normal })
}

/// Returns the largest area that one of these regions shares with another.
fn shared_area(regions: &[Rect], other: Rect) -> usize {
    let areas = regions.iter().filter_map(|region| Some(region.intersection(other)?.area()));
    areas.max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use rules::grid::{Corners, Point, Size};
    use rules::message::Message;
    use rules::numbers::Seq;

    use super::*;

    const SIZE: Size = Size { width: 64, height: 64 };

    fn intent_in(seq: i64, agent: &str, regions: &[[i64; 4]]) -> Arc<LiveIntent> {
        let regions = regions
            .iter()
            .filter_map(|[x1, y1, x2, y2]| SIZE.rect(Corners { x1: *x1, y1: *y1, x2: *x2, y2: *y2 }));
        let message = Message::from_system("A roof.".into(), DateTime::UNIX_EPOCH);
        let message = Arc::new(Message { seq: Seq(seq), agent_id: Some(agent.into()), ..message });
        Arc::new(LiveIntent { message, regions: regions.collect(), expires_at: DateTime::UNIX_EPOCH })
    }

    fn intent(seq: i64, agent: &str, region: [i64; 4]) -> Arc<LiveIntent> {
        intent_in(seq, agent, &[region])
    }

    fn placement(seq: i64, x: u16, y: u16) -> OwnPixel {
        OwnPixel { seq: Seq(seq), point: Point { x, y } }
    }

    fn overlaps(visible: &[OwnPixel], intents: &[Arc<LiveIntent>]) -> Vec<(Seq, Importance)> {
        find_overlaps("ada", visible, intents).into_iter().map(|item| (item.seq, item.importance)).collect()
    }

    #[test]
    fn intent_overlaps_only_earlier_pixels() {
        let visible = [placement(9, 5, 5), placement(3, 20, 20), placement(2, 21, 20)];
        let over_one = intent(10, "bob", [5, 5, 9, 9]);
        let over_two = intent(11, "bob", [20, 20, 21, 20]);
        let too_early = intent(8, "bob", [0, 0, 9, 9]);
        assert_eq!(
            overlaps(&visible, &[over_two, over_one, too_early]),
            [(Seq(11), Importance::High), (Seq(10), Importance::Normal)]
        );
    }

    #[test]
    fn all_regions_of_an_intent_count() {
        let visible = [placement(3, 20, 20), placement(2, 1, 1), placement(1, 40, 40)];
        let scattered = intent_in(10, "bob", &[[50, 50, 60, 60], [20, 20, 21, 21], [0, 0, 1, 1]]);
        assert_eq!(overlaps(&visible, &[scattered]), [(Seq(10), Importance::High)]);
        assert_eq!(overlaps(&visible, &[intent_in(10, "bob", &[])]), []);
    }

    #[test]
    fn intent_overlaps_earlier_intents_of_other_agents_only() {
        let own = intent(5, "ada", [0, 0, 9, 9]);
        let half = intent(6, "bob", [5, 0, 30, 9]);
        let corner = intent(7, "bob", [9, 9, 30, 30]);
        let before = intent(4, "bob", [0, 0, 9, 9]);
        assert_eq!(
            overlaps(&[], &[corner, half, own, before]),
            [(Seq(7), Importance::Normal), (Seq(6), Importance::High)]
        );
    }
}
