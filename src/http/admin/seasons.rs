//! `/api/admin/seasons`: opening, freezing and scheduling.

use actix_web::HttpResponse;
use actix_web::web::Data;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::reason_body::ReasonBody;
use crate::app::App;
use crate::http::HandlerResult;
use crate::http::request::auth_operator::AdminBody;
use crate::http::response::no_store::no_store_json;
use crate::moderation::AuditReason;
use crate::seasons::open::SeasonRequest;
use crate::seasons::{self, SeasonRecord, freeze, open, schedule};

/// `POST /api/admin/seasons`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct OpenSeasonBody {
    /// The number of the season that it follows, which is then kept as it is: sent twice, this opens one season.
    #[schema(minimum = 1)]
    pub after: i64,
    /// Season and its number by default.
    #[schema(min_length = 1)]
    pub title: Option<String>,
    /// As the settings have it by default.
    #[schema(minimum = 8, maximum = 4096)]
    pub width: Option<i64>,
    #[schema(minimum = 8, maximum = 4096)]
    pub height: Option<i64>,
    /// When it is to end; by default nobody knows yet.
    pub ends_at: Option<DateTime<Utc>>,
    /// For the audit log.
    #[schema(min_length = 1)]
    pub why: String,
}

/// `POST /api/admin/seasons/schedule`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SeasonEndBody {
    /// When the season is to end; null for no appointed end.
    pub ends_at: Option<DateTime<Utc>>,
    /// For the audit log.
    #[schema(min_length = 1)]
    pub why: String,
}

/// All seasons, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct AdminSeasonList {
    pub seasons: Vec<SeasonRecord>,
}

/// All seasons.
pub async fn list(app: Data<App>) -> HandlerResult {
    let seasons = seasons::query::list(&app.state).await?;
    Ok(no_store_json(AdminSeasonList { seasons }))
}

/// Opens the next season.
pub async fn open(app: Data<App>, body: AdminBody<OpenSeasonBody>) -> HandlerResult {
    let OpenSeasonBody { after, title, width, height, ends_at, why } = body.fields;
    let audit_reason = AuditReason::new(&body.operator.name, &why)?;
    let request = SeasonRequest { after, title, width, height, ends_at };
    Ok(HttpResponse::Created().json(open::open_next(&app.state, &audit_reason, request).await?))
}

/// Freezes the season now.
pub async fn freeze(app: Data<App>, body: AdminBody<ReasonBody>) -> HandlerResult {
    let audit_reason = AuditReason::new(&body.operator.name, &body.fields.why)?;
    Ok(HttpResponse::Ok().json(freeze::freeze(&app.state, &audit_reason).await?))
}

/// Lets it go on.
pub async fn unfreeze(app: Data<App>, body: AdminBody<ReasonBody>) -> HandlerResult {
    let audit_reason = AuditReason::new(&body.operator.name, &body.fields.why)?;
    Ok(HttpResponse::Ok().json(freeze::unfreeze(&app.state, &audit_reason).await?))
}

/// Appoints its end.
pub async fn schedule(app: Data<App>, body: AdminBody<SeasonEndBody>) -> HandlerResult {
    let audit_reason = AuditReason::new(&body.operator.name, &body.fields.why)?;
    Ok(HttpResponse::Ok().json(schedule::reschedule(&app.state, &audit_reason, body.fields.ends_at).await?))
}
