//! `/api/admin/passes`: lists Gallery Passes.

use actix_web::web::Data;
use caraplace_accounts::gallery::{PassHolder, grants};
use caraplace_companion::app::App;
use serde::Serialize;
use utoipa::ToSchema;

use crate::HandlerResult;
use crate::response::no_store::no_store_json;

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
