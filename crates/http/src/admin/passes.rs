//! `/api/admin/passes`: lists, grants and revokes Gallery Passes.

use actix_web::web::{Data, Path};
use caraplace_accounts::gallery::PassHolder;
use caraplace_accounts::gallery::grants::{self, PassRequest};
use caraplace_accounts::gallery::passes::GrantedPass;
use caraplace_companion::app::App;
use caraplace_log::audit_reason::AuditReason;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::reason_body::ReasonBody;
use crate::HandlerResult;
use crate::request::auth_operator::AdminBody;
use crate::response::no_store::{no_store_created, no_store_json};

/// The largest number of viewers in a response.
const MAX_LISTED: i64 = 500;

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

/// The viewer who was granted a pass.
#[derive(Debug, Serialize, ToSchema)]
pub struct GrantPassResponse {
    pub viewer_id: String,
    /// The viewer's key, shown only in this response; null if the viewer already has a key.
    pub api_key: Option<String>,
}

/// Viewers and their passes, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct PassList {
    pub passes: Vec<PassHolder>,
}

/// The response to a revocation.
#[derive(Debug, Serialize, ToSchema)]
pub struct RevokePassResponse {
    pub success: bool,
}

/// Lists the viewers who have or had a pass.
pub async fn list(app: Data<App>) -> HandlerResult {
    let passes = grants::list_pass_holders(&app.state, MAX_LISTED).await?;
    Ok(no_store_json(PassList { passes }))
}

/// Grants a pass.
pub async fn grant(app: Data<App>, body: AdminBody<GrantPassBody>) -> HandlerResult {
    let GrantPassBody { viewer_id, email, tier, until, reason } = body.fields;
    let audit_reason = AuditReason::new(&body.operator.name, &reason)?;
    let request = PassRequest { viewer_id, email, tier, until };
    let GrantedPass { id, key } =
        grants::grant_pass(&app.state, &app.gallery.tiers, &audit_reason, request).await?;
    Ok(no_store_created(GrantPassResponse { viewer_id: id, api_key: key }))
}

/// Revokes a pass.
pub async fn revoke(app: Data<App>, body: AdminBody<ReasonBody>, id: Path<String>) -> HandlerResult {
    let audit_reason = AuditReason::new(&body.operator.name, &body.fields.reason)?;
    grants::revoke_pass(&app.state, &app.gallery.tiers, &audit_reason, &id).await?;
    Ok(no_store_json(RevokePassResponse { success: true }))
}
