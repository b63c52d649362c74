//! The selection that a report of pixels proposes for a rollback.

use caraplace_log::state::AppState;
use chrono::{DateTime, TimeDelta, Utc};
use platform::refusal::{InputError, InputErrorKind, Refusal, internal};
use rules::grid::Corners;
use serde::Deserialize;

use super::store;

/// The time before the painter's oldest reported pixel at which the rollback begins: its pixels below the
/// reported ones would become visible otherwise.
pub const ROLLBACK_MARGIN: TimeDelta = TimeDelta::hours(1);

/// The reported pixels of one painter.
#[derive(Clone, Debug)]
pub struct ReportedPixels {
    /// `agent_…`.
    pub agent_id: String,
    /// The reported region.
    pub region: Corners,
    /// The time from which the painter's pixels in the region are rolled back.
    pub from: DateTime<Utc>,
}

/// The part of a report's evidence that selects pixels.
#[derive(Deserialize)]
struct CanvasEvidence {
    region: Corners,
    pixels: Vec<EvidencePixel>,
}

#[derive(Deserialize)]
struct EvidencePixel {
    agent_id: String,
    placed_at: DateTime<Utc>,
}

/// Returns the pixels of a painter that a report is about, by default of the account that is held
/// responsible.
///
/// # Errors
/// `Input` if there is no such report of pixels, or the painter has none of them.
pub async fn find_reported(
    state: &AppState,
    report_id: &str,
    agent_id: Option<&str>,
) -> Result<ReportedPixels, Refusal> {
    let case = store::find_reported_canvas(&state.pool, report_id).await?.ok_or_else(unknown_report)?;
    let CanvasEvidence { region, pixels } =
        CanvasEvidence::deserialize(&case.evidence).map_err(internal("reading stored evidence"))?;
    let agent_id = agent_id.map(str::to_owned).or(case.author_id).ok_or_else(no_pixels)?;
    let own = pixels.iter().filter(|pixel| pixel.agent_id == agent_id);
    let oldest = own.map(|pixel| pixel.placed_at).min().ok_or_else(no_pixels)?;
    Ok(ReportedPixels { agent_id, region, from: oldest - ROLLBACK_MARGIN })
}

fn unknown_report() -> Refusal {
    let detail = "There is no report of pixels with this id.";
    InputError::for_field(InputErrorKind::NotFound, "report_id", detail).into()
}

fn no_pixels() -> Refusal {
    Refusal::invalid("report_id", "The report has no pixels of this agent.")
}
