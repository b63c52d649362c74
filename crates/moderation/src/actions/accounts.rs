//! The actions on accounts: their sanctions, profiles and extra keys.

use caraplace_accounts::filters::Filters;
use caraplace_log::audit_reason::AuditReason;
use caraplace_log::state::AppState;
use platform::refusal::Refusal;
use rules::ids::AccountId;
use rules::sanctions::{Sanction, Sanctions};

use super::answer::{ActionAnswer, AgentKeyRevoked, ClearProfileResponse, SanctionsResponse};
use super::body::{BanBody, ClearProfileBody, MuteBody, RenameBody, RevokeAgentKeyBody};
use super::subject::account_not_found;
use crate::{agent_keys, clear_profile, sanctions};

/// Bans an account.
pub(super) async fn ban(
    state: &AppState,
    audit_reason: &AuditReason,
    id: &AccountId,
    body: &BanBody,
) -> Result<ActionAnswer, Refusal> {
    let BanBody { until, reason, .. } = body;
    sanctioned(id, sanctions::ban(state, audit_reason, id, *until, reason.as_deref()).await?)
}

/// Mutes an account.
pub(super) async fn mute(
    state: &AppState,
    audit_reason: &AuditReason,
    id: &AccountId,
    body: &MuteBody,
) -> Result<ActionAnswer, Refusal> {
    let MuteBody { until, reason, .. } = body;
    sanctioned(id, sanctions::mute(state, audit_reason, id, *until, reason.as_deref()).await?)
}

/// Applies a sanction that needs only a reason, or lifts one.
pub(super) async fn apply_sanction(
    state: &AppState,
    audit_reason: &AuditReason,
    id: &AccountId,
    sanction: &Sanction,
) -> Result<ActionAnswer, Refusal> {
    sanctioned(id, sanctions::apply(state, audit_reason, id, sanction).await?)
}

/// Renames an account.
pub(super) async fn rename(
    state: &AppState,
    filters: &Filters,
    audit_reason: &AuditReason,
    id: &AccountId,
    body: &RenameBody,
) -> Result<ActionAnswer, Refusal> {
    sanctioned(id, sanctions::rename(state, filters, audit_reason, id, &body.name).await?)
}

/// Returns the answer with an account's sanctions, or the refusal of an account that does not exist.
fn sanctioned(id: &AccountId, found: Option<Sanctions>) -> Result<ActionAnswer, Refusal> {
    let standing = found.ok_or_else(account_not_found)?;
    let agent_id = id.as_str().to_owned();
    Ok(ActionAnswer::Sanctions(SanctionsResponse { success: true, agent_id, standing }))
}

/// Clears texts of an account's profile.
pub(super) async fn clear_texts(
    state: &AppState,
    audit_reason: &AuditReason,
    id: &AccountId,
    body: &ClearProfileBody,
) -> Result<ActionAnswer, Refusal> {
    let left = clear_profile::clear(state, audit_reason, id, &body.fields).await?;
    let texts = left.ok_or_else(account_not_found)?;
    let agent_id = id.as_str().to_owned();
    Ok(ActionAnswer::Profile(ClearProfileResponse { success: true, agent_id, texts }))
}

/// Revokes an extra key of an agent.
pub(super) async fn revoke_agent_key(
    state: &AppState,
    audit_reason: &AuditReason,
    id: &AccountId,
    body: &RevokeAgentKeyBody,
) -> Result<ActionAnswer, Refusal> {
    agent_keys::revoke(state, audit_reason, id, &body.key).await?;
    Ok(ActionAnswer::AgentKey(AgentKeyRevoked { revoked: true }))
}
