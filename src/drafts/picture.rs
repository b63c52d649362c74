//! The picture of a proposed plan.

use rules::plan::Target;

use super::access::DraftPerson;
use super::change::DraftChange;
use super::list::find_visible;
use crate::plans::draft::parse_target;
use crate::refusal::{DraftRefusal, Refusal};
use crate::state::AppState;

/// Returns the picture of a plan that the guide proposes.
///
/// # Errors
/// `Draft` if the person cannot see the draft, or if it proposes something else; `Input` if the picture does not fit into
/// the canvas of this season; or the error of the database.
pub async fn find(state: &AppState, person: DraftPerson<'_>, id: &str) -> Result<Target, Refusal> {
    let draft = find_visible(state, person, id).await?.draft;
    let DraftChange::Plan(plan) = DraftChange::parse(draft.kind, &draft.change)? else {
        return Err(DraftRefusal::NotFound.into());
    };
    let size = state.read_world(|world| world.season.size);
    parse_target(size, (plan.x, plan.y), &plan.rows)
}
