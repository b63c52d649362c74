//! Applies and lifts bans, mutes, shadow-bans and renames, and informs all instances through the control log.

use caraplace_accounts::agents::accounts;
use caraplace_accounts::agents::end_time::parse_end;
use caraplace_accounts::erasure;
use caraplace_accounts::filters::Filters;
use caraplace_log::audit_entry::REPORTS_OPERATOR;
use caraplace_log::audit_reason::{AuditReason, parse_reason};
use caraplace_log::control_entry::ControlEntry;
use caraplace_log::state::AppState;
use caraplace_log::{audit, control};
use chrono::{DateTime, Utc};
use platform::refusal::Refusal;
use rules::ids::AccountId;
use rules::numbers::AccountNo;
use rules::sanctions::{Sanction, Sanctions};
use serde_json::json;
use sqlx::PgConnection;

use super::store;

/// The sanctions of an account before and after a change.
pub(crate) struct ChangedSanctions {
    /// The account's number.
    pub no: AccountNo,
    /// `agent_…` or `viewer_…`.
    pub id: String,
    pub before: Sanctions,
    pub after: Sanctions,
}

/// Applies a sanction to an account, or lifts one. `None` if the account does not exist or belongs to the
/// operators.
///
/// # Errors
/// `NameTaken`.
pub(crate) async fn apply(
    state: &AppState,
    audit_reason: &AuditReason,
    id: &AccountId,
    sanction: &Sanction,
) -> Result<Option<Sanctions>, Refusal> {
    let mut transaction = state.pool.begin().await?;
    control::lock_head(&mut transaction).await?;
    let Some((no, before)) = store::sanctions::find(&mut transaction, id.as_str()).await? else {
        return Ok(None);
    };
    let after = sanction.apply_to(&before);
    if after != before || replaces_automatic_shadow(&mut transaction, audit_reason, id, sanction).await? {
        let id = id.as_str();
        apply_in_transaction(state, &mut transaction, audit_reason, no, id, sanction, &before).await?;
        state.log.commit(transaction).await?;
    }
    Ok(Some(after))
}

/// Returns true if there is an account with this id to which sanctions can be applied: not that of the
/// operators, and not an erased one.
pub async fn can_apply(state: &AppState, id: &AccountId) -> Result<bool, Refusal> {
    let found = store::sanctions::find_account(&state.pool, id.as_str()).await?;
    Ok(found.is_some() && !erasure::is_erased(state, id.as_str()).await?)
}

/// Bans an account until a time, or permanently. `None` if it does not exist or belongs to the operators.
///
/// The account is shown `reason`; by default this is the reason for the audit log.
///
/// # Errors
/// `Input` if the reason or the time is invalid.
pub(crate) async fn ban(
    state: &AppState,
    audit_reason: &AuditReason,
    id: &AccountId,
    until: Option<DateTime<Utc>>,
    reason: Option<&str>,
) -> Result<Option<Sanctions>, Refusal> {
    let reason = parse_shown_reason(audit_reason, reason)?;
    apply(state, audit_reason, id, &Sanction::Ban { until: parse_end(state, until)?, reason }).await
}

/// Mutes an account until a time, or permanently. `None` if it does not exist or belongs to the operators.
///
/// The account is shown `reason`; by default this is the reason for the audit log.
///
/// # Errors
/// `Input` if the reason or the time is invalid.
pub(crate) async fn mute(
    state: &AppState,
    audit_reason: &AuditReason,
    id: &AccountId,
    until: Option<DateTime<Utc>>,
    reason: Option<&str>,
) -> Result<Option<Sanctions>, Refusal> {
    let reason = parse_shown_reason(audit_reason, reason)?;
    apply(state, audit_reason, id, &Sanction::Mute { until: parse_end(state, until)?, reason }).await
}

/// Returns the reason that an account is shown: the given one, or else that for the audit log.
fn parse_shown_reason(audit_reason: &AuditReason, reason: Option<&str>) -> Result<String, Refusal> {
    let reason = reason.map(|reason| parse_reason("reason", reason)).transpose()?;
    Ok(reason.unwrap_or_else(|| audit_reason.reason.clone()))
}

/// Renames an account. `None` if it does not exist or belongs to the operators.
///
/// # Errors
/// `NameNotAllowed` or `NameTaken`.
pub(crate) async fn rename(
    state: &AppState,
    filters: &Filters,
    audit_reason: &AuditReason,
    id: &AccountId,
    name: &str,
) -> Result<Option<Sanctions>, Refusal> {
    let name = filters.parse_name(name).await?;
    apply(state, audit_reason, id, &Sanction::Rename(name)).await
}

