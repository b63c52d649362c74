//! `/api/admin/webhooks`: lists the webhooks of agents.

use actix_web::web::Data;
use caraplace_companion::app::App;
use caraplace_moderation::lists::webhooks;

use crate::HandlerResult;
use crate::request::query::QueryParams;
use crate::request::query_param::{NumberParam, RowNumberParam, limit, row_number};
use crate::response::no_store::no_store_json;
use crate::route::endpoint::Param;

const LIMIT: NumberParam = limit(200, 50);
const BEFORE: RowNumberParam = row_number("before", "continues after this number; next_before has it");
/// The parameters of a page of webhooks.
pub const LIST_PARAMS: &[Param] = &[LIMIT.param, BEFORE.param];

/// Lists webhooks.
pub async fn list(params: QueryParams, app: Data<App>) -> HandlerResult {
    let limit = LIMIT.read(&params)?;
    Ok(no_store_json(webhooks::list(&app.state, BEFORE.read(&params)?, limit).await?))
}
