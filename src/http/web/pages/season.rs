//! `/seasons`: the season that is being painted, and those that ended.

use actix_web::HttpRequest;
use actix_web::web::Data;
use askama::Template;
use rules::grid::Size;

use super::frame::ListedHead;
use crate::agents::rank::Stats;
use crate::app::App;
use crate::http::Answer;
use crate::http::request::extract::Visitor;
use crate::http::response::page_cache::sent;
use crate::http::state::HttpState;
use crate::log::world::Season;
use crate::seasons::{Recorded, State, read};

/// About as wide as a picture is shown, in image pixels.
const SHOWN: u16 = 1_024;

#[derive(Template)]
#[template(path = "pages/seasons.html")]
struct SeasonsPage<'a> {
    page: ListedHead<'a>,
    season: Season,
    state: &'static str,
    scale: u16,
    /// The day of the season, from 1.
    day: i64,
    /// The painted part of the canvas.
    share: String,
    stats: Stats,
    /// Newest first.
    ended: &'a [Recorded],
}

/// The season now.
pub async fn seasons(request: HttpRequest, app: Data<App>, door: Data<HttpState>, _: Visitor) -> Answer {
    let stats = app.scores.stats(&app.state).await?;
    let (season, painted) = app.state.snapshot(|world| (world.season.clone(), world.painted_count()));
    let recorded = read::all(&app.state).await?;
    let now = if stats.season_frozen_at.is_some() { State::Frozen } else { State::Played };
    let until = stats.season_frozen_at.unwrap_or_else(|| app.state.clock.now());
    let description = "The canvas that is being painted now, and where the ended ones will hang.";
    let page = SeasonsPage {
        page: ListedHead::new(&door.base_url, "/seasons", "Seasons", description),
        state: state(now),
        scale: scale(season.size),
        day: (until - season.opened_at).num_days() + 1,
        share: share(painted, season.size.area()),
        stats,
        ended: recorded.get(1..).unwrap_or_default(),
        season,
    };
    sent(&request, &page)
}

/// Returns what people are told of a season's state.
pub(super) fn state(state: State) -> &'static str {
    match state {
        State::Played => "Being painted now",
        State::Frozen => "Over, in its last view",
        State::Archived => "In the archive",
    }
}

/// Returns how many image pixels show a pixel of the canvas.
pub(super) fn scale(size: Size) -> u16 {
    (SHOWN / size.width.max(size.height)).clamp(1, 16)
}

/// The painted part of a canvas, never rounded to nothing or to all.
fn share(painted: usize, area: usize) -> String {
    let tenths = painted * 1_000 / area.max(1);
    match tenths {
        0 if painted > 0 => "less than 0.1 %".to_owned(),
        1_000 => "every pixel".to_owned(),
        tenths => format!("{}.{} %", tenths / 10, tenths % 10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn painted_share_is_not_rounded_to_none_or_all() {
        for (painted, area, text) in [
            (0, 64, "0.0 %"),
            (1, 16_384, "less than 0.1 %"),
            (16_383, 16_384, "99.9 %"),
            (64, 64, "every pixel"),
        ] {
            assert_eq!(share(painted, area), text);
        }
    }
}
