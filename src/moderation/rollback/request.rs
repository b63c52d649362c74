//! Checking what an operator asks to roll back against the season that is played.

use rules::grid::Rect;
use rules::rollback::RollbackFilter;

use crate::agents::accounts;
use crate::history::History;
use crate::history::point_in_time::PointInTime;
use crate::refusal::{InputError, InputErrorKind, Refusal};
use crate::state::AppState;

/// What an operator asks to roll back: the placements of an agent, of a region, or both.
#[derive(Clone, Debug)]
pub struct RollbackRequest {
    /// Anyone's in the region by default.
    pub agent_id: Option<String>,
    /// The whole canvas by default.
    pub region: Option<Rect>,
    pub from: PointInTime,
    /// Now by default.
    pub to: Option<PointInTime>,
}

/// Returns the rollback that is asked for, of the season that is played.
///
/// # Errors
/// `Input` if it names neither agent nor region, an unknown agent, or moments that do not fit; or that the database cannot be
/// read.
pub async fn build_filter(
    state: &AppState,
    history: &History,
    request: &RollbackRequest,
) -> Result<RollbackFilter, Refusal> {
    let RollbackRequest { agent_id, region, from, to } = request;
    if agent_id.is_none() && region.is_none() {
        let detail = "Name an agent_id, a region, or both: nobody means the whole canvas by accident.";
        return Err(field_error(InputErrorKind::Missing, "agent_id", detail));
    }
    let (size, opening) = state.read_world(|world| (world.season.size, world.season.seq));
    let agent = match agent_id {
        Some(id) => Some(accounts::find(state, id).await?.ok_or_else(unknown_agent)?.no),
        None => None,
    };
    let from = history.first_event_from(*from).await?.ok_or_else(|| not_yet_reached("from"))?;
    let upto = match to {
        Some(to) => history.last_event_at(*to).await?.ok_or_else(|| not_yet_reached("to"))?,
        None => history.head(),
    };
    let after = (from - 1).max(opening);
    if after >= upto {
        return Err(Refusal::invalid("to", "to must be a moment of this season, and not before from."));
    }
    Ok(RollbackFilter { agent, rect: region.unwrap_or(size.full_rect()), after_seq: after, up_to_seq: upto })
}

fn field_error(kind: InputErrorKind, field: &'static str, detail: &str) -> Refusal {
    InputError::for_field(kind, field, detail).into()
}

fn unknown_agent() -> Refusal {
    field_error(InputErrorKind::NotFound, "agent_id", "Nobody has this id.")
}

fn not_yet_reached(field: &'static str) -> Refusal {
    let detail = format!("{field} has not come yet: the newest event's number is in /api/stats as head.");
    Refusal::invalid(field, detail)
}
