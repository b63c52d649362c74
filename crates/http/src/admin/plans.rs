//! `/api/admin/plans`: closing, hiding and restoring plans.

use actix_web::web::{Data, Path};
use caraplace_canvas::plans::{close, hide};
use caraplace_companion::app::App;
use caraplace_log::audit_reason::AuditReason;
use caraplace_moderation::actions::body::ReasonBody;
use rules::ids::PlanId;

use crate::HandlerResult;
use crate::request::auth_operator::AdminBody;
use crate::response::no_store::no_store_json;
use crate::response::not_found::parse_plan_id;
use crate::response::problem::Problem;

/// Closes a plan.
pub async fn close(app: Data<App>, body: AdminBody<ReasonBody>, id: Path<String>) -> HandlerResult {
    let (id, audit_reason) = read_action(&body, &id)?;
    Ok(no_store_json(close::close_as_operator(&app.state, audit_reason, id).await?))
}

/// Hides a plan.
pub async fn hide(app: Data<App>, body: AdminBody<ReasonBody>, id: Path<String>) -> HandlerResult {
    let (id, audit_reason) = read_action(&body, &id)?;
    Ok(no_store_json(hide::set_hidden(&app.state, audit_reason, id, true).await?))
}

/// Restores a hidden plan.
pub async fn restore(app: Data<App>, body: AdminBody<ReasonBody>, id: Path<String>) -> HandlerResult {
    let (id, audit_reason) = read_action(&body, &id)?;
    Ok(no_store_json(hide::set_hidden(&app.state, audit_reason, id, false).await?))
}

fn read_action(body: &AdminBody<ReasonBody>, id: &str) -> Result<(PlanId, AuditReason), Problem> {
    Ok((parse_plan_id(id)?, AuditReason::new(&body.operator.name, &body.fields.reason)?))
}
