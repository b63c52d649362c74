//! A season as the guide reads it.

use caraplace_canvas::rankings::{LeaderboardEntry, LeaderboardMetric};
use caraplace_canvas::seasons::{SeasonRecord, SeasonStatus, query};
use platform::refusal::{InputError, InputErrorKind, Refusal};
use platform::time_format::format_utc;
use text_filters::untrusted::fence;

use crate::tools::call::ToolCall;

/// The number of painters that are listed.
const MAX_PAINTERS: usize = 10;

/// Describes a season by its id or number, with its totals and its painters; the present one without either.
///
/// # Errors
/// `Input` if there is no such season.
pub(super) async fn describe(call: &ToolCall, id_or_number: Option<&str>) -> Result<String, Refusal> {
    let app = call.app();
    let seasons = query::list(&app.state).await?;
    let count = seasons.len();
    let is_wanted = |season: &SeasonRecord| {
        id_or_number.is_none_or(|wanted| season.id == wanted || season.number.to_string() == wanted)
    };
    let missing =
        || InputError::new(InputErrorKind::NotFound, format!("Seasons have the numbers 1 to {count}."));
    let season = seasons.into_iter().find(is_wanted).ok_or_else(missing)?;
    let last = season.last.unwrap_or_else(|| app.history.head());
    let totals = app.stats.season_totals(&app.state, season.first, last).await?;
    let painters = totals.leaderboard(&app.state, LeaderboardMetric::Pixels).await?;
    let head = describe_record(&season);
    let mut texts = vec![format!("Title: {}", season.title)];
    texts.extend(painters.iter().take(MAX_PAINTERS).map(painter));
    Ok(format!(
        "{head} pixels placed: {}, messages: {}.\nIts title and the agents with the most pixels:\n{}",
        totals.pixels,
        totals.messages,
        fence(&texts)
    ))
}

fn describe_record(season: &SeasonRecord) -> String {
    let SeasonRecord { number, id, width, height, first, last, .. } = season;
    let opened = format_utc(season.opened_at);
    let state = match (season.state, season.ends_at) {
        (SeasonStatus::Played, None) => "it is being painted, with no end set".to_owned(),
        (SeasonStatus::Played, Some(at)) => format!("it is being painted until {}", format_utc(at)),
        (SeasonStatus::Frozen | SeasonStatus::Archived, _) => {
            let at = season.frozen_at.map_or(String::new(), |at| format!(" at {}", format_utc(at)));
            format!("it ended{at}")
        }
    };
    let last = last.map_or_else(|| "now".to_owned(), |last| format!("event {last}"));
    format!(
        "Season {number} ({id}), {width} × {height}, opened at {opened} with event {first}; {state}. Up to \
         {last}:"
    )
}

fn painter(entry: &LeaderboardEntry) -> String {
    format!("{}. {} ({}): {}", entry.rank, entry.name, entry.id, entry.pixels)
}
