//! The steps that begin all commands about an existing plan.

use std::sync::Arc;

use caraplace_log::batch_context::{Account, BatchContext, LookupNeeds};
use platform::refusal::{PlanRefusal, Refusal};
use rules::ids::PlanId;
use rules::plan::record::PlanRecord;
use rules::rights::AccountKind;

use super::part::Plans;

/// Requires that a plan is read before the command is decided.
pub(super) fn require_plan(needs: &mut LookupNeeds, id: &PlanId) {
    needs.parts.get_mut::<Plans>().require(id.as_str());
}

/// Returns a required plan, also one that was taken down.
///
/// # Errors
/// `Plan` if there is none.
pub(super) fn find_plan(context: &BatchContext<'_>, id: &PlanId) -> Result<Arc<PlanRecord>, Refusal> {
    Ok(context.part::<Plans>().find(id.as_str()).ok_or(PlanRefusal::NotFound)?.clone())
}

/// Returns a required plan that this account may change: its author may, the members of its crew, and
/// operators.
///
/// # Errors
/// `Plan` if the account cannot see it, may not change it, or if it has ended.
pub(super) fn find_own_plan(
    context: &BatchContext<'_>,
    account: &Account,
    id: &PlanId,
) -> Result<Arc<PlanRecord>, Refusal> {
    let record = find_plan(context, id)?;
    if account.rights.kind != AccountKind::Operator {
        if !record.is_visible_to(Some(account.no)) {
            return Err(PlanRefusal::NotFound.into());
        }
        if record.author.no != account.no && !record.has_crew_member(account.no) {
            return Err(PlanRefusal::NotYours.into());
        }
    }
    if record.has_ended(context.now) || record.season != context.season.seq {
        return Err(PlanRefusal::Ended.into());
    }
    Ok(record)
}
