//! Folds messages that several separate readers have reported. A folded message is shown on request only,
//! until an operator decides on its reports, takes it down or restores it. Neither the log nor the digest
//! changes.

use caraplace_log::audit_entry::REPORTS_OPERATOR;
use caraplace_log::audit_reason::AuditReason;
use caraplace_log::control_entry::ControlEntry;
use caraplace_log::state::AppState;
use caraplace_log::{audit, control};
use platform::refusal::Refusal;
use rules::ids::MessageId;
use rules::numbers::AccountNo;
use rules::reports::{FOLD_THRESHOLD, FULL_WEIGHT, REPORT_LIFETIME, combined_weight};
use rules::rights::PERMANENT;
use serde_json::json;
use sqlx::PgConnection;

use crate::store;

/// Folds a message if the open reports about it are enough.
pub(super) async fn fold_if_due(
    state: &AppState,
    case: i64,
    author: AccountNo,
    message: &MessageId,
) -> Result<(), Refusal> {
    let since = state.clock.now() - REPORT_LIFETIME;
    let reports = store::reports::list_weighted(&state.pool, author, Some(case), since, PERMANENT).await?;
    let weight = combined_weight(&reports);
    if weight < FOLD_THRESHOLD {
        return Ok(());
    }
    let mut transaction = state.pool.begin().await?;
    let offset = state.clock.offset();
    control::lock_head(&mut transaction).await?;
    let Some(seq) = store::folding::fold(&mut transaction, message.as_str(), case).await? else {
        // It is folded or hidden already, or an operator has decided meanwhile.
        return Ok(());
    };
    let reason = format!(
        "{} reports within 24 hours have a weight of {}: folded until an operator decides.",
        reports.iter().filter(|report| report.is_counted).count(),
        weight as f64 / FULL_WEIGHT as f64
    );
    let audit_reason = AuditReason::by(REPORTS_OPERATOR, reason);
    let before = json!({"folded": false});
    let after = json!({"folded": true});
    let entry = audit_reason.audit_entry("fold", message.as_str(), before, after);
    audit::record(&mut transaction, &entry, offset).await?;
    control::append(&mut transaction, ControlEntry::FoldingChanged(seq), offset).await?;
    state.log.commit(transaction).await
}

/// Unfolds a message if it is folded. The caller must hold the head lock.
pub(super) async fn unfold(
    state: &AppState,
    connection: &mut PgConnection,
    message: &str,
) -> Result<(), Refusal> {
    if let Some(seq) = store::folding::unfold(connection, message).await? {
        control::append(connection, ControlEntry::FoldingChanged(seq), state.clock.offset()).await?;
    }
    Ok(())
}
