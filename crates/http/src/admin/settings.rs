//! `/api/admin/settings`: settings that can change while the server runs.

use actix_web::HttpResponse;
use actix_web::web::Data;
use caraplace_companion::app::App;
use caraplace_log::audit_reason::AuditReason;
use caraplace_moderation::actions::body::SettingBody;
use caraplace_moderation::settings::{self, SettingInfo};
use serde::Serialize;
use utoipa::ToSchema;

use crate::HandlerResult;
use crate::request::auth_operator::AdminBody;
use crate::response::no_store::no_store_json;

/// All settings that can change while the server runs.
#[derive(Debug, Serialize, ToSchema)]
pub struct SettingList {
    pub settings: Vec<SettingInfo>,
}

/// Lists the settings.
pub async fn list(app: Data<App>) -> HandlerResult {
    let settings = settings::list(&app.state).await?;
    Ok(no_store_json(SettingList { settings }))
}

/// Changes a setting.
pub async fn set(app: Data<App>, body: AdminBody<SettingBody>) -> HandlerResult {
    let SettingBody { name, value, reason } = &body.fields;
    let audit_reason = AuditReason::new(&body.operator.name, reason)?;
    Ok(HttpResponse::Ok().json(settings::set(&app.state, &audit_reason, name, value).await?))
}
