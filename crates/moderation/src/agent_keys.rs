//! Revokes extra keys of agents for operators, with an entry in the audit log.

use caraplace_accounts::agents::{accounts, extra_keys};
use caraplace_log::audit;
use caraplace_log::audit_reason::AuditReason;
use caraplace_log::state::AppState;
use platform::refusal::{InputError, InputErrorKind, Refusal, UNKNOWN_AGENT};
use rules::ids::AccountId;
use serde_json::json;

/// Revokes an extra key of an agent with all that descend from it, at once and on every instance.
///
/// # Errors
/// Returns `Input` if the agent does not exist or has no such key.
pub async fn revoke(
    state: &AppState,
    audit_reason: &AuditReason,
    agent_id: &AccountId,
    key_id: &str,
) -> Result<(), Refusal> {
    let unknown = || InputError::new(InputErrorKind::NotFound, UNKNOWN_AGENT);
    let agent = accounts::find(state, agent_id.as_str()).await?.ok_or_else(unknown)?;
    let mut transaction = state.pool.begin().await?;
    let revoked = extra_keys::revoke_in_transaction(state, &mut transaction, agent.no, key_id).await?;
    let before = json!({"key": key_id, "revoked": revoked});
    let after = json!(null);
    let entry = audit_reason.audit_entry("revoke key", agent_id.as_str(), before, after);
    audit::record(&mut transaction, &entry, state.clock.offset()).await?;
    state.log.commit(transaction).await
}
