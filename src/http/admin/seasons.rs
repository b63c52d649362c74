//! `/api/admin/seasons`: opening, freezing and scheduling.

use actix_web::HttpResponse;
use actix_web::web::Data;
use chrono::{DateTime, Utc};
use rules::grid::Size;
use rules::rights::FOR_EVER;
use rules::season::Title;
use serde::{Deserialize, Serialize};
use text_filters::text_limits::MAX_TITLE_GRAPHEMES;
use utoipa::ToSchema;

use super::NEVER_STORED;
use super::order::{WhyOrder, cause};
use crate::app::App;
use crate::http::Answer;
use crate::http::request::auth_operator::Order;
use crate::http::response::codes::Code;
use crate::http::response::problem::Problem;
use crate::seasons::open::Wanted;
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
    Ok(HttpResponse::Ok().insert_header(NEVER_STORED).json(Seasons { seasons }))
}

/// Opens the next season.
pub async fn new(app: Data<App>, order: Order<NewSeason>) -> Answer {
    let NewSeason { after, title, width, height, ends_at, why } = &order.form;
    let wanted = Wanted {
        after: *after,
        title: title.as_deref().map(parse_title).transpose()?,
        size: size(&app, *width, *height)?,
        ends_at: ends_at.map(|end| later(&app, end)).transpose()?,
    };
    let cause = cause(&order.operator, why)?;
    let opened = open::open(&app.state, &cause, wanted).await?;
    let not_newest =
        || Problem::field(Code::InvalidField, "after", "after is not the number of the newest season.");
    Ok(HttpResponse::Created().json(opened.ok_or_else(not_newest)?))
}

/// Freezes the season now.
pub async fn freeze(app: Data<App>, order: Order<WhyOrder>) -> Answer {
    let cause = cause(&order.operator, &order.form.why)?;
    Ok(HttpResponse::Ok().json(freeze::freeze(&app.state, &cause).await?))
}

/// Lets it go on.
pub async fn unfreeze(app: Data<App>, order: Order<WhyOrder>) -> Answer {
    let cause = cause(&order.operator, &order.form.why)?;
    Ok(HttpResponse::Ok().json(freeze::unfreeze(&app.state, &cause).await?))
}

/// Appoints its end.
pub async fn schedule(app: Data<App>, order: Order<End>) -> Answer {
    let ends_at = order.form.ends_at.map(|end| later(&app, end)).transpose()?;
    let cause = cause(&order.operator, &order.form.why)?;
    Ok(HttpResponse::Ok().json(schedule::appoint(&app.state, &cause, ends_at).await?))
}

/// A title that fits on a label.
///
/// # Errors
/// `invalid_field`.
pub fn parse_title(text: &str) -> Result<Title, Problem> {
    let detail = || format!("A title is one line of 1 to {MAX_TITLE_GRAPHEMES} characters.");
    Title::parse(text).ok_or_else(|| Problem::field(Code::InvalidField, "title", detail()))
}

/// The size that is wanted, where any is.
///
/// # Errors
/// `invalid_field`.
pub fn size(app: &App, width: Option<i64>, height: Option<i64>) -> Result<Option<Size>, Problem> {
    let usual = app.state.next_size;
    let side = |name: &str, asked: Option<i64>, usual: u16| {
        let side = asked.map_or(Some(usual), Size::side);
        side.ok_or_else(|| {
            Problem::field(Code::InvalidField, name, format!("{name} must be from 8 to 4096."))
        })
    };
    Ok(Some(Size {
        width: side("width", width, usual.width)?,
        height: side("height", height, usual.height)?,
    }))
}

/// An end that lies ahead.
///
/// # Errors
/// `invalid_field`.
pub fn later(app: &App, end: DateTime<Utc>) -> Result<DateTime<Utc>, Problem> {
    let ahead = end > app.state.clock.now() && end < FOR_EVER;
    let detail = "ends_at must lie ahead, and before the year 9999.";
    ahead.then_some(end).ok_or_else(|| Problem::field(Code::InvalidField, "ends_at", detail))
}
