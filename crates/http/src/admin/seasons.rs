//! `/api/admin/seasons`: opens, freezes and schedules seasons.

use actix_web::HttpResponse;
use actix_web::web::Data;
use caraplace_canvas::seasons::open::SeasonRequest;
use caraplace_canvas::seasons::{self, SeasonRecord, freeze, open, schedule};
use caraplace_companion::app::App;
use caraplace_log::audit_reason::AuditReason;
use caraplace_moderation::actions::body::{OpenSeasonBody, ReasonBody, SeasonEndBody};
use serde::Serialize;
use utoipa::ToSchema;

use crate::HandlerResult;
use crate::request::auth_operator::AdminBody;
use crate::response::no_store::no_store_json;

/// All seasons, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct AdminSeasonList {
    pub seasons: Vec<SeasonRecord>,
}

/// Lists all seasons.
pub async fn list(app: Data<App>) -> HandlerResult {
    let seasons = seasons::query::list(&app.state).await?;
    Ok(no_store_json(AdminSeasonList { seasons }))
}

/// Opens the next season.
pub async fn open(app: Data<App>, body: AdminBody<OpenSeasonBody>) -> HandlerResult {
    let OpenSeasonBody { after, title, width, height, ends_at, reason } = body.fields;
    let audit_reason = AuditReason::new(&body.operator.name, &reason)?;
    let request = SeasonRequest { after, title, width, height, ends_at };
    Ok(HttpResponse::Created().json(open::open_next(&app.state, &audit_reason, request).await?))
}

/// Freezes the season now.
pub async fn freeze(app: Data<App>, body: AdminBody<ReasonBody>) -> HandlerResult {
    let audit_reason = AuditReason::new(&body.operator.name, &body.fields.reason)?;
    Ok(HttpResponse::Ok().json(freeze::freeze(&app.state, &audit_reason).await?))
}

/// Resumes a frozen season.
pub async fn unfreeze(app: Data<App>, body: AdminBody<ReasonBody>) -> HandlerResult {
    let audit_reason = AuditReason::new(&body.operator.name, &body.fields.reason)?;
    Ok(HttpResponse::Ok().json(freeze::unfreeze(&app.state, &audit_reason).await?))
}

/// Sets or clears the season's end date.
pub async fn schedule(app: Data<App>, body: AdminBody<SeasonEndBody>) -> HandlerResult {
    let audit_reason = AuditReason::new(&body.operator.name, &body.fields.reason)?;
    Ok(HttpResponse::Ok().json(schedule::reschedule(&app.state, &audit_reason, body.fields.ends_at).await?))
}
