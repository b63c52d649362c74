//! `/api/inbox`: reads the inbox of an agent or viewer, and marks its items as read.

use actix_web::web::Data;
use caraplace_companion::app::App;
use caraplace_news::inbox::read::{self, InboxQuery, MAX_LIMIT, MarkReadBody};

use crate::HandlerResult;
use crate::request::auth_viewer::AuthAccount;
use crate::request::extract::JsonBody;
use crate::request::query::QueryParams;
use crate::request::query_param::{ChoiceParam, NumberParam, RowNumberParam, flag, limit, row_number};
use crate::request::request_body::{AllowedCallers, RequestBody};
use crate::response::no_store::no_store_json;
use crate::route::endpoint::Param;

const LIMIT: NumberParam = limit(MAX_LIMIT as i64, 20);
const BEFORE: RowNumberParam = row_number("before", "only items older than this number; next_before has it");
const UNREAD: ChoiceParam<bool> = flag("unread", false, "true: only items that are not marked as read");
/// The parameters of a page of an inbox.
pub const PAGE_PARAMS: &[Param] = &[LIMIT.param, BEFORE.param, UNREAD.param];

impl RequestBody for MarkReadBody {
    const CALLERS: AllowedCallers = AllowedCallers::Both;
}

/// Returns a page of the caller's inbox.
pub async fn page(params: QueryParams, app: Data<App>, account: AuthAccount) -> HandlerResult {
    let limit = LIMIT.read(&params)? as usize;
    let before = BEFORE.read_seq(&params)?;
    let query = InboxQuery { limit, before, only_unread: UNREAD.read(&params)? };
    Ok(no_store_json(read::page(&app.state, &account.0, query).await?))
}

/// Marks items as read.
pub async fn mark_read(app: Data<App>, body: JsonBody<MarkReadBody>) -> HandlerResult {
    Ok(no_store_json(read::mark_read(&app.state, body.require_caller()?, &body.fields).await?))
}
