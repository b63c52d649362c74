//! Passes that the operator gives and takes away, each with its line in the audit log.

use chrono::{DateTime, Utc};
use serde_json::json;

use super::passes::{self, GrantedPass, PassGrant, PassHolder};
use super::store;
use super::tiers::Tiers;
use crate::log::audit;
use crate::moderation::{AuditReason, parse_end};
use crate::refusal::Refusal;
use crate::state::AppState;

/// The longest address that mail goes to, in bytes.
const MAX_EMAIL_BYTES: usize = 254;

/// The pass that an operator gives, unchecked.
#[derive(Debug)]
pub struct PassRequest {
    /// `viewer_…` of somebody who is there; a new viewer by default.
    pub viewer_id: Option<String>,
    /// Where a lost key is sent to.
    pub email: Option<String>,
    /// `gallery` by default.
    pub tier: Option<String>,
    /// When it ends; never by default.
    pub until: Option<DateTime<Utc>>,
}

/// Gives the pass that an operator asks for.
///
/// # Errors
/// `Input` or `NoSuchViewer`; or that the database cannot be written.
pub async fn grant_pass(
    state: &AppState,
    tiers: &Tiers,
    cause: &AuditReason,
    request: PassRequest,
) -> Result<GrantedPass, Refusal> {
    let PassRequest { viewer_id, email, tier, until } = request;
    let tier = tier.unwrap_or_else(|| "gallery".to_owned());
    if tiers.find(&tier).is_none() {
        return Err(Refusal::invalid("tier", "tier must be gallery or patron."));
    }
    if email.as_deref().is_some_and(|email| !is_email(email)) {
        return Err(Refusal::invalid("email", "email must be an address."));
    }
    let until = parse_end(state, until)?;
    let (offset, after) = (state.clock.offset(), json!({"tier": tier, "until": until}));
    let grant = PassGrant { viewer: viewer_id, name: None, email, until, tier };
    let mut transaction = state.pool.begin().await?;
    let granted = passes::grant(&mut transaction, tiers, grant, offset).await?;
    let entry = cause.audit_entry("grant pass", &granted.id, json!(null), after);
    audit::record(&mut transaction, &entry, offset).await?;
    state.log.commit(transaction).await?;
    Ok(granted)
}

fn is_email(text: &str) -> bool {
    text.len() <= MAX_EMAIL_BYTES && text.contains('@') && !text.contains(char::is_whitespace)
}

/// Takes a viewer's pass away.
///
/// # Errors
/// `NoSuchViewer`; or that the database cannot be written.
pub async fn revoke_pass(
    state: &AppState,
    tiers: &Tiers,
    cause: &AuditReason,
    viewer: &str,
) -> Result<(), Refusal> {
    let offset = state.clock.offset();
    let mut transaction = state.pool.begin().await?;
    passes::revoke(&mut transaction, tiers, viewer, offset).await?;
    let entry = cause.audit_entry("revoke pass", viewer, json!(null), json!(null));
    audit::record(&mut transaction, &entry, offset).await?;
    state.log.commit(transaction).await
}

/// The newest who have or had a pass.
///
/// # Errors
/// When the database cannot be read.
pub async fn list_pass_holders(state: &AppState, limit: i64) -> Result<Vec<PassHolder>, Refusal> {
    Ok(store::list_pass_holders(&state.pool, limit).await?)
}
