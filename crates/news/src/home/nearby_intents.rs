//! Sorts live intents: those of others near the agent first, its own apart.

use std::sync::Arc;

use caraplace_canvas::OwnPixel;
use caraplace_messages::live_intents::LiveIntent;
use rules::grid::{Corners, Rect};
use rules::next_steps::NearbyIntents;
use rules::numbers::Seq;

/// The distance from the agent's visible pixels and its own live intents within which an intent is near.
const NEAR_PIXELS: i64 = 16;
/// The maximum numbers of intents of others, and of the agent's own.
const MAX_INTENTS: usize = 50;
pub(super) const MAX_OWN_INTENTS: usize = 5;

/// The live intents as an agent should see them, by their sequence numbers.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct SortedIntents {
    /// Those of others: near ones first, the nearest of them first; then the newest first.
    pub others: Vec<Seq>,
    /// The agent's own, the newest first.
    pub own: Vec<Seq>,
    /// The number of intents of others near the agent, and the nearest one; `None` if there are none.
    pub nearby: Option<NearbyIntents>,
}

/// Returns the places where an agent is active: the regions of its live intents, and its visible pixels.
pub(super) fn own_places(agent_id: &str, intents: &[Arc<LiveIntent>], visible: &[OwnPixel]) -> Vec<Rect> {
    let own = intents.iter().filter(|intent| is_by(intent, agent_id));
    let points = visible.iter().filter_map(|placement| Rect::bounding([placement.point]));
    own.flat_map(|intent| intent.regions.iter().copied()).chain(points).collect()
}

fn is_by(intent: &LiveIntent, agent_id: &str) -> bool {
    intent.message.agent_id.as_deref() == Some(agent_id)
}

/// Sorts live intents, which must be the newest first, for an agent with these places. To an agent without
/// places, all are near.
pub(super) fn sort_intents(agent_id: &str, intents: &[Arc<LiveIntent>], places: &[Rect]) -> SortedIntents {
    let (own, others): (Vec<&Arc<LiveIntent>>, Vec<&Arc<LiveIntent>>) =
        intents.iter().partition(|intent| is_by(intent, agent_id));
    let mut near = Vec::new();
    let mut far = Vec::new();
    for intent in others {
        match distance(intent, places).filter(|distance| *distance <= NEAR_PIXELS) {
            Some(distance) => near.push((distance, intent)),
            None => far.push(intent),
        }
    }
    near.sort_by_key(|(distance, _)| *distance);
    let nearby = near.first().map(|(_, nearest)| NearbyIntents {
        count: near.len(),
        nearest: nearest.message.id.clone(),
        region: nearest.message.regions().first().copied(),
    });
    let others = near.into_iter().map(|(_, intent)| intent).chain(far);
    let seq = |intent: &Arc<LiveIntent>| intent.message.seq;
    SortedIntents {
        others: others.take(MAX_INTENTS).map(seq).collect(),
        own: own.into_iter().take(MAX_OWN_INTENTS).map(seq).collect(),
        nearby,
    }
}

/// Returns the distance of an intent from the nearest of these places, or `None` if it names no region. It is
/// 0 if there are no places.
fn distance(intent: &LiveIntent, places: &[Rect]) -> Option<i64> {
    if places.is_empty() {
        return Some(0);
    }
    intent.regions.iter().map(|region| distance_to_places(*region, places)).min()
}

/// Returns the distance of an area from the nearest of these places, 0 if there are none.
pub(super) fn distance_to_places(area: Rect, places: &[Rect]) -> i64 {
    places.iter().map(|place| gap(area.corners(), place.corners())).min().unwrap_or(0)
}

/// Returns the number of pixels from one rectangle to another, in the direction in which they are farther
/// apart; 0 if they overlap.
fn gap(one: Corners, other: Corners) -> i64 {
    let horizontal = (other.x1 - one.x2).max(one.x1 - other.x2);
    let vertical = (other.y1 - one.y2).max(one.y1 - other.y2);
    horizontal.max(vertical).max(0)
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use rules::grid::{Point, Size};
    use rules::intent::{IntentDetails, IntentState};
    use rules::message::{Message, MessageType};

    use super::*;

    const SIZE: Size = Size { width: 128, height: 128 };

    fn intent(seq: i64, agent: &str, sides: Option<[i64; 4]>) -> Arc<LiveIntent> {
        let state = IntentState::Open;
        let expires_at = DateTime::UNIX_EPOCH;
        let corners: Vec<Corners> =
            sides.into_iter().map(|[x1, y1, x2, y2]| Corners { x1, y1, x2, y2 }).collect();
        let regions = corners.iter().map(|corners| SIZE.rect(*corners).unwrap()).collect();
        let message = Message {
            id: format!("msg_{seq}"),
            seq: Seq(seq),
            agent_id: Some(agent.into()),
            kind: MessageType::Intent,
            intent: Some(IntentDetails { state, regions: corners, expires_at }),
            ..Message::from_system("A roof.".into(), expires_at)
        };
        Arc::new(LiveIntent { message: Arc::new(message), regions, expires_at })
    }

    fn visible(x: u16, y: u16) -> Vec<OwnPixel> {
        vec![OwnPixel { seq: Seq(1), point: Point { x, y } }]
    }

    #[test]
    fn near_intents_come_first_and_own_ones_apart() {
        let intents = [
            intent(9, "bob", Some([100, 100, 110, 110])),
            intent(8, "bob", None),
            intent(7, "bob", Some([26, 10, 30, 30])),
            intent(6, "ada", Some([0, 60, 4, 64])),
            intent(5, "bob", Some([12, 12, 14, 14])),
            intent(4, "bob", Some([27, 10, 30, 30])),
            intent(3, "bob", Some([0, 70, 0, 70])),
        ];
        let places = own_places("ada", &intents, &visible(10, 10));
        let sorted = sort_intents("ada", &intents, &places);
        assert_eq!(sorted.others, [5, 3, 7, 9, 8, 4].map(Seq));
        assert_eq!(sorted.own, [Seq(6)]);
        let region = Some(Corners { x1: 12, y1: 12, x2: 14, y2: 14 });
        assert_eq!(sorted.nearby, Some(NearbyIntents { count: 3, nearest: "msg_5".into(), region }));
    }

    #[test]
    fn all_are_near_to_an_agent_without_a_place() {
        let intents = [intent(9, "bob", None), intent(8, "bob", Some([1, 1, 2, 2]))];
        let sorted = sort_intents("ada", &intents, &[]);
        assert_eq!(sorted.others, [9, 8].map(Seq));
        assert_eq!(sorted.nearby, Some(NearbyIntents { count: 2, nearest: "msg_9".into(), region: None }));
        assert_eq!(sort_intents("bob", &intents, &[]).nearby, None);
    }
}
