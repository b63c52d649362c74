//! The picture of a proposed plan.

use caraplace_canvas::plans::new_plan::parse_target;
use caraplace_log::state::AppState;
use platform::refusal::{DraftRefusal, Refusal};
use rules::grid::Size;
use rules::plan::{MAX_SIDE, Target};

use super::access::DraftPerson;
use super::change::DraftChange;
use super::list::find_visible;

/// The largest picture.
const LARGEST: Size = Size { width: MAX_SIDE as u16, height: MAX_SIDE as u16 };

/// Returns the picture of a plan that the guide proposes.
///
/// # Errors
/// `Draft` if the person cannot see the draft, or if it proposes something else.
pub async fn find(state: &AppState, person: DraftPerson<'_>, id: &str) -> Result<Target, Refusal> {
    let draft = find_visible(state, person, id).await?.draft;
    let DraftChange::Plan(plan) = DraftChange::parse(draft.kind, &draft.change)? else {
        return Err(DraftRefusal::NotFound.into());
    };
    // Its place may lie outside the canvas of a later season.
    parse_target(LARGEST, 0, 0, &plan.rows)
}
