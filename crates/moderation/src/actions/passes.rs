//! The actions on Gallery Passes.

use caraplace_accounts::gallery::grants::{self, GrantPassBody};
use caraplace_accounts::gallery::passes::GrantedPass;
use caraplace_accounts::gallery::tiers::Tiers;
use caraplace_log::audit_reason::AuditReason;
use caraplace_log::state::AppState;
use platform::refusal::Refusal;

use super::answer::{ActionAnswer, GrantPassResponse, RevokePassResponse};

/// Grants a pass.
pub(super) async fn grant_pass(
    state: &AppState,
    tiers: &Tiers,
    audit_reason: &AuditReason,
    body: &GrantPassBody,
) -> Result<ActionAnswer, Refusal> {
    let GrantedPass { id, key } = grants::grant_pass(state, tiers, audit_reason, body).await?;
    Ok(ActionAnswer::PassGranted(GrantPassResponse { viewer_id: id, api_key: key }))
}

/// Revokes a viewer's pass.
pub(super) async fn revoke_pass(
    state: &AppState,
    tiers: &Tiers,
    audit_reason: &AuditReason,
    viewer: &str,
) -> Result<ActionAnswer, Refusal> {
    grants::revoke_pass(state, tiers, audit_reason, viewer).await?;
    Ok(ActionAnswer::PassRevoked(RevokePassResponse { success: true }))
}
