//! Takes plans down and brings them back. A plan that is taken down is closed, too, and stays closed.

use caraplace_accounts::agents::accounts;
use caraplace_log::audit_reason::AuditReason;
use caraplace_log::batch_context::{Account, BatchContext, LookupNeeds};
use caraplace_log::command::Command;
use caraplace_log::state::AppState;
use platform::refusal::Refusal;
use rules::ids::PlanId;
use rules::plan::PlanState;
use rules::plan::record::PlanRecord;
use rules::rights::AccountAction;
use serde::Serialize;
use serde_json::json;
use utoipa::ToSchema;

use super::batch::{end_plan, update_plan};
use super::command::{find_plan, require_plan};
use super::create::submit;

/// The visibility of a plan after an operator's change.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PlanVisibility {
    pub success: bool,
    pub plan_id: String,
    pub hidden: bool,
}

struct SetPlanHidden {
    plan_id: PlanId,
    hidden: bool,
    audit_reason: AuditReason,
}

impl Command for SetPlanHidden {
    type Output = PlanVisibility;

    const ACTION: AccountAction = AccountAction::Operate;

    fn require_lookups(&self, needs: &mut LookupNeeds) {
        require_plan(needs, &self.plan_id);
    }

    fn decide(&self, context: &mut BatchContext<'_>, _: &mut Account) -> Result<PlanVisibility, Refusal> {
        let record = find_plan(context, &self.plan_id)?;
        if record.is_hidden != self.hidden {
            let action = if self.hidden { "hide plan" } else { "restore plan" };
            let before = json!({"hidden": record.is_hidden});
            let after = json!({"hidden": self.hidden});
            context.audit(self.audit_reason.audit_entry(action, &record.id, before, after));
            let changed = PlanRecord { is_hidden: self.hidden, ..PlanRecord::clone(&record) };
            if changed.end.is_some() {
                update_plan(context, changed, false);
            } else {
                end_plan(context, &changed, PlanState::Closed);
            }
        }
        Ok(PlanVisibility { success: true, plan_id: record.id.clone(), hidden: self.hidden })
    }
}

/// Takes a plan down, or brings it back.
///
/// # Errors
/// `Plan` if there is none.
pub async fn set_hidden(
    state: &AppState,
    audit_reason: AuditReason,
    plan_id: PlanId,
    hidden: bool,
) -> Result<PlanVisibility, Refusal> {
    let operator = accounts::find_operator(state).await?;
    submit(state, &operator, SetPlanHidden { plan_id, hidden, audit_reason }).await
}
