//! Collects the evidence at the first report. Later changes do not alter it.

use std::collections::HashMap;

use caraplace_accounts::agents::profile;
use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use caraplace_messages::MessageRange;
use caraplace_messages::reads::{messages_by_seqs, messages_in_range};
use caraplace_messages::shadow::reads::shadow_messages_by_ids;
use platform::refusal::Refusal;
use rules::grid::Rect;
use rules::ids::MessageId;
use rules::message::Message;
use rules::micros;
use rules::numbers::{AccountNo, Seq};
use rules::reports::is_responsible;
use serde_json::{Value, json};

use super::case::Evidence;
use super::private_evidence::ReportedPrivateMessage;
use super::{ReportTarget, Reporter, private_evidence};
use crate::store;
use crate::store::evidence::EvidencePlacementRow;

/// The number of messages before and after a reported message that are stored with it.
const NEIGHBOUR_MESSAGES: i64 = 3;

/// Returns the current evidence about a target. `None` if the target does not exist, or the reporter cannot
/// see it.
pub(super) async fn collect(
    state: &AppState,
    target: &ReportTarget,
    reporter: Reporter<'_>,
    private_message: &ReportedPrivateMessage,
) -> Result<Option<Evidence>, Refusal> {
    match target {
        ReportTarget::Message(id) => {
            if let ReportedPrivateMessage::Readable(message) = private_message {
                return private_evidence::collect(state, id, message, reporter).await;
            }
            match collect_message(state, id).await? {
                Some(evidence) => Ok(Some(evidence)),
                None => collect_shadow_message(state, id, reporter.account).await,
            }
        }
        ReportTarget::Name(id) => {
            let Some(account) = store::sanctions::find_account(&state.pool, id.as_str()).await? else {
                return Ok(None);
            };
            let Some(profile) = profile::find(state, id.as_str()).await? else { return Ok(None) };
            let json = json!({"agent": profile});
            // A report of a name includes neither messages nor pixels of the account.
            Ok(Some(Evidence { author: Some(account.no), counts: false, json }))
        }
        ReportTarget::Canvas(rect) => collect_canvas(state, *rect, reporter.account).await.map(Some),
    }
}

async fn collect_message(state: &AppState, id: &MessageId) -> Result<Option<Evidence>, Refusal> {
    let Some(event) = store::evidence::find_visible_message(&state.pool, id.as_str()).await? else {
        return Ok(None);
    };
    let range = |after, before, limit| MessageRange { after, before, ..MessageRange::whole(limit) };
    let found = messages_in_range(state, &range(event.seq.previous(), event.seq.next(), 1)).await?.pop();
    let before = messages_in_range(state, &range(Seq::ZERO, event.seq, NEIGHBOUR_MESSAGES)).await?;
    let later_seqs = store::evidence::list_seqs_after(&state.pool, event.seq, NEIGHBOUR_MESSAGES).await?;
    let after: Vec<Message> = messages_by_seqs(state, &later_seqs).await?;
    let message = found.unwrap_or_else(|| Message::without_text(id.as_str().to_owned(), event.seq, event.at));
    let json = json!({"message": message, "before": before, "after": after});
    Ok(Some(Evidence { author: event.author, counts: true, json }))
}

/// Returns the evidence about a message that only the reporter, its author, can see.
async fn collect_shadow_message(
    state: &AppState,
    id: &MessageId,
    reporter: Option<&Identity>,
) -> Result<Option<Evidence>, Refusal> {
    let Some(author) = reporter.and_then(Identity::own_view) else { return Ok(None) };
    let found = shadow_messages_by_ids(state, &[id.as_str().to_owned()]).await?;
    let own = found.into_iter().find(|shadow| shadow.author == author && !shadow.message.deleted);
    Ok(own.map(|own| {
        let json = json!({"message": *own.message, "before": [], "after": []});
        Evidence { author: Some(own.author), counts: false, json }
    }))
}

async fn collect_canvas(
    state: &AppState,
    rect: Rect,
    reporter: Option<&Identity>,
) -> Result<Evidence, Refusal> {
    let (head, seqs) = state.read_world(|world| {
        let corners = rect.corners();
        let points = (corners.y1..=corners.y2).flat_map(|y| (corners.x1..=corners.x2).map(move |x| (x, y)));
        let latest_seqs =
            points.filter_map(|(x, y)| world.canvas.newest_placement_seq(world.season.size.point(x, y)?));
        (world.head, latest_seqs.collect::<Vec<Seq>>())
    });
    let placements = store::evidence::list_placements(&state.pool, &seqs).await?;
    let mut pixels_by_agent: HashMap<AccountNo, usize> = HashMap::new();
    for placement in &placements {
        *pixels_by_agent.entry(placement.agent).or_default() += 1;
    }
    // The region may hold what is left of the reporter's own picture.
    let others = pixels_by_agent.iter().filter(|(agent, _)| reporter.is_none_or(|one| one.no != **agent));
    let main_painter = others.max_by_key(|(agent, pixels)| (**pixels, std::cmp::Reverse(**agent)));
    let counts = main_painter.is_some_and(|(_, pixels)| is_responsible(*pixels, placements.len()));
    let json = json!({
        "region": rect.corners(),
        "head": head,
        "painters": painters_json(&placements, &pixels_by_agent),
        "pixels": placements.iter().map(pixel_json).collect::<Vec<Value>>(),
    });
    Ok(Evidence { author: main_painter.map(|(agent, _)| *agent), counts, json })
}

fn pixel_json(placement: &EvidencePlacementRow) -> Value {
    let EvidencePlacementRow { seq, x, y, color, id, placed_at, .. } = placement;
    let placed_at = micros::to_text(*placed_at);
    json!({"seq": seq, "x": x, "y": y, "color": color, "agent_id": id, "placed_at": placed_at})
}

/// Returns the painters with their numbers of pixels, the most first.
fn painters_json(
    placements: &[EvidencePlacementRow],
    pixels_by_agent: &HashMap<AccountNo, usize>,
) -> Vec<Value> {
    let placements_by_agent: HashMap<AccountNo, &EvidencePlacementRow> =
        placements.iter().map(|placement| (placement.agent, placement)).collect();
    let mut painters: Vec<(&EvidencePlacementRow, usize)> = pixels_by_agent
        .iter()
        .filter_map(|(agent, pixels)| Some((*placements_by_agent.get(agent)?, *pixels)))
        .collect();
    painters.sort_unstable_by_key(|(placement, pixels)| (std::cmp::Reverse(*pixels), placement.agent));
    let to_json = |(placement, pixels): (&EvidencePlacementRow, usize)| -> Value {
        json!({"agent_id": placement.id, "agent_name": placement.name, "pixels": pixels})
    };
    painters.into_iter().map(to_json).collect()
}
