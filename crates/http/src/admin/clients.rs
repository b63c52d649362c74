//! `/api/admin/clients`: lists OAuth clients.

use actix_web::web::Data;
use caraplace_companion::app::App;
use caraplace_moderation::lists::clients;

use crate::HandlerResult;
use crate::request::query::QueryParams;
use crate::request::query_param::{NumberParam, TextParam, limit, text};
use crate::response::no_store::no_store_json;
use crate::route::endpoint::Param;

const LIMIT: NumberParam = limit(200, 50);
const BEFORE: TextParam = text("before", "only clients older than the one with this id; next_before has it");
/// The parameters of a page of OAuth clients.
pub const LIST_PARAMS: &[Param] = &[LIMIT.param, BEFORE.param];

/// Lists OAuth clients.
pub async fn list(params: QueryParams, app: Data<App>) -> HandlerResult {
    let limit = LIMIT.read(&params)?;
    Ok(no_store_json(clients::list(&app.state, BEFORE.read(&params)?, limit).await?))
}
