//! Checking what an operator asks to roll back against the season that is played.

use rules::grid::Rect;
use rules::rollback::RollbackFilter;

use crate::agents::holder;
use crate::past::Past;
use crate::past::moment::Moment;
use crate::refusal::{InputError, InputErrorKind, Refusal};
use crate::state::AppState;

/// What an operator asks to roll back: the placements of an agent, of a region, or both.
#[derive(Clone, Debug)]
pub struct RollbackRequest {
    /// Anyone's in the region by default.
    pub agent_id: Option<String>,
    /// The whole canvas by default.
    pub region: Option<Rect>,
    pub from: Moment,
    /// Now by default.
    pub to: Option<Moment>,
}

/// Returns the rollback that is asked for, of the season that is played.
///
/// # Errors
/// `Input` if it names neither agent nor region, an unknown agent, or moments that do not fit; or that the database cannot be
/// read.
pub async fn plan(
    state: &AppState,
    past: &Past,
    request: &RollbackRequest,
) -> Result<RollbackFilter, Refusal> {
    let RollbackRequest { agent_id, region, from, to } = request;
    if agent_id.is_none() && region.is_none() {
        let detail = "Name an agent_id, a region, or both: nobody means the whole canvas by accident.";
        return Err(input(InputErrorKind::Missing, "agent_id", detail));
    }
    let (size, opening) = state.snapshot(|world| (world.season.size, world.season.seq));
    let agent = match agent_id {
        Some(id) => Some(holder::by_id(state, id).await?.ok_or_else(no_agent)?.no),
        None => None,
    };
    let from = past.oldest_from(*from).await?.ok_or_else(|| still_to_come("from"))?;
    let upto = match to {
        Some(to) => past.newest_at(*to).await?.ok_or_else(|| still_to_come("to"))?,
        None => past.head(),
    };
    let after = (from - 1).max(opening);
    if after >= upto {
        return Err(Refusal::invalid("to", "to must be a moment of this season, and not before from."));
    }
    Ok(RollbackFilter { agent, rect: region.unwrap_or(size.full_rect()), after_seq: after, up_to_seq: upto })
}

fn input(kind: InputErrorKind, field: &'static str, detail: &str) -> Refusal {
    InputError::of_field(kind, field, detail).into()
}

fn no_agent() -> Refusal {
    input(InputErrorKind::NotFound, "agent_id", "Nobody has this id.")
}

fn still_to_come(field: &'static str) -> Refusal {
    let detail = format!("{field} has not come yet: the newest event's number is in /api/stats as head.");
    Refusal::invalid(field, detail)
}
