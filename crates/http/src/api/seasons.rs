//! `/api/seasons`: running and ended seasons.

use actix_web::web::{Data, Path};
use actix_web::{HttpRequest, HttpResponse};
use caraplace_canvas::history::point_in_time::PointInTime;
use caraplace_canvas::rankings::shadow_counts;
use caraplace_canvas::seasons::{SeasonRecord, query};
use caraplace_companion::app::App;
use rules::numbers::Seq;
use serde::Serialize;
use utoipa::ToSchema;

use super::canvas_params::SCALE;
use super::history::{self, CanvasFormat};
use super::season_params::find_by_number;
use crate::HandlerResult;
use crate::request::extract::MaybeAuth;
use crate::route::endpoint::Param;
use crate::route::params::path;

/// The parameters of the canvas of a season.
pub const CANVAS_PARAMS: &[Param] = &[path("n", "its number, from 1"), SCALE.param];

/// All seasons, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct SeasonList {
    pub seasons: Vec<SeasonRecord>,
}

/// A season with its totals.
#[derive(Debug, Serialize, ToSchema)]
pub struct SeasonDetails {
    #[serde(flatten)]
    pub season: SeasonRecord,
    /// The number of placements.
    pub pixels: i64,
    pub messages: i64,
}

/// Lists all seasons.
pub async fn list(app: Data<App>, _: MaybeAuth) -> HandlerResult {
    Ok(HttpResponse::Ok().json(SeasonList { seasons: query::list(&app.state).await? }))
}

/// Returns a season with its totals.
pub async fn season_details(app: Data<App>, number: Path<String>, caller: MaybeAuth) -> HandlerResult {
    let season = find_by_number(&app, &number).await?;
    let last = last_event(&app, &season);
    let totals = app.stats.season_totals(&app.state, season.first, last).await?;
    let own =
        shadow_counts::count_own_messages(&app.state, caller.0.as_deref(), season.first, season.last).await?;
    let pixels = totals.pixels;
    let messages = totals.messages + own;
    Ok(HttpResponse::Ok().json(SeasonDetails { season, pixels, messages }))
}

/// Returns the canvas of a season as a PNG: its final state, or its current state while it runs.
pub async fn canvas_png(
    request: HttpRequest,
    app: Data<App>,
    number: Path<String>,
    caller: MaybeAuth,
) -> HandlerResult {
    let season = find_by_number(&app, &number).await?;
    let point_in_time = match season.last {
        Some(last) => PointInTime::Seq(last),
        None => PointInTime::Time(app.state.clock.now()),
    };
    history::canvas(&request, &app, &caller, point_in_time, CanvasFormat::Png).await
}

/// Returns the number of a season's last event so far.
pub fn last_event(app: &App, season: &SeasonRecord) -> Seq {
    season.last.unwrap_or_else(|| app.history.head())
}
