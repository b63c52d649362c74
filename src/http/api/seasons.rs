//! Seasons, those that are over too.

use actix_web::web::{Data, Path};
use actix_web::{HttpRequest, HttpResponse};
use serde::Serialize;
use utoipa::ToSchema;

use super::history::{self, CanvasFormat};
use crate::app::App;
use crate::history::point_in_time::PointInTime;
use crate::http::HandlerResult;
use crate::http::request::extract::MaybeAuth;
use crate::http::response::codes::Code;
use crate::http::response::problem::Problem;
use crate::seasons::{SeasonRecord, query};

/// All seasons, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct SeasonList {
    pub seasons: Vec<SeasonRecord>,
}

/// One season, and how much was going on.
#[derive(Debug, Serialize, ToSchema)]
pub struct SeasonDetails {
    #[serde(flatten)]
    pub season: SeasonRecord,
    /// Placements.
    pub pixels: i64,
    pub messages: i64,
}

/// All seasons.
pub async fn list(app: Data<App>, _: MaybeAuth) -> HandlerResult {
    Ok(HttpResponse::Ok().json(SeasonList { seasons: query::list(&app.state).await? }))
}

/// One season.
pub async fn season_details(app: Data<App>, number: Path<String>, _: MaybeAuth) -> HandlerResult {
    let season = find_by_number(&app, &number).await?;
    let totals = app.stats.season_totals(&app.state, season.first, last_event(&app, &season)).await?;
    Ok(HttpResponse::Ok().json(SeasonDetails { season, pixels: totals.pixels, messages: totals.messages }))
}

/// Its canvas as it is now, or as it was when the next began.
pub async fn canvas_png(
    request: HttpRequest,
    app: Data<App>,
    number: Path<String>,
    _: MaybeAuth,
) -> HandlerResult {
    let season = find_by_number(&app, &number).await?;
    let point_in_time = match season.last {
        Some(last) => PointInTime::Seq(last),
        None => PointInTime::Time(app.state.clock.now()),
    };
    history::canvas(&request, &app, point_in_time, CanvasFormat::Png).await
}

/// The season that an address names.
///
/// # Errors
/// `not_found`.
pub async fn find_by_number(app: &App, number: &str) -> Result<SeasonRecord, Problem> {
    let missing = || Problem::new(Code::NotFound, "There is no season with this number.");
    // A season whose number is not a number does not exist.
    let number = number.parse().map_err(|_| missing())?;
    query::find(&app.state, number).await?.ok_or_else(missing)
}

/// Its last event so far.
pub fn last_event(app: &App, season: &SeasonRecord) -> i64 {
    season.last.unwrap_or_else(|| app.history.head())
}
