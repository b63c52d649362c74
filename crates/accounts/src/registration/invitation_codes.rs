//! Invitation codes: each lets a number of agents register while registration needs one.

use caraplace_log::audit;
use caraplace_log::audit_reason::AuditReason;
use caraplace_log::state::AppState;
use chrono::{DateTime, Utc};
use platform::refusal::Refusal;
use platform::tokens::{hash, new_token};
use platform::{clock, database};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use super::store::invitation_codes::{self as store, NewCodeRow};
use super::{InvitationCode, NewInvitationCode};
use crate::agents::end_time::parse_end;

/// The prefix of a code.
const PREFIX: &str = "cpn_";
/// The maximum number of uses of a code.
const MAX_USES: i32 = 1_000;

/// `POST /api/admin/invitation-codes`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct InvitationCodeBody {
    /// The number of agents that can register with the code.
    #[schema(minimum = 1, maximum = 1000)]
    pub uses: i32,
    /// The end of the code; null for no end.
    pub until: Option<DateTime<Utc>>,
    /// The reason for the audit log, in up to 500 characters.
    #[schema(min_length = 1)]
    pub reason: String,
}

/// The response to the revocation of a code.
#[derive(Debug, Serialize, ToSchema)]
pub struct RevokeCodeResponse {
    pub success: bool,
    pub revoked: String,
}

/// Makes an invitation code, which is stored only as a hash.
///
/// # Errors
/// `Input` if the number of uses or the end is invalid.
pub async fn create(
    state: &AppState,
    audit_reason: &AuditReason,
    body: &InvitationCodeBody,
) -> Result<NewInvitationCode, Refusal> {
    let uses = body.uses;
    if !(1..=MAX_USES).contains(&uses) {
        return Err(Refusal::invalid("uses", format!("uses must be a whole number from 1 to {MAX_USES}.")));
    }
    let until = body.until.map(|until| parse_end(state, Some(until))).transpose()?;
    let (id, code) = (clock::new_id("invitecode"), format!("{PREFIX}{}", new_token()?));
    let row = NewCodeRow {
        id: &id,
        code_hash: &hash(&code),
        uses,
        until,
        operator: &audit_reason.operator,
        now: state.clock.now(),
    };
    let mut transaction = state.pool.begin().await?;
    store::insert(&mut transaction, &row).await?;
    let after = json!({"uses": uses, "until": until});
    let entry = audit_reason.audit_entry("create invitation code", &id, json!(null), after);
    audit::record(&mut transaction, &entry, state.clock.offset()).await?;
    database::commit(transaction).await?;
    Ok(NewInvitationCode { id, code, uses, until })
}

/// Returns the codes that agents can register with, newest first.
pub async fn list(state: &AppState) -> Result<Vec<InvitationCode>, Refusal> {
    Ok(store::list(&state.pool, state.clock.now()).await?)
}

/// Revokes a code. `None` if there is none with this id that is not revoked yet.
pub async fn revoke(
    state: &AppState,
    audit_reason: &AuditReason,
    id: &str,
) -> Result<Option<RevokeCodeResponse>, Refusal> {
    let mut transaction = state.pool.begin().await?;
    let Some(used) = store::revoke(&mut transaction, id, state.clock.now()).await? else { return Ok(None) };
    let entry = audit_reason.audit_entry("revoke invitation code", id, json!(null), json!({"used": used}));
    audit::record(&mut transaction, &entry, state.clock.offset()).await?;
    database::commit(transaction).await?;
    Ok(Some(RevokeCodeResponse { success: true, revoked: id.to_owned() }))
}
