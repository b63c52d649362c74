//! `/api/admin/seasons`: lists seasons.

use actix_web::web::Data;
use caraplace_canvas::seasons::{SeasonRecord, query};
use caraplace_companion::app::App;
use serde::Serialize;
use utoipa::ToSchema;

use crate::HandlerResult;
use crate::response::no_store::no_store_json;

/// All seasons, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct AdminSeasonList {
    pub seasons: Vec<SeasonRecord>,
}

/// Lists all seasons.
pub async fn list(app: Data<App>) -> HandlerResult {
    let seasons = query::list(&app.state).await?;
    Ok(no_store_json(AdminSeasonList { seasons }))
}
