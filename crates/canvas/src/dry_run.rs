//! Dry runs of placements: what a request would do now, without spending or writing anything.

use std::collections::{BTreeMap, HashSet};

use caraplace_accounts::agents::permissions;
use caraplace_log::batch_context::{Account, BatchContext, LookupNeeds};
use caraplace_log::command::Command;
use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use chrono::{DateTime, Utc};
use platform::refusal::{PixelConflict, Refusal};
use rules::numbers::AccountNo;
use rules::rights::AccountAction;
use serde::Serialize;
use utoipa::ToSchema;

use super::notes::IntentNote;
use super::paint::{CheckedPixels, PlacePixel, PlacePixels, check_pixels};
use super::placement_request::{ConflictPolicy, PixelInput};
use crate::plans::batch::live_plans_at;
use crate::plans::part::Plans;
use crate::plans::reference::NamedPlan;

/// Response to a placement with `dry_run`, with status 200: what the request would do now. Nothing was spent
/// or written.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct DryRunResponse {
    pub success: bool,
    /// Always true.
    pub dry_run: bool,
    /// The number of charges that the placement costs.
    pub cost: i64,
    /// The positions of the pixels that would be placed.
    pub placed: Vec<usize>,
    /// The positions of the pixels with an `expected_color` that already have the wanted colour. They would
    /// be left as they are.
    pub already: Vec<usize>,
    /// With `on_conflict: "skip"`, the pixels that would not be placed because they no longer have their
    /// `expected_color`.
    pub conflicts: Vec<PixelConflict>,
    /// The live plans that the placed pixels belong to, oldest first.
    pub plans: Vec<PlanEffect>,
    /// The live intents of others that cover any of the pixels, newest first, at most 5.
    pub intents: Vec<IntentNote>,
    /// Charges available now.
    pub charges: i64,
    /// The time from which the charges pay for the placement; null if they do now.
    pub enough_at: Option<DateTime<Utc>>,
    /// The time of the next charge; `None` if all are available.
    #[serde(skip)]
    pub next_charge_at: Option<DateTime<Utc>>,
}

/// The effect of a placement on a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct PlanEffect {
    /// `plan_…`.
    pub plan_id: String,
    pub title: String,
    /// The number of pixels that would get the colour that the plan has for them.
    pub right: usize,
    /// The number of pixels that would get another colour.
    pub wrong: usize,
}

/// A placement of which only the checks are made.
struct Preview {
    /// The account whose dry run it is.
    account: AccountNo,
    is_shadowed: bool,
    pixels: Vec<PixelInput>,
    on_conflict: ConflictPolicy,
    plan: Option<NamedPlan>,
    intents: Vec<IntentNote>,
}

impl Preview {
    /// Returns a preview with the intents of the notes, of which there are none while the chat is switched
    /// off.
    fn new(placement: PlacePixels, agent: &Identity) -> Self {
        let PlacePixels { pixels, on_conflict, plan, notes } = placement;
        let intents = notes.map(|notes| notes.inside).unwrap_or_default();
        let account = agent.no;
        Self { account, is_shadowed: agent.rights.shadowed, pixels, on_conflict, plan, intents }
    }

    /// Decides the placement on the newest canvas.
    async fn run(self, state: &AppState, agent: &Identity) -> Result<DryRunResponse, Refusal> {
        match state.log.preview(agent, &self).await {
            Ok(response) => Ok(response),
            Err(refusal) => Err(Box::pin(permissions::with_appeal(state, agent, refusal)).await),
        }
    }
}

impl PlacePixel {
    /// Returns what the placement would do.
    ///
    /// # Errors
    /// The refusal of the placement, except for missing charges.
    pub async fn preview(self, state: &AppState, agent: &Identity) -> Result<DryRunResponse, Refusal> {
        let Self { pixel, plan, notes } = self;
        PlacePixels { pixels: vec![pixel], on_conflict: ConflictPolicy::Refuse, plan, notes }
            .preview(state, agent)
            .await
    }
}

impl PlacePixels {
    /// Returns what the placement would do.
    ///
    /// # Errors
    /// The refusal of the placement, except for missing charges.
    pub async fn preview(self, state: &AppState, agent: &Identity) -> Result<DryRunResponse, Refusal> {
        Preview::new(self, agent).run(state, agent).await
    }
}

impl Command for Preview {
    type Output = DryRunResponse;

    const ACTION: AccountAction = AccountAction::Paint;

    fn require_lookups(&self, needs: &mut LookupNeeds) {
        needs.parts.get_mut::<Plans>().require_unlisted(self.account, self.is_shadowed);
    }

    fn decide(
        &self,
        context: &mut BatchContext<'_>,
        account: &mut Account,
    ) -> Result<DryRunResponse, Refusal> {
        let checked = check_pixels(context, &self.pixels, self.on_conflict, self.plan.as_ref())?;
        let placed = placed_positions(self.pixels.len(), &checked);
        let plans = plan_effects(context, placed.iter().map(|position| self.pixels[*position]));
        let CheckedPixels { already, conflicts, .. } = checked;
        let allowance = context.game.charge_allowance();
        let full_at = account.charges_full_at;
        let now = context.now;
        let cost = placed.len() as i64;
        let charges = allowance.available(full_at, now);
        Ok(DryRunResponse {
            success: true,
            dry_run: true,
            cost,
            placed,
            already,
            conflicts,
            plans,
            intents: self.intents.clone(),
            charges,
            enough_at: (charges < cost).then(|| now + allowance.wait_for(full_at, now, cost)),
            next_charge_at: allowance.next_charge_at(full_at, now),
        })
    }
}

/// Returns the live plans that have a colour for any of these pixels, oldest first.
fn plan_effects(context: &BatchContext<'_>, pixels: impl Iterator<Item = PixelInput>) -> Vec<PlanEffect> {
    let mut effects: BTreeMap<(DateTime<Utc>, i64), PlanEffect> = BTreeMap::new();
    for PixelInput { point, color, .. } in pixels {
        for record in live_plans_at(context, point).filter(|record| !record.has_ended(context.now)) {
            let new =
                || PlanEffect { plan_id: record.id.clone(), title: record.title.clone(), right: 0, wrong: 0 };
            let effect = effects.entry((record.created_at, record.no)).or_insert_with(new);
            let is_right = record.target.color(point) == Some(color);
            *(if is_right { &mut effect.right } else { &mut effect.wrong }) += 1;
        }
    }
    effects.into_values().collect()
}

/// Returns the positions of the pixels that are neither left as they are nor in conflict.
fn placed_positions(count: usize, checked: &CheckedPixels) -> Vec<usize> {
    let conflicts = checked.conflicts.iter().map(|conflict| conflict.index);
    let others: HashSet<usize> = checked.already.iter().copied().chain(conflicts).collect();
    (0..count).filter(|position| !others.contains(position)).collect()
}