/// Returns true if an operator confirms an automatic shadow-ban, which then no longer depends on the reports.
async fn replaces_automatic_shadow(
    connection: &mut PgConnection,
    audit_reason: &AuditReason,
    id: &AccountId,
    sanction: &Sanction,
) -> Result<bool, sqlx::Error> {
    let is_by_operator = matches!(sanction, Sanction::Shadow) && audit_reason.operator != REPORTS_OPERATOR;
    Ok(is_by_operator
        && store::reports::find_shadowed_at(connection, id.as_str(), REPORTS_OPERATOR).await?.is_some())
}

/// Applies a sanction within a transaction, with its audit entry. The caller must hold the head lock.
pub(super) async fn apply_in_transaction(
    state: &AppState,
    connection: &mut PgConnection,
    audit_reason: &AuditReason,
    no: AccountNo,
    id: &str,
    sanction: &Sanction,
    before: &Sanctions,
) -> Result<Sanctions, Refusal> {
    let operator = &audit_reason.operator;
    let after = change_in_transaction(state, connection, operator, no, sanction, before).await?;
    let entry = audit_reason.audit_entry(sanction.name(), id, json!(before), json!(after));
    audit::record(connection, &entry, state.clock.offset()).await?;
    Ok(after)
}

/// Applies a sanction within a transaction whose audit entry names it. The caller must hold the head lock.
pub(super) async fn change_in_transaction(
    state: &AppState,
    connection: &mut PgConnection,
    operator: &str,
    no: AccountNo,
    sanction: &Sanction,
    before: &Sanctions,
) -> Result<Sanctions, Refusal> {
    let after = sanction.apply_to(before);
    let offset = state.clock.offset();
    if let Sanction::Rename(name) = sanction {
        accounts::rename(state, connection, no, name, true).await?;
    }
    store::sanctions::save(connection, no, &after).await?;
    if matches!(sanction, Sanction::Unshadow) {
        store::sanctions::clear_reports(connection, no, offset).await?;
        store::sanctions::delete_shadow_plan_changes(connection, no).await?;
        store::sanctions::reveal_shadow_crews(connection, no).await?;
    }
    if let Some((granted, answer)) = open_appeal_result(sanction, before, &after, state.clock.now()) {
        store::appeals::close_open(connection, no, granted, answer, operator, offset).await?;
    }
    let entry = match sanction {
        Sanction::Shadow | Sanction::Unshadow => ControlEntry::ShadowBanChanged(no),
        _ => ControlEntry::AccountChanged(no),
    };
    control::append(connection, entry, offset).await?;
    Ok(after)
}

/// Returns the outcome that a sanction gives to an open appeal, or `None` if the appeal stays open. An appeal
/// is against all sanctions in force when it was filed. It is granted when none of them is left, also if
/// undoing a decision restores one that has expired. It is closed when there is a new one, against which the
/// account may appeal again.
fn open_appeal_result(
    sanction: &Sanction,
    before: &Sanctions,
    after: &Sanctions,
    now: DateTime<Utc>,
) -> Option<(bool, &'static str)> {
    let is_freed = is_banned_or_muted(before, now) && !is_banned_or_muted(after, now);
    match sanction {
        Sanction::Ban { .. } | Sanction::Mute { .. } | Sanction::Unban | Sanction::Unmute if is_freed => {
            Some((true, LIFTED_ANSWER))
        }
        Sanction::Ban { .. } | Sanction::Mute { .. } => Some((false, REPLACED_ANSWER)),
        _ => None,
    }
}

/// Opens the newest appeal again that a ban or a mute since this time has closed, if one of them is in force
/// and no appeal is open. The caller must hold the head lock.
pub(super) async fn reopen_replaced_appeal(
    connection: &mut PgConnection,
    no: AccountNo,
    since: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    store::appeals::reopen(connection, no, REPLACED_ANSWER, since).await
}

/// Returns true if a ban or a mute is in force at this time. Expired ones may still be stored.
pub(super) fn is_banned_or_muted(sanctions: &Sanctions, now: DateTime<Utc>) -> bool {
    [sanctions.banned_until, sanctions.muted_until].iter().flatten().any(|until| *until > now)
}

const REPLACED_ANSWER: &str = "This appeal was closed without a decision, because there is a newer ban or \
     mute. Please appeal again if that is wrong, too.";
const LIFTED_ANSWER: &str = "The ban or mute has been lifted.";
