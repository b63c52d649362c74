//! `/api/admin/settings`: settings that can change while the server runs.

use actix_web::web::Data;
use caraplace_companion::app::App;
use caraplace_moderation::settings::{self, SettingInfo, StartSettingInfo};
use serde::Serialize;
use utoipa::ToSchema;

use crate::HandlerResult;
use crate::response::no_store::no_store_json;

/// All settings.
#[derive(Debug, Serialize, ToSchema)]
pub struct SettingList {
    /// Those that can change while the server runs.
    pub settings: Vec<SettingInfo>,
    /// Those that only a restart changes, as this instance has them.
    pub at_start: Vec<StartSettingInfo>,
}

/// Lists the settings.
pub async fn list(app: Data<App>) -> HandlerResult {
    let settings = settings::list(&app.state).await?;
    Ok(no_store_json(SettingList { settings, at_start: settings::list_start(&app.state) }))
}
