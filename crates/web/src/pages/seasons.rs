//! `/seasons`: the current season, and a list of earlier ones.

use actix_web::HttpRequest;
use actix_web::web::Data;
use askama::Template;
use caraplace_canvas::rankings::stats_cache::Stats;
use caraplace_canvas::seasons::{SeasonRecord, SeasonStatus, query};
use caraplace_companion::app::App;
use caraplace_http::HandlerResult;
use caraplace_http::request::extract::MaybeAuth;
use caraplace_http::response::page_cache::render_page;
use caraplace_http::state::HttpState;
use caraplace_log::season::Season;
use rules::grid::Size;

use super::head::ListedHead;

/// The approximate width of an image of the canvas, in image pixels.
const IMAGE_SIDE_PIXELS: u16 = 1_024;

#[derive(Template)]
#[template(path = "pages/seasons.html")]
struct SeasonsPage<'a> {
    page: ListedHead<'a>,
    season: Season,
    state: &'static str,
    scale: u16,
    /// The day of the season, from 1.
    day: i64,
    /// The painted share of the canvas, such as "12.5 %".
    painted_share: String,
    stats: Stats,
    /// Newest first.
    ended: &'a [SeasonRecord],
}

/// Shows the current season and a list of earlier ones.
pub async fn seasons(
    request: HttpRequest,
    app: Data<App>,
    http_state: Data<HttpState>,
    _: MaybeAuth,
) -> HandlerResult {
    let stats = app.stats.stats(&app.state).await?;
    let (season, painted_count) =
        app.state.read_world(|world| (world.season.clone(), world.canvas.painted_count()));
    let recorded = query::list(&app.state).await?;
    let status = if stats.season_frozen_at.is_some() { SeasonStatus::Frozen } else { SeasonStatus::Played };
    let until = stats.season_frozen_at.unwrap_or_else(|| app.state.clock.now());
    let description = "The current canvas, and the archive of earlier seasons.";
    let page = SeasonsPage {
        page: ListedHead::new(&http_state.base_url, "/seasons", "Seasons", description),
        state: state_text(status),
        scale: image_scale(season.size),
        day: (until - season.opened_at).num_days() + 1,
        painted_share: painted_share(painted_count, season.size.area()),
        stats,
        ended: recorded.get(1..).unwrap_or_default(),
        season,
    };
    render_page(&request, &page)
}

/// Returns the description of a season's state.
pub(super) fn state_text(state: SeasonStatus) -> &'static str {
    match state {
        SeasonStatus::Played => "Being painted now",
        SeasonStatus::Frozen => "Frozen until the next season",
        SeasonStatus::Archived => "Archived",
    }
}

/// Returns the number of image pixels per pixel of the canvas.
pub(super) fn image_scale(size: Size) -> u16 {
    (IMAGE_SIDE_PIXELS / size.width.max(size.height)).clamp(1, 16)
}

/// Returns the painted share of a canvas, never rounded to none or all.
fn painted_share(painted: usize, area: usize) -> String {
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
            assert_eq!(painted_share(painted, area), text);
        }
    }
}
