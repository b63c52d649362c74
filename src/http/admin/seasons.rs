//! `/api/admin/seasons`: opening, freezing and scheduling.

use actix_web::HttpResponse;
use actix_web::web::Data;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::order::WhyOrder;
use crate::app::App;
use crate::http::Answer;
use crate::http::request::auth_operator::Order;
use crate::http::response::private::private_json;
use crate::moderation::Cause;
use crate::seasons::open::SeasonRequest;
use crate::seasons::{self, Recorded, freeze, open, schedule};

/// `POST /api/admin/seasons`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewSeason {
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
pub struct End {
    /// When the season is to end; null for no appointed end.
    pub ends_at: Option<DateTime<Utc>>,
    /// For the audit log.
    #[schema(min_length = 1)]
    pub why: String,
}

/// All seasons, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct Seasons {
    pub seasons: Vec<Recorded>,
}

/// All seasons.
pub async fn list(app: Data<App>) -> Answer {
    let seasons = seasons::read::all(&app.state).await?;
    Ok(private_json(Seasons { seasons }))
}

/// Opens the next season.
pub async fn new(app: Data<App>, order: Order<NewSeason>) -> Answer {
    let NewSeason { after, title, width, height, ends_at, why } = order.form;
    let cause = Cause::new(&order.operator.name, &why)?;
    let request = SeasonRequest { after, title, width, height, ends_at };
    Ok(HttpResponse::Created().json(open::open_next(&app.state, &cause, request).await?))
}

/// Freezes the season now.
pub async fn freeze(app: Data<App>, order: Order<WhyOrder>) -> Answer {
    let cause = Cause::new(&order.operator.name, &order.form.why)?;
    Ok(HttpResponse::Ok().json(freeze::freeze(&app.state, &cause).await?))
}

/// Lets it go on.
pub async fn unfreeze(app: Data<App>, order: Order<WhyOrder>) -> Answer {
    let cause = Cause::new(&order.operator.name, &order.form.why)?;
    Ok(HttpResponse::Ok().json(freeze::unfreeze(&app.state, &cause).await?))
}

/// Appoints its end.
pub async fn schedule(app: Data<App>, order: Order<End>) -> Answer {
    let cause = Cause::new(&order.operator.name, &order.form.why)?;
    Ok(HttpResponse::Ok().json(schedule::reschedule(&app.state, &cause, order.form.ends_at).await?))
}
