//! The plans that placements and messages name.

use std::sync::Arc;

use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use platform::refusal::Refusal;
use rules::ids::PlanId;
use rules::numbers::Seq;
use rules::plan::record::PlanRecord;

use super::board::PlanBoard;
use super::views::find_stored_plan;

/// A plan that a placement or a message names.
#[derive(Clone, Debug)]
pub struct NamedPlan {
    /// The number in the database.
    pub no: i64,
    /// `plan_…`.
    pub id: Arc<str>,
    /// The number of the event that opened its season.
    season: Seq,
    /// True if everyone can see it.
    pub is_public: bool,
}

impl NamedPlan {
    /// Checks that the plan belongs to the season that opened with this event. A new one may have been opened
    /// since the plan was found.
    ///
    /// # Errors
    /// Returns `Input` if it belongs to another.
    pub fn check_season(&self, season_seq: Seq) -> Result<(), Refusal> {
        if self.season == season_seq { Ok(()) } else { Err(unknown_plan(&self.id)) }
    }

    /// Returns a plan of the current season if this caller can see it.
    fn from_record(record: &PlanRecord, season_seq: Seq, caller: &Identity) -> Option<Self> {
        let named = Self {
            no: record.no,
            id: record.id.as_str().into(),
            season: record.season,
            is_public: record.is_public(),
        };
        (record.is_visible_to(Some(caller.no)) && record.season == season_seq).then_some(named)
    }
}

/// Returns the plan with the id that a request names; `None` if it names none. A live plan is found in
/// memory.
///
/// # Errors
/// Returns `Input` if the caller sees no plan of the current season with this id.
pub async fn find_named_plan(
    state: &AppState,
    caller: &Identity,
    id: Option<&str>,
) -> Result<Option<NamedPlan>, Refusal> {
    let Some(id) = id else { return Ok(None) };
    let (season_seq, live) = state.read_world(|world| {
        let live = PlanBoard::of(world).find(id);
        (world.season.seq, live.map(|plan| plan.record.clone()))
    });
    let record = match (live, PlanId::parse(id)) {
        (Some(record), _) => Some(record),
        (None, Some(id)) => find_stored_plan(state, &id).await?,
        (None, None) => None,
    };
    let named = record.and_then(|record| NamedPlan::from_record(&record, season_seq, caller));
    named.map(Some).ok_or_else(|| unknown_plan(id))
}

fn unknown_plan(id: &str) -> Refusal {
    let shown: String = id.chars().take(64).collect();
    let detail = format!(
        "This season has no plan {shown:?}. Leave plan_id out, or send the id of a plan that GET /api/plans \
         lists."
    );
    Refusal::invalid("plan_id", detail)
}
