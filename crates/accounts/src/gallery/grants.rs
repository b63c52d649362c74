//! Passes that operators grant and revoke, with entries in the audit log.

use caraplace_log::audit;
use caraplace_log::audit_reason::AuditReason;
use caraplace_log::state::AppState;
use chrono::{DateTime, Utc};
use platform::refusal::Refusal;
use serde::Deserialize;
use serde_json::json;
use utoipa::ToSchema;

use super::PassHolder;
use super::passes::{self, GrantedPass, PassGrant};
use super::store;
use super::tiers::Tiers;
use crate::agents::end_time::parse_end;

/// The maximum length of a mail address, in bytes.
const MAX_EMAIL_BYTES: usize = 254;

/// `POST /api/admin/passes`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct GrantPassBody {
    /// The id (`viewer_…`) of an existing viewer; a new viewer by default.
    pub viewer_id: Option<String>,
    /// The mail address for replacing a lost key.
    pub email: Option<String>,
    /// The tier: `gallery`, the default, or `patron`.
    pub tier: Option<String>,
    /// The end; null for no end.
    pub until: Option<DateTime<Utc>>,
    /// The reason for the audit log, in up to 500 characters.
    #[schema(min_length = 1)]
    #[serde(alias = "why")]
    pub reason: String,
}

/// Grants the requested pass. Its reason is that of `audit_reason`.
///
/// # Errors
/// `Input` or `ViewerNotFound`.
pub async fn grant_pass(
    state: &AppState,
    tiers: &Tiers,
    audit_reason: &AuditReason,
    body: &GrantPassBody,
) -> Result<GrantedPass, Refusal> {
    let GrantPassBody { viewer_id, email, tier, until, .. } = body;
    let tier = tier.as_deref().unwrap_or("gallery");
    if tiers.find(tier).is_none() {
        return Err(Refusal::invalid("tier", "tier must be gallery or patron."));
    }
    if email.as_deref().is_some_and(|email| !is_email(email)) {
        return Err(Refusal::invalid("email", "email must be a mail address."));
    }
    let until = parse_end(state, *until)?;
    let offset = state.clock.offset();
    let after = json!({"tier": tier, "until": until});
    let grant = PassGrant {
        viewer: viewer_id.clone(),
        name: None,
        email: email.clone(),
        until,
        tier: tier.to_owned(),
    };
    let mut transaction = state.pool.begin().await?;
    let granted = passes::grant(state, &mut transaction, tiers, grant).await?;
    let entry = audit_reason.audit_entry("grant pass", &granted.id, json!(null), after);
    audit::record(&mut transaction, &entry, offset).await?;
    state.log.commit(transaction).await?;
    Ok(granted)
}

fn is_email(text: &str) -> bool {
    text.len() <= MAX_EMAIL_BYTES && text.contains('@') && !text.contains(char::is_whitespace)
}

/// Revokes a viewer's pass.
///
/// # Errors
/// `ViewerNotFound`.
pub async fn revoke_pass(
    state: &AppState,
    tiers: &Tiers,
    audit_reason: &AuditReason,
    viewer: &str,
) -> Result<(), Refusal> {
    let offset = state.clock.offset();
    let mut transaction = state.pool.begin().await?;
    passes::revoke(state, &mut transaction, tiers, viewer).await?;
    let entry = audit_reason.audit_entry("revoke pass", viewer, json!(null), json!(null));
    audit::record(&mut transaction, &entry, offset).await?;
    state.log.commit(transaction).await
}

/// Returns the newest viewers who have or had a pass.
pub async fn list_pass_holders(state: &AppState, limit: i64) -> Result<Vec<PassHolder>, Refusal> {
    Ok(store::list_pass_holders(&state.pool, limit).await?)
}
