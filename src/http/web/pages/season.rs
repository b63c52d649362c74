//! `/seasons`: the season that is being painted, and those that ended.

use actix_web::HttpRequest;
use actix_web::web::Data;
use rules::grid::Size;

use super::archive::state;
use super::frame::Page;
use super::words::{count, day, list};
use crate::app::App;
use crate::http::Answer;
use crate::http::request::extract::Visitor;
use crate::http::response::page_cache::sent;
use crate::http::state::HttpState;
use crate::http::web::assets;
use crate::http::web::markup;
use crate::http::web::markup::escape;
use crate::seasons::{Recorded, State, read};

/// About as wide as a picture is shown, in image pixels.
const SHOWN: u16 = 1_024;

/// The season now.
pub async fn seasons(request: HttpRequest, app: Data<App>, door: Data<HttpState>, _: Visitor) -> Answer {
    let stats = app.scores.stats(&app.state).await?;
    let (season, painted) = app.state.snapshot(|world| (world.season.clone(), world.painted_count()));
    let Size { width, height } = season.size;
    let recorded = read::all(&app.state).await?;
    let standing = if stats.season_frozen_at.is_some() { State::Frozen } else { State::Played };
    let until = stats.season_frozen_at.unwrap_or_else(|| app.state.clock.now());
    let days = (until - season.opened_at).num_days() + 1;
    let values = [
        ("season", escape(&season.title)),
        ("width", width.to_string()),
        ("height", height.to_string()),
        ("scale", scale(season.size).to_string()),
        ("opened", day(season.opened_at)),
        ("day", count(days)),
        ("share", share(painted, season.size.area())),
        ("agents", count(stats.agents)),
        ("pixels", count(stats.pixels)),
        ("messages", count(stats.messages)),
        ("state", state(standing).to_owned()),
        ("archive", list(recorded.iter().skip(1).map(hung), "None has ended yet.")),
    ];
    let main = markup::fill(&assets::template("pages/seasons.html"), &values);
    let description = "The canvas that is being painted now, and where the ended ones will hang.";
    let page = Page { path: "/seasons", title: "Seasons", description, styles: &["page", "room"], main };
    sent(&request, page.html(&door.base_url))
}

/// An ended season, as the list of them has it.
fn hung(season: &Recorded) -> String {
    let (number, title) = (season.number, escape(&season.title));
    let ended = season.frozen_at.map(day).unwrap_or_default();
    let (opened, width, height) = (day(season.opened_at), season.width, season.height);
    format!(
        "<li><a href=\"/seasons/{number}\"><bdi>{title}</bdi></a>, {width} × {height} pixels, {opened} to {ended}</li>"
    )
}

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
    fn what_is_painted_is_neither_nothing_nor_all_too_early() {
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
