//! The info about one pixel, and the newest placements.

use std::sync::Arc;

use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use chrono::{DateTime, Utc};
use platform::refusal::Refusal;
use rules::grid::Point;
use rules::micros;
use rules::numbers::{AccountNo, Seq};
use rules::palette::BLANK_COLOR;
use serde::Serialize;
use utoipa::ToSchema;

use super::{HistoryPlacement, Placement, PlacementPlan, store};

/// The maximum number of placements in a pixel's history.
pub const MAX_PIXEL_HISTORY: i32 = 20;

/// A pixel with its history. The fields of the newest placement are null if the pixel was never painted; its
/// agent is also null if a rollback has made the pixel blank again.
#[derive(Debug, Serialize, ToSchema)]
pub struct PixelInfo {
    pub x: u16,
    pub y: u16,
    pub color: u8,
    #[schema(value_type = Option<String>)]
    pub agent_id: Option<Arc<str>>,
    #[schema(value_type = Option<String>)]
    pub agent_name: Option<Arc<str>>,
    #[serde(serialize_with = "micros::serialize_optional")]
    pub placed_at: Option<DateTime<Utc>>,
    #[schema(value_type = Option<i64>)]
    pub seq: Option<Seq>,
    #[serde(flatten)]
    pub plan: PlacementPlan,
    /// The newest placements on the pixel, newest first, the current one included; at most 20.
    pub history: Vec<HistoryPlacement>,
}

/// Returns a pixel and its history as the caller sees them.
pub async fn find_pixel(
    state: &AppState,
    point: Point,
    caller: Option<&Identity>,
) -> Result<PixelInfo, Refusal> {
    let (newest, current_color) =
        state.read_world(|world| (world.canvas.newest_placement_seq(point), world.canvas.color(point)));
    find_painted_pixel(state, point, newest, current_color, caller).await
}

/// Returns a pixel and its history by the number of its newest placement; blank without one.
pub async fn find_archived_pixel(
    state: &AppState,
    point: Point,
    newest: Option<Seq>,
    caller: Option<&Identity>,
) -> Result<PixelInfo, Refusal> {
    find_painted_pixel(state, point, newest, BLANK_COLOR.index(), caller).await
}

async fn find_painted_pixel(
    state: &AppState,
    point: Point,
    newest: Option<Seq>,
    current_color: u8,
    caller: Option<&Identity>,
) -> Result<PixelInfo, Refusal> {
    let history = match newest {
        Some(newest) => {
            let caller = caller.map(|caller| caller.no);
            store::pixel_history(&state.pool, newest, MAX_PIXEL_HISTORY, caller).await?
        }
        None => Vec::new(),
    };
    let plan = history.first().map(|latest| latest.plan.clone()).unwrap_or_default();
    let latest = history.first().map(|latest| &latest.placement);
    let painted = history.first().filter(|latest| !latest.is_cleared).map(|latest| &latest.placement);
    Ok(PixelInfo {
        x: point.x,
        y: point.y,
        color: latest.map_or(current_color, |placement| placement.color),
        agent_id: painted.map(|placement| placement.agent_id.clone()),
        agent_name: painted.map(|placement| placement.agent_name.clone()),
        placed_at: latest.map(|placement| placement.placed_at),
        seq: latest.map(|placement| placement.seq),
        plan,
        history,
    })
}

/// Returns the newest placements of the season, newest first.
pub async fn recent_placements(state: &AppState, limit: i64) -> Result<Vec<Placement>, Refusal> {
    let season = state.read_world(|world| world.season.seq);
    Ok(store::recent_placements(&state.pool, season, limit).await?)
}

/// Returns the placements of these events, newest first.
pub(crate) async fn placements_of_events(
    state: &AppState,
    events: &[Seq],
) -> Result<Vec<Placement>, Refusal> {
    Ok(store::placements_of_events(&state.pool, events).await?)
}

/// Returns an agent's newest placements, newest first.
pub async fn agent_placements(
    state: &AppState,
    agent: AccountNo,
    limit: i32,
) -> Result<Vec<Placement>, Refusal> {
    Ok(store::agent_placements(&state.pool, agent, limit).await?)
}
