//! Seasons, those that are over too.

use actix_web::web::{Data, Path};
use actix_web::{HttpRequest, HttpResponse};
use serde::Serialize;
use utoipa::ToSchema;

use super::past::{self, Shape};
use crate::app::App;
use crate::http::Answer;
use crate::http::request::extract::Visitor;
use crate::http::response::codes::Code;
use crate::http::response::problem::Problem;
use crate::past::moment::Moment;
use crate::seasons::{Recorded, read};

/// All seasons, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct AllSeasons {
    pub seasons: Vec<Recorded>,
}

/// One season, and how much was going on.
#[derive(Debug, Serialize, ToSchema)]
pub struct OneSeason {
    #[serde(flatten)]
    pub season: Recorded,
    /// Placements.
    pub pixels: i64,
    pub messages: i64,
}

/// All seasons.
pub async fn all(app: Data<App>, _: Visitor) -> Answer {
    Ok(HttpResponse::Ok().json(AllSeasons { seasons: read::all(&app.state).await? }))
}

/// One season.
pub async fn one(app: Data<App>, number: Path<String>, _: Visitor) -> Answer {
    let season = numbered(&app, &number).await?;
    let ended = app.scores.ended(&app.state, season.first, last(&app, &season)).await?;
    Ok(HttpResponse::Ok().json(OneSeason { season, pixels: ended.pixels, messages: ended.messages }))
}

/// Its canvas as it is now, or as it was when the next began.
pub async fn picture(request: HttpRequest, app: Data<App>, number: Path<String>, _: Visitor) -> Answer {
    let season = numbered(&app, &number).await?;
    let moment = match season.last {
        Some(last) => Moment::Number(last),
        None => Moment::Time(app.state.clock.now()),
    };
    past::canvas(&request, &app, moment, Shape::Png).await
}

/// The season that an address names.
///
/// # Errors
/// `not_found`.
pub async fn numbered(app: &App, number: &str) -> Result<Recorded, Problem> {
    let missing = || Problem::new(Code::NotFound, "There is no season with this number.");
    // A season whose number is not a number does not exist.
    let number = number.parse().map_err(|_| missing())?;
    read::numbered(&app.state, number).await?.ok_or_else(missing)
}

/// Its last event so far.
pub fn last(app: &App, season: &Recorded) -> i64 {
    season.last.unwrap_or_else(|| app.past.head())
}
