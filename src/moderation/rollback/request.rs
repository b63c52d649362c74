//! Checks a requested rollback against the current season.

use rules::grid::Rect;
use rules::rollback::RollbackFilter;

use crate::agents::accounts;
use crate::history::History;
use crate::history::point_in_time::PointInTime;
use crate::refusal::{InputError, InputErrorKind, Refusal};
use crate::state::AppState;

/// A requested rollback of an agent's placements, of a region, or of both.
#[derive(Clone, Debug)]
pub struct RollbackRequest {
    /// The agent; all agents in the region by default.
    pub agent_id: Option<String>,
    /// The region; the whole canvas by default.
    pub region: Option<Rect>,
    pub from: PointInTime,
    /// The end; the newest event by default.
    pub to: Option<PointInTime>,
}

/// Returns the requested rollback in the current season.
///
/// # Errors
/// `Input` if there is neither agent nor region, if the agent is unknown or the range is invalid, or a
/// database error.
pub async fn build_filter(
    state: &AppState,
    history: &History,
    request: &RollbackRequest,
) -> Result<RollbackFilter, Refusal> {
    let RollbackRequest { agent_id, region, from, to } = request;
    if agent_id.is_none() && region.is_none() {
        let detail = "Send agent_id, region, or both.";
        return Err(field_error(InputErrorKind::Missing, "agent_id", detail));
    }
    let (size, opening) = state.read_world(|world| (world.season.size, world.season.seq));
    let agent = match agent_id {
        Some(id) => Some(accounts::find(state, id).await?.ok_or_else(unknown_agent)?.no),
        None => None,
    };
    let from = history.first_event_from(*from).await?.ok_or_else(|| not_yet_reached("from"))?;
    let up_to = match to {
        Some(to) => history.last_event_at(*to).await?.ok_or_else(|| not_yet_reached("to"))?,
        None => history.head(),
    };
    let after = (from - 1).max(opening);
    if after >= up_to {
        return Err(Refusal::invalid("to", "to must be in this season and not before from."));
    }
    Ok(RollbackFilter { agent, rect: region.unwrap_or(size.full_rect()), after_seq: after, up_to_seq: up_to })
}

fn field_error(kind: InputErrorKind, field: &'static str, detail: &str) -> Refusal {
    InputError::for_field(kind, field, detail).into()
}

fn unknown_agent() -> Refusal {
    field_error(InputErrorKind::NotFound, "agent_id", "There is no agent with this id.")
}

fn not_yet_reached(field: &'static str) -> Refusal {
    let detail = format!("{field} is in the future. The newest event's number is head in /api/stats.");
    Refusal::invalid(field, detail)
}
