//! `/api/admin/settings`: settings that can change while the server runs.

use actix_web::HttpResponse;
use actix_web::web::Data;
use caraplace_companion::app::App;
use caraplace_log::audit_reason::AuditReason;
use caraplace_moderation::settings::{self, SettingInfo};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::HandlerResult;
use crate::request::auth_operator::AdminBody;
use crate::response::no_store::no_store_json;

/// `POST /api/admin/settings`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SettingBody {
    /// The setting's name, as in `GET /api/admin/settings`.
    pub name: String,
    /// The new value; null resets the setting to its default.
    #[schema(value_type = Value)]
    pub value: Value,
    /// The reason for the audit log.
    #[schema(min_length = 1)]
    #[serde(alias = "why")]
    pub reason: String,
}

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
