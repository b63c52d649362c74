//! `/api/admin/seasons`: opens, freezes and schedules seasons.

use actix_web::HttpResponse;
use actix_web::web::Data;
use caraplace_canvas::seasons::open::SeasonRequest;
use caraplace_canvas::seasons::{self, SeasonRecord, freeze, open, schedule};
use caraplace_companion::app::App;
use caraplace_log::audit_reason::AuditReason;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::reason_body::ReasonBody;
use crate::HandlerResult;
use crate::request::auth_operator::AdminBody;
use crate::response::no_store::no_store_json;

/// `POST /api/admin/seasons`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct OpenSeasonBody {
    /// The number of the current season, which is then archived. A repeated request opens no second season.
    #[schema(minimum = 1)]
    pub after: i64,
    /// The title; "Season" and its number by default.
    #[schema(min_length = 1)]
    pub title: Option<String>,
    /// The width in pixels; as in the settings by default.
    #[schema(minimum = 8, maximum = 4096)]
    pub width: Option<i64>,
    /// The height in pixels; as in the settings by default.
    #[schema(minimum = 8, maximum = 4096)]
    pub height: Option<i64>,
    /// The time at which it freezes; no end date by default.
    pub ends_at: Option<DateTime<Utc>>,
    /// The reason for the audit log.
    #[schema(min_length = 1)]
    #[serde(alias = "why")]
    pub reason: String,
}

/// `POST /api/admin/seasons/schedule`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SeasonEndBody {
    /// The time at which the season freezes; null for no end date.
    pub ends_at: Option<DateTime<Utc>>,
    /// The reason for the audit log.
    #[schema(min_length = 1)]
    #[serde(alias = "why")]
    pub reason: String,
}

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
