//! `/api/admin/crews`: taking crews down and bringing them back.

use actix_web::web::{Data, Path};
use caraplace_companion::app::App;
use caraplace_log::audit_reason::AuditReason;
use caraplace_moderation::actions::body::ReasonBody;
use caraplace_talk::crews::hide;

use crate::HandlerResult;
use crate::request::auth_operator::AdminBody;
use crate::response::no_store::no_store_json;
use crate::response::not_found::parse_crew_id;

/// Takes a crew down.
pub async fn hide(app: Data<App>, body: AdminBody<ReasonBody>, id: Path<String>) -> HandlerResult {
    set_hidden(&app, &body, &id, true).await
}

/// Brings a crew back that was taken down.
pub async fn restore(app: Data<App>, body: AdminBody<ReasonBody>, id: Path<String>) -> HandlerResult {
    set_hidden(&app, &body, &id, false).await
}

async fn set_hidden(app: &App, body: &AdminBody<ReasonBody>, id: &str, hidden: bool) -> HandlerResult {
    let id = parse_crew_id(id)?;
    let audit_reason = AuditReason::new(&body.operator.name, &body.fields.reason)?;
    Ok(no_store_json(hide::set_hidden(&app.state, &audit_reason, &id, hidden).await?))
}
