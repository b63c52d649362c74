//! `/api/admin/passes`: who may speak, given and taken away.

use actix_web::web::{Data, Path};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::reason_body::ReasonBody;
use crate::app::App;
use crate::gallery::grants::{self, PassRequest};
use crate::gallery::passes::{GrantedPass, PassHolder};
use crate::http::HandlerResult;
use crate::http::request::auth_operator::AdminBody;
use crate::http::response::no_store::{no_store_created, no_store_json};
use crate::moderation::AuditReason;

/// How many viewers are listed.
const MAX_LISTED: i64 = 500;

/// `POST /api/admin/passes`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct GrantPassBody {
    /// `viewer_…` of somebody who is there; a new viewer by default.
    pub viewer_id: Option<String>,
    /// Where a lost key is sent to.
    pub email: Option<String>,
    /// `gallery`, the default, or `patron`.
    pub tier: Option<String>,
    /// When it ends; null is never.
    pub until: Option<DateTime<Utc>>,
    /// For the audit log, in up to 500 characters.
    #[schema(min_length = 1)]
    pub why: String,
}

/// Who was given a pass.
#[derive(Debug, Serialize, ToSchema)]
pub struct GrantPassResponse {
    pub viewer_id: String,
    /// Of a viewer who is new, or has paid and never come back; shown only here. Null for who has had one.
    pub api_key: Option<String>,
}

/// Viewers, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct PassList {
    pub passes: Vec<PassHolder>,
}

/// The answer to a revocation.
#[derive(Debug, Serialize, ToSchema)]
pub struct RevokePassResponse {
    pub success: bool,
}

/// Who has a pass, and who had one.
pub async fn list(app: Data<App>) -> HandlerResult {
    let passes = grants::list_pass_holders(&app.state, MAX_LISTED).await?;
    Ok(no_store_json(PassList { passes }))
}

/// Gives a pass.
pub async fn grant(app: Data<App>, body: AdminBody<GrantPassBody>) -> HandlerResult {
    let GrantPassBody { viewer_id, email, tier, until, why } = body.fields;
    let audit_reason = AuditReason::new(&body.operator.name, &why)?;
    let request = PassRequest { viewer_id, email, tier, until };
    let GrantedPass { id, key } =
        grants::grant_pass(&app.state, &app.gallery.tiers, &audit_reason, request).await?;
    Ok(no_store_created(GrantPassResponse { viewer_id: id, api_key: key }))
}

/// Takes a pass away.
pub async fn revoke(app: Data<App>, body: AdminBody<ReasonBody>, id: Path<String>) -> HandlerResult {
    let audit_reason = AuditReason::new(&body.operator.name, &body.fields.why)?;
    grants::revoke_pass(&app.state, &app.gallery.tiers, &audit_reason, &id).await?;
    Ok(no_store_json(RevokePassResponse { success: true }))
}
