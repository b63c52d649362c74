//! Changes a plan: its author may, the members of its crew, and operators.

use std::sync::Arc;

use caraplace_accounts::address_limit::{MessageReservation, SenderAddress};
use caraplace_accounts::agents::accounts;
use caraplace_accounts::agents::permissions;
use caraplace_accounts::filters::Filters;
use caraplace_log::audit_reason::AuditReason;
use caraplace_log::batch_context::{Account, BatchContext, LookupNeeds};
use caraplace_log::command::Command;
use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use chrono::{DateTime, TimeDelta, Utc};
use platform::refusal::{InputError, InputErrorKind, PlanRefusal, Refusal};
use rules::ids::PlanId;
use rules::plan::record::{PlanRecord, PlanView};
use rules::plan::{MAX_PLAN_CHANGES, PLAN_CHANGE_INTERVAL, Target};
use rules::rights::{AccountAction, AccountKind};
use rules::wait::plausible_wait;
use serde_json::{Value, json};

use super::PlanResponse;
use super::batch::{change_shadow_plan, plan_view, update_plan};
use super::command::{find_own_plan, require_plan};
use super::create::submit;
use super::new_plan::{ChangePlanBody, FilteredTexts, parse_lifetime, parse_target, target_refusal};

struct ChangePlan {
    plan_id: PlanId,
    expected_version: i64,
    title: Option<String>,
    /// Empty if the note is to be removed.
    note: Option<String>,
    x: Option<i64>,
    y: Option<i64>,
    rows: Option<Vec<String>>,
    lifetime: Option<TimeDelta>,
    /// The operator's reason; `None` if the author changes the plan.
    audit_reason: Option<AuditReason>,
    /// The reservation in the count of the address; `None` if operators change the plan.
    slot: Option<MessageReservation>,
}

impl Command for ChangePlan {
    type Output = PlanView;

    const ACTION: AccountAction = AccountAction::Plan;

    fn require_lookups(&self, needs: &mut LookupNeeds) {
        require_plan(needs, &self.plan_id);
    }

    fn decide(&self, context: &mut BatchContext<'_>, account: &mut Account) -> Result<PlanView, Refusal> {
        let stored = find_own_plan(context, account, &self.plan_id)?;
        let record = stored.as_seen_by(account.no, account.rights.shadowed);
        if i64::from(record.version) != self.expected_version {
            return Err(PlanRefusal::VersionChanged { version: record.version }.into());
        }
        let Some(mut changed) = self.find_changes(context, &record)? else {
            return Ok(plan_view(context, record));
        };
        changed.changes_until = Some(count_change(context, account, &record)?);
        if let Some(slot) = &self.slot {
            let limit = context.game.messages_per_ip_per_minute;
            slot.reserve_as(account.rights.kind, limit, context.now)?;
        }
        changed.version = record.version + 1;
        let sets_target = changed.target != record.target;
        // Nobody else may see what a shadow-banned account writes, so plans that others see stay for them.
        if !account.audience().is_everyone() && stored.audience.is_everyone() {
            return Ok(change_shadow_plan(context, account, &stored, changed, sets_target));
        }
        // What a shadow-banned account sees otherwise ends with the version that it has changed.
        changed.shadow_change = None;
        changed.member_changes.clear();
        if let Some(reason) = &self.audit_reason {
            let before = audit_values(&record, sets_target);
            let after = audit_values(&changed, sets_target);
            context.audit(reason.audit_entry("change plan", &record.id, before, after));
        }
        Ok(update_plan(context, changed, sets_target))
    }

    fn undo(&self) {
        if let Some(slot) = &self.slot {
            slot.release();
        }
    }
}

/// Counts a change, and returns the time until which all changes count. Operators need not wait, or an author
/// that changes its plan all the time would keep them from it.
///
/// # Errors
/// `ChangedTooSoon` if the author has changed the plan too often.
fn count_change(
    context: &BatchContext<'_>,
    account: &Account,
    record: &PlanRecord,
) -> Result<DateTime<Utc>, PlanRefusal> {
    let max = PLAN_CHANGE_INTERVAL * MAX_PLAN_CHANGES;
    let earlier =
        record.changes_until.map_or(TimeDelta::zero(), |until| plausible_wait(until, context.now, max));
    let counted = earlier + PLAN_CHANGE_INTERVAL;
    if counted > max && account.rights.kind != AccountKind::Operator {
        return Err(PlanRefusal::ChangedTooSoon { wait: counted - max });
    }
    // More would no longer be plausible, and would let the author change the plan at once.
    Ok(context.now + counted.min(max))
}

