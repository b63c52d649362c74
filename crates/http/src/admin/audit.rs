//! `/api/admin/audit`: the audit log.

use actix_web::web::Data;
use caraplace_companion::app::App;
use caraplace_moderation::audit;

use crate::HandlerResult;
use crate::request::query::QueryParams;
use crate::request::query_param::{NumberParam, RowNumberParam, TextParam, limit, row_number, text};
use crate::response::no_store::no_store_json;
use crate::route::endpoint::Param;

const BEFORE: RowNumberParam = row_number("before", "only actions before this number; next_before has it");
const LIMIT: NumberParam = limit(200, 50);
const SUBJECT: TextParam = text("subject", "only actions on this id");
/// The parameters of a page of the audit log.
pub const PARAMS: &[Param] = &[BEFORE.param, LIMIT.param, SUBJECT.param];

/// Lists the audit log.
pub async fn list(params: QueryParams, app: Data<App>) -> HandlerResult {
    let before = BEFORE.read(&params)?;
    let limit = LIMIT.read(&params)?;
    Ok(no_store_json(audit::page(&app.state, before, limit, SUBJECT.read(&params)?).await?))
}
