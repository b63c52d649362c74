//! `/api/admin/passes`: lists, grants and revokes Gallery Passes.

use actix_web::web::{Data, Path};
use caraplace_accounts::gallery::PassHolder;
use caraplace_accounts::gallery::grants::{self, PassRequest};
use caraplace_accounts::gallery::passes::GrantedPass;
use caraplace_companion::app::App;
use caraplace_log::audit_reason::AuditReason;
use caraplace_moderation::actions::answer::{GrantPassResponse, RevokePassResponse};
use caraplace_moderation::actions::body::{GrantPassBody, ReasonBody};
use serde::Serialize;
use utoipa::ToSchema;

use crate::HandlerResult;
use crate::request::auth_operator::AdminBody;
use crate::response::no_store::{no_store_created, no_store_json};

/// The largest number of viewers in a response.
const MAX_LISTED: i64 = 500;

/// Viewers and their passes, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct PassList {
    pub passes: Vec<PassHolder>,
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
