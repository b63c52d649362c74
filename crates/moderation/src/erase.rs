//! Erases accounts for operators, and deletes what appeals, reports and the audit log have of erased ones.

use caraplace_accounts::agents::accounts;
use caraplace_accounts::erasure::{self, EraseResponse};
use caraplace_accounts::gallery::tiers::Tiers;
use caraplace_log::audit;
use caraplace_log::audit_reason::AuditReason;
use caraplace_log::state::AppState;
use platform::database;
use platform::refusal::Refusal;
use rules::ids::AccountId;
use rules::names::REMOVED_NAME;
use rules::numbers::AccountNo;
use serde_json::json;

use super::store;

/// The name of the operator, and the answer, with which open appeals of erased accounts are closed.
const ERASURE_OPERATOR: &str = "erasure";
const ERASED_ANSWER: &str = "The account was erased.";

/// Erases an account, unless it is erased already. `None` if it does not exist.
pub(crate) async fn erase(
    state: &AppState,
    tiers: &Tiers,
    audit_reason: &AuditReason,
    id: &AccountId,
) -> Result<Option<EraseResponse>, Refusal> {
    let Some(account) = accounts::find(state, id.as_str()).await? else { return Ok(None) };
    let mut transaction = state.pool.begin().await?;
    let former_name = erasure::erase_in_transaction(state, &mut transaction, tiers, &account).await?;
    if let Some(former_name) = former_name {
        let before = json!({"name": former_name});
        let after = json!({"name": REMOVED_NAME});
        let entry = audit_reason.audit_entry("erase", id.as_str(), before, after);
        audit::record(&mut transaction, &entry, state.clock.offset()).await?;
        state.log.commit(transaction).await?;
    }
    Ok(Some(EraseResponse::new(id.as_str())))
}

/// Returns the names that the account with this id had before operators renamed it, without those that other
/// accounts have now.
pub async fn earlier_names(state: &AppState, id: &str) -> Result<Vec<String>, Refusal> {
    Ok(store::erased::earlier_names(&state.pool, id).await?)
}

/// Deletes the texts of the appeals and reports of an erased account, and its name in decisions, and closes
/// its appeal. Its names and texts in the audit log go, too, unless a setting keeps them. What others have
/// reported about it stays as evidence.
pub async fn delete_texts(state: &AppState, account: AccountNo, id: &str) -> Result<(), Refusal> {
    let offset = state.clock.offset();
    let mut transaction = state.pool.begin().await?;
    let connection = &mut *transaction;
    store::appeals::close_open(connection, account, false, ERASED_ANSWER, ERASURE_OPERATOR, offset).await?;
    store::erased::clear_appeals(connection, account).await?;
    store::erased::clear_report_reasons(connection, account).await?;
    store::erased::replace_decided_names(connection, account, REMOVED_NAME).await?;
    if state.settings.current().values.erase_audit_names {
        store::erased::clear_audit_log(connection, account, id).await?;
    }
    database::commit(transaction).await
}
