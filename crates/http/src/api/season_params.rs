//! The season that a request names by its number.

use caraplace_canvas::seasons::{SeasonRecord, query};
use caraplace_companion::app::App;
use caraplace_log::season::ArchivedSeason;
use platform::refusal::codes::Code;

use crate::request::query::QueryParams;
use crate::request::query_param::{OptionalNumberParam, number};
use crate::response::problem::Problem;

/// The season that is shown. Numbers of no season have the same refusal, whatever their range.
pub const SEASON: OptionalNumberParam =
    number("season", 1..=1_000_000, "the number of a season, running or ended; by default the present one");

/// Finds the season with the number in a path.
///
/// # Errors
/// `not_found` if there is no such season.
pub async fn find_by_number(app: &App, number: &str) -> Result<SeasonRecord, Problem> {
    let missing = || Problem::new(Code::NotFound, "There is no season with this number.");
    // Text that is not a number is the number of no season, so it is `not_found`, too.
    let number = number.parse().map_err(|_| missing())?;
    query::find(&app.state, number).await?.ok_or_else(missing)
}

/// Finds the season with the number in the parameter `season`. `None` without the parameter.
///
/// # Errors
/// `invalid_field` if there is no such season.
pub async fn find_requested_season(app: &App, params: &QueryParams) -> Result<Option<SeasonRecord>, Problem> {
    let Some(number) = SEASON.read_unchecked(params)? else { return Ok(None) };
    let missing = || {
        let detail = "There is no season with this number. GET /api/seasons lists all of them.";
        Problem::for_field(Code::InvalidField, SEASON.param.name, detail)
    };
    query::find(&app.state, number).await?.map(Some).ok_or_else(missing)
}

/// Finds the archived season with the number in the parameter `season`. `None` for the present season, and
/// without the parameter.
///
/// # Errors
/// `invalid_field` if there is no such season.
pub async fn find_requested_archive(
    app: &App,
    params: &QueryParams,
) -> Result<Option<ArchivedSeason>, Problem> {
    let Some(season) = find_requested_season(app, params).await? else { return Ok(None) };
    let Some(last) = season.last else { return Ok(None) };
    Ok(Some(app.history.archived_season(last, season.frozen_at).await?))
}