impl ChangePlan {
    /// Returns the plan with the new values; `None` if they are those that it has.
    fn find_changes(
        &self,
        context: &BatchContext<'_>,
        record: &PlanRecord,
    ) -> Result<Option<PlanRecord>, Refusal> {
        let target = self.find_target(context, record)?;
        let note = match &self.note {
            Some(note) => Some(note.clone()).filter(|note| !note.is_empty()),
            None => record.note.clone(),
        };
        // Another picture is another work.
        let finished_at = record.finished_at.filter(|_| target.is_none());
        let changed = PlanRecord {
            finished_at,
            title: self.title.clone().unwrap_or_else(|| record.title.clone()),
            note,
            target: target.map_or_else(|| record.target.clone(), Arc::new),
            expires_at: self.lifetime.map_or(record.expires_at, |lifetime| context.now + lifetime),
            ..record.clone()
        };
        let has_same_texts = changed.title == record.title && changed.note == record.note;
        let is_same =
            has_same_texts && changed.target == record.target && changed.expires_at == record.expires_at;
        Ok((!is_same).then_some(changed))
    }

    /// Returns the new picture at its place; `None` if both stay as they are.
    fn find_target(
        &self,
        context: &BatchContext<'_>,
        record: &PlanRecord,
    ) -> Result<Option<Target>, Refusal> {
        let size = context.season.size;
        let corners = record.target.area().corners();
        let x = self.x.unwrap_or(corners.x1);
        let y = self.y.unwrap_or(corners.y1);
        let target = match &self.rows {
            Some(rows) => parse_target(size, x, y, rows)?,
            None => record.target.moved_to(size, x, y).map_err(target_refusal)?,
        };
        Ok(Some(target).filter(|target| *target != *record.target))
    }
}

/// Returns the values of a plan for the audit log, with its picture if that changes.
fn audit_values(record: &PlanRecord, sets_target: bool) -> Value {
    let PlanRecord { version, title, note, expires_at, target, .. } = record;
    let mut values = json!({"version": version, "title": title, "note": note, "expires_at": expires_at});
    if sets_target {
        let corners = target.area().corners();
        values["picture"] = json!({"x": corners.x1, "y": corners.y1, "rows": target.to_rows()});
    }
    values
}

/// Changes a plan of this author.
///
/// # Errors
/// The first refusal: of the fields, of the account, of a text, or of the plan.
pub async fn change(
    state: &AppState,
    filters: &Filters,
    author: &Identity,
    address: SenderAddress<'_>,
    plan_id: PlanId,
    body: ChangePlanBody,
) -> Result<PlanResponse, Refusal> {
    let sender = ChangeSender::Author(address.slot());
    submit_change(state, filters, author, sender, plan_id, body).await
}

/// Changes any plan in the name of the operators.
///
/// # Errors
/// The first refusal: of the fields, of a text, or of the plan.
pub async fn change_as_operator(
    state: &AppState,
    filters: &Filters,
    audit_reason: AuditReason,
    plan_id: PlanId,
    body: ChangePlanBody,
) -> Result<PlanResponse, Refusal> {
    let operator = accounts::find_operator(state).await?;
    submit_change(state, filters, &operator, ChangeSender::Operator(audit_reason), plan_id, body).await
}

/// The sender of a change.
enum ChangeSender {
    /// With the reservation in the count of its address.
    Author(MessageReservation),
    /// With the reason for the audit log.
    Operator(AuditReason),
}

async fn submit_change(
    state: &AppState,
    filters: &Filters,
    account: &Identity,
    sender: ChangeSender,
    plan_id: PlanId,
    body: ChangePlanBody,
) -> Result<PlanResponse, Refusal> {
    let ChangePlanBody { expected_version, title, note, x, y, rows, expires_in } = body;
    let is_empty = title.is_none() && note.is_none() && x.is_none() && y.is_none() && rows.is_none();
    if is_empty && expires_in.is_none() {
        let detail = "Send title, note, x, y, rows or expires_in to say what changes.";
        return Err(InputError::for_field(InputErrorKind::Missing, "title", detail).into());
    }
    if let Some(rows) = &rows {
        let size = state.read_world(|world| world.season.size);
        parse_target(size, x.unwrap_or_default(), y.unwrap_or_default(), rows)?;
    }
    let lifetime = expires_in.map(|seconds| parse_lifetime(Some(seconds))).transpose()?;
    permissions::check(state, account, AccountAction::Plan).await?;
    let texts = FilteredTexts::filter(filters, &account.key_hash, title.as_deref(), note.as_deref()).await?;
    let title = texts.title;
    let note = texts.note;
    let (slot, audit_reason) = match sender {
        ChangeSender::Author(slot) => (Some(slot), None),
        ChangeSender::Operator(reason) => (None, Some(reason)),
    };
    let command =
        ChangePlan { plan_id, expected_version, title, note, x, y, rows, lifetime, audit_reason, slot };
    let view = submit(state, account, command).await?;
    PlanResponse::from_view(state, &view, texts.changed).await
}
