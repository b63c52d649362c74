//! Closes a plan before its time: its author may, the members of its crew, and operators.

use caraplace_accounts::agents::accounts;
use caraplace_log::audit_reason::AuditReason;
use caraplace_log::batch_context::{Account, BatchContext, LookupNeeds};
use caraplace_log::command::Command;
use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use platform::refusal::{PlanRefusal, Refusal};
use rules::ids::PlanId;
use rules::plan::PlanState;
use rules::plan::record::PlanView;
use rules::rights::AccountAction;
use serde_json::json;

use super::PlanResponse;
use super::batch::end_plan;
use super::command::{find_own_plan, require_plan};
use super::create::submit;

struct ClosePlan {
    plan_id: PlanId,
    /// The operator's reason; `None` if the author closes the plan, or if its account is erased.
    audit_reason: Option<AuditReason>,
}

impl Command for ClosePlan {
    type Output = PlanView;

    const ACTION: AccountAction = AccountAction::Plan;

    fn require_lookups(&self, needs: &mut LookupNeeds) {
        require_plan(needs, &self.plan_id);
    }

    fn decide(&self, context: &mut BatchContext<'_>, account: &mut Account) -> Result<PlanView, Refusal> {
        let record = find_own_plan(context, account, &self.plan_id)?;
        let view = end_plan(context, &record, PlanState::Closed);
        if let Some(reason) = &self.audit_reason {
            let before = json!({"state": record.told_state});
            let after = json!({"state": PlanState::Closed});
            context.audit(reason.audit_entry("close plan", &record.id, before, after));
        }
        let seen = view.record.as_seen_by(account.no, account.rights.shadowed);
        Ok(PlanView { record: seen, ..view })
    }
}

/// Closes a plan of this author.
///
/// # Errors
/// `Plan` if there is none, it is by another author, or has ended.
pub async fn close(state: &AppState, author: &Identity, plan_id: PlanId) -> Result<PlanResponse, Refusal> {
    let view = submit(state, author, ClosePlan { plan_id, audit_reason: None }).await?;
    PlanResponse::from_view(state, &view, Vec::new()).await
}

/// Closes a plan of an erased account in the name of the operators, unless it has ended.
pub(super) async fn close_erased(
    state: &AppState,
    operator: &Identity,
    plan_id: PlanId,
) -> Result<(), Refusal> {
    match submit(state, operator, ClosePlan { plan_id, audit_reason: None }).await {
        Ok(_) | Err(Refusal::Plan(PlanRefusal::Ended)) => Ok(()),
        Err(refusal) => Err(refusal),
    }
}

/// Closes any plan in the name of the operators.
///
/// # Errors
/// `Plan` if there is none, or it has ended.
pub async fn close_as_operator(
    state: &AppState,
    audit_reason: AuditReason,
    plan_id: PlanId,
) -> Result<PlanResponse, Refusal> {
    let operator = accounts::find_operator(state).await?;
    let command = ClosePlan { plan_id, audit_reason: Some(audit_reason) };
    let view = submit(state, &operator, command).await?;
    PlanResponse::from_view(state, &view, Vec::new()).await
}
