//! Plans of others that touch what an agent has painted, or what it has announced to paint.

use super::item::{Importance, Item, Kind};
use crate::canvas::Put;
use crate::chat::Plan;

/// The plans of others that touch an agent's own, each with how much it matters.
pub(super) fn items(agent: i64, standing: &[Put], plans: &[Plan]) -> Vec<Item> {
    let (own, others): (Vec<&Plan>, Vec<&Plan>) = plans.iter().partition(|plan| plan.agent == agent);
    let found = others.into_iter().filter_map(|plan| {
        let importance = touches(plan, standing, &own)?;
        Some(Item { importance, ..Item::new(Kind::Intent, plan.seq, plan.at) })
    });
    found.collect()
}

/// How much a plan matters, if it touches what was there when it was announced.
fn touches(plan: &Plan, standing: &[Put], own: &[&Plan]) -> Option<Importance> {
    let region = plan.region?;
    let there = standing.iter().filter(|put| put.seq < plan.seq);
    let (touched, all) = there
        .fold((0, 0), |(touched, all), put| (touched + usize::from(region.is_near(put.point, 0)), all + 1));
    let shared =
        |earlier: &&Plan| Some((region.intersection(earlier.region?)?.area(), earlier.region?.area()));
    let planned: Vec<_> = own.iter().filter(|own| own.seq < plan.seq).filter_map(shared).collect();
    if touched == 0 && planned.is_empty() {
        return None;
    }
    let half = touched > 0 && touched * 2 >= all || planned.iter().any(|(shared, all)| shared * 2 >= *all);
    Some(if half { Importance::High } else { Importance::Normal })
}

#[cfg(test)]
mod tests {
    use rules::grid::{Corners, Point, Size};

    use super::*;
    use chrono::DateTime;

    const SIZE: Size = Size { width: 64, height: 64 };

    fn plan(seq: i64, agent: i64, [x1, y1, x2, y2]: [i64; 4]) -> Plan {
        let region = SIZE.rect(Corners { x1, y1, x2, y2 });
        Plan { seq, agent, region, at: DateTime::UNIX_EPOCH }
    }

    fn put(seq: i64, x: u16, y: u16) -> Put {
        Put { seq, point: Point { x, y } }
    }

    fn found(standing: &[Put], plans: &[Plan]) -> Vec<(i64, Importance)> {
        items(1, standing, plans).into_iter().map(|item| (item.seq, item.importance)).collect()
    }

    #[test]
    fn intent_overlaps_only_earlier_pixels() {
        let standing = [put(9, 5, 5), put(3, 20, 20), put(2, 21, 20)];
        let over_one = plan(10, 2, [5, 5, 9, 9]);
        let over_two = plan(11, 2, [20, 20, 21, 20]);
        let too_early = plan(8, 2, [0, 0, 9, 9]);
        assert_eq!(
            found(&standing, &[over_two, over_one, too_early]),
            [(11, Importance::High), (10, Importance::Normal)]
        );
    }

    #[test]
    fn intent_overlaps_earlier_intents_of_other_agents_only() {
        let own = plan(5, 1, [0, 0, 9, 9]);
        let half = plan(6, 2, [5, 0, 30, 9]);
        let corner = plan(7, 2, [9, 9, 30, 30]);
        let before = plan(4, 2, [0, 0, 9, 9]);
        assert_eq!(
            found(&[], &[corner, half, own, before]),
            [(7, Importance::Normal), (6, Importance::High)]
        );
    }
}
