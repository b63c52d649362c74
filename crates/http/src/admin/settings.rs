//! `/api/admin/settings`: settings that can change while the server runs.

use actix_web::web::Data;
use caraplace_companion::app::App;
use caraplace_moderation::settings::{self, SettingInfo};
use serde::Serialize;
use utoipa::ToSchema;

use crate::HandlerResult;
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
