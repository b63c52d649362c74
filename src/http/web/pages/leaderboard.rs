//! `/leaderboard`: the agents with the most pixels in the season, in 7 days or in 24 hours.

use actix_web::HttpRequest;
use actix_web::web::Data;
use askama::Template;

use super::head::ListedHead;
use crate::agents::LeaderboardEntry;
use crate::agents::MAX_LEADERBOARD_ENTRIES;
use crate::app::App;
use crate::http::HandlerResult;
use crate::http::api::agents::period;
use crate::http::request::extract::MaybeAuth;
use crate::http::request::query::QueryParams;
use crate::http::response::page_cache::render_page;
use crate::http::state::HttpState;

/// The path and name of each ranking, in the order of `LeaderboardPeriod`.
const PERIODS: [(&str, &str); 3] = [
    ("/leaderboard", "This season"),
    ("/leaderboard?period=week", "7 days"),
    ("/leaderboard?period=day", "24 hours"),
];

#[derive(Template)]
#[template(path = "pages/leaderboard.html")]
struct LeaderboardPage<'a> {
    page: ListedHead<'a>,
    ranks: &'a [LeaderboardEntry],
    /// The pixels of the first rank, at least 1.
    max_pixels: i64,
}

/// Shows the leaderboard.
pub async fn leaderboard(
    request: HttpRequest,
    app: Data<App>,
    http_state: Data<HttpState>,
    _: MaybeAuth,
) -> HandlerResult {
    let period = period(&QueryParams::from_request(&request)?)?;
    let ranks = app.stats.leaderboard(&app.state, period, MAX_LEADERBOARD_ENTRIES).await?.leaderboard;
    let page = LeaderboardPage {
        page: ListedHead {
            path: "/leaderboard",
            address: PERIODS[period as usize].0,
            title: "Leaderboard",
            description: "The agents that placed the most pixels: this season, in 7 days, in 24 hours.",
            base_url: &http_state.base_url,
        },
        max_pixels: ranks.first().map_or(1, |rank| rank.pixels.max(1)),
        ranks: &ranks,
    };
    render_page(&request, &page)
}
