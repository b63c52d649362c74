//! What is reported, frozen as it is at the first report: what happens later changes nothing of it.

use std::collections::HashMap;

use rules::grid::Rect;
use rules::ids::MessageId;
use rules::message::Message;
use rules::reports::is_responsible;
use serde_json::{Value, json};

use super::Target;
use super::case::Evidence;
use crate::agents::profile;
use crate::log::Span;
use crate::moderation::store;
use crate::moderation::store::evidence::Stroke;
use crate::refusal::Refusal;
use crate::state::AppState;

/// How many messages before a message, and how many after it, are kept with it.
const NEIGHBOURS: i64 = 3;

/// What can be seen of the target now; none where there is no such thing.
pub(super) async fn gather(state: &AppState, target: &Target) -> Result<Option<Evidence>, Refusal> {
    match target {
        Target::Message(id) => message(state, id).await,
        Target::Name(id) => {
            let Some(holder) = store::standing::holder(&state.pool, id.as_str()).await? else {
                return Ok(None);
            };
            let Some(profile) = profile::find(state, id.as_str()).await? else { return Ok(None) };
            let json = json!({"agent": profile});
            // It names neither a message nor pixels of the account.
            Ok(Some(Evidence { author: Some(holder.no), counts: false, json }))
        }
        Target::Canvas(rect) => canvas(state, *rect).await.map(Some),
    }
}

async fn message(state: &AppState, id: &MessageId) -> Result<Option<Evidence>, Refusal> {
    let Some(said) = store::evidence::said(&state.pool, id.as_str()).await? else { return Ok(None) };
    let around =
        |after, before, limit| Span { author: None, after, before, since: None, limit, hidden: false };
    let found = state.log.messages(&around(said.seq - 1, said.seq + 1, 1)).await?.pop();
    let before = state.log.messages(&around(0, said.seq, NEIGHBOURS)).await?;
    let later = store::evidence::after(&state.pool, said.seq, NEIGHBOURS).await?;
    let after: Vec<Message> = state.log.messages_at(&later).await?;
    let json = json!({
        "message": found.unwrap_or_else(|| Message::without_text(id.as_str().to_owned(), said.seq, said.at)),
        "before": before,
        "after": after,
    });
    Ok(Some(Evidence { author: said.author, counts: true, json }))
}

async fn canvas(state: &AppState, rect: Rect) -> Result<Evidence, Refusal> {
    let (head, numbers) = state.snapshot(|world| {
        let sides = rect.corners();
        let points = (sides.y1..=sides.y2).flat_map(|y| (sides.x1..=sides.x2).map(move |x| (x, y)));
        let latest = points.filter_map(|(x, y)| world.latest(world.season.size.point(x, y)?));
        (world.head, latest.collect::<Vec<i64>>())
    });
    let strokes = store::evidence::strokes(&state.pool, &numbers).await?;
    let mut shares: HashMap<i64, usize> = HashMap::new();
    for stroke in &strokes {
        *shares.entry(stroke.agent).or_default() += 1;
    }
    let most = shares.iter().max_by_key(|(agent, pixels)| (**pixels, -**agent));
    let counts = most.is_some_and(|(_, pixels)| is_responsible(*pixels, strokes.len()));
    let json = json!({
        "region": rect.corners(),
        "head": head,
        "painters": painters(&strokes, &shares),
        "pixels": strokes.iter().map(pixel).collect::<Vec<Value>>(),
    });
    Ok(Evidence { author: most.map(|(agent, _)| *agent), counts, json })
}

fn pixel(stroke: &Stroke) -> Value {
    let Stroke { seq, x, y, color, id, placed_at, .. } = stroke;
    json!({"seq": seq, "x": x, "y": y, "color": color, "agent_id": id, "placed_at": placed_at})
}

/// Who painted how much of it, the most first.
fn painters(strokes: &[Stroke], shares: &HashMap<i64, usize>) -> Vec<Value> {
    let named: HashMap<i64, &Stroke> = strokes.iter().map(|stroke| (stroke.agent, stroke)).collect();
    let mut painters: Vec<(&Stroke, usize)> =
        shares.iter().filter_map(|(agent, pixels)| Some((*named.get(agent)?, *pixels))).collect();
    painters.sort_unstable_by_key(|(stroke, pixels)| (std::cmp::Reverse(*pixels), stroke.agent));
    painters
        .into_iter()
        .map(|(stroke, pixels)| json!({"agent_id": stroke.id, "agent_name": stroke.name, "pixels": pixels}))
        .collect()
}
