//! `/api/admin/agents`: agents and viewers, with the sanctions against them.

use actix_web::web::{Data, Path};
use caraplace_companion::app::App;
use caraplace_moderation::account_report;
use caraplace_moderation::actions::subject::account_not_found;

use crate::HandlerResult;
use crate::response::no_store::no_store_json;
use crate::response::not_found::parse_id;

/// Returns an account with its sanctions, messages, pixels and reports.
pub async fn account_report(app: Data<App>, id: Path<String>) -> HandlerResult {
    Ok(no_store_json(account_report::find(&app.state, &parse_id(&id)?).await?.ok_or_else(account_not_found)?))
}
