//! The pixels of a plan to paint next, ready to be posted.

use std::collections::HashSet;

use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use chrono::{DateTime, Utc};
use platform::refusal::{PlanRefusal, Refusal};
use rules::grid::Point;
use rules::ids::PlanId;
use rules::micros;
use rules::numbers::AccountNo;
use rules::plan::record::PlanRecord;
use rules::plan::{PlanPixel, select_pixels};
use serde::Serialize;
use utoipa::ToSchema;

use super::compare::is_of_season;
use super::read::find_unended;
use super::store;

/// The maximum number of pixels that are returned.
pub const MAX_PIXELS: i64 = 256;

/// Pixels to paint, as `POST /api/pixels` takes them.
#[derive(Debug, Serialize, ToSchema)]
pub struct PlanPixels {
    /// Wrong pixels, close together; empty if none is left, and for a finished plan, even if it was damaged.
    pub pixels: Vec<PixelToPaint>,
    /// The number of wrong pixels of the plan, those that others have claimed included; 0 if it is finished.
    pub left: usize,
    /// The end of the claim; null if nothing was claimed.
    #[serde(serialize_with = "micros::serialize_optional")]
    pub claims_expire_at: Option<DateTime<Utc>>,
}

/// A pixel to paint.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct PixelToPaint {
    pub x: u16,
    pub y: u16,
    /// The colour that the plan wants.
    pub color: u8,
    /// The colour that the pixel has now.
    pub expected_color: u8,
}

/// Wrong pixels of a plan, and the number of all of them.
pub(super) struct ChosenPixels {
    pub pixels: Vec<PlanPixel>,
    pub left: usize,
}

impl PlanPixels {
    /// Returns the answer with these pixels.
    pub(super) fn new(chosen: &ChosenPixels, claims_expire_at: Option<DateTime<Utc>>) -> Self {
        let to_paint = |pixel: &PlanPixel| PixelToPaint {
            x: pixel.point.x,
            y: pixel.point.y,
            color: pixel.color.index(),
            expected_color: pixel.current_color,
        };
        Self { pixels: chosen.pixels.iter().map(to_paint).collect(), left: chosen.left, claims_expire_at }
    }
}

/// Returns at most `count` wrong pixels of a plan, after every placement that was acknowledged before, on any
/// instance. Those that others have claimed come last.
///
/// # Errors
/// `Plan` if the caller can see no such plan or it has ended, or `Overloaded` if this instance is behind and
/// too many requests make it catch up.
pub async fn next_pixels(
    state: &AppState,
    caller: Option<&Identity>,
    id: &PlanId,
    count: usize,
) -> Result<PlanPixels, Refusal> {
    state.log.catch_up_if_behind().await?;
    let record = find_unended(state, caller, id).await?;
    let agent = caller.map_or(AccountNo::OPERATOR, |caller| caller.no);
    let now = state.clock.now();
    let claimed = store::claimed_points(&state.pool, record.no, agent, now).await?;
    Ok(PlanPixels::new(&choose(state, &record, &claimed, count)?, None))
}

/// Returns at most `count` pixels that are wrong now: first those that are not claimed. A finished plan asks
/// for none, even if it was damaged.
///
/// # Errors
/// `Plan` if its season is over.
pub(super) fn choose(
    state: &AppState,
    record: &PlanRecord,
    claimed: &HashSet<Point>,
    count: usize,
) -> Result<ChosenPixels, Refusal> {
    let area = record.target.area();
    // Only copies the colours under the lock, for which placements wait.
    let colors: Option<Vec<u8>> = state.read_world(|world| {
        is_of_season(&world.canvas, record)
            .then(|| area.points().map(|point| world.canvas.color(point)).collect())
    });
    let colors = colors.ok_or(PlanRefusal::Ended)?;
    if record.finished_at.is_some() {
        return Ok(ChosenPixels { pixels: Vec::new(), left: 0 });
    }
    let color_at = |point| area.index_of(point).map_or(0, |index| colors[index]);
    let left = record.target.pixels().filter(|(point, color)| color_at(*point) != color.index()).count();
    Ok(ChosenPixels {
        pixels: select_pixels(&record.target, color_at, |point| claimed.contains(&point), count),
        left,
    })
}
