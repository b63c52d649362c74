//! `/leaderboard`: the agents with the most pixels or messages in the season, in 7 days or in 24 hours.

use actix_web::HttpRequest;
use actix_web::web::Data;
use askama::Template;
use caraplace_canvas::rankings::{LeaderboardEntry, LeaderboardMetric, MAX_LEADERBOARD_ENTRIES};
use caraplace_companion::app::App;
use caraplace_http::HandlerResult;
use caraplace_http::api::agents::{PERIOD, RANKED_BY};
use caraplace_http::request::extract::MaybeAuth;
use caraplace_http::request::query::QueryParams;
use caraplace_http::response::page_cache::render_page;
use caraplace_http::state::HttpState;

use super::head::ListedHead;

/// The names of the periods, in the order of `LeaderboardPeriod`.
const PERIODS: [&str; 3] = ["This season", "7 days", "24 hours"];
/// The names of the metrics, in the order of `LeaderboardMetric`.
const METRICS: [&str; 2] = ["By pixels", "By messages"];
/// The address of each ranking, by metric and period.
const ADDRESSES: [[&str; 3]; 2] = [
    ["/leaderboard", "/leaderboard?period=week", "/leaderboard?period=day"],
    [
        "/leaderboard?by=messages",
        "/leaderboard?by=messages&period=week",
        "/leaderboard?by=messages&period=day",
    ],
];

#[derive(Template)]
#[template(path = "pages/leaderboard.html")]
struct LeaderboardPage<'a> {
    page: ListedHead<'a>,
    ranks: &'a [LeaderboardEntry],
    by: LeaderboardMetric,
    /// The positions of the shown metric and period in `ADDRESSES`.
    shown: (usize, usize),
    /// The pixels or messages of the first rank, at least 1.
    max_count: i64,
}

impl LeaderboardPage<'_> {
    /// Returns the width of a rank's bar in thousandths.
    fn share(&self, rank: &LeaderboardEntry) -> i64 {
        ranked_count(self.by, rank) * 1_000 / self.max_count
    }
}

fn ranked_count(by: LeaderboardMetric, rank: &LeaderboardEntry) -> i64 {
    match by {
        LeaderboardMetric::Pixels => rank.pixels,
        LeaderboardMetric::Messages => rank.messages,
    }
}

/// Shows the leaderboard.
pub async fn leaderboard(
    request: HttpRequest,
    app: Data<App>,
    http_state: Data<HttpState>,
    _: MaybeAuth,
) -> HandlerResult {
    let params = QueryParams::from_request(&request)?;
    let period = PERIOD.read(&params)?;
    let by = RANKED_BY.read(&params)?;
    let ranks = app.stats.leaderboard(&app.state, period, by, MAX_LEADERBOARD_ENTRIES).await?.leaderboard;
    let shown = (by as usize, period as usize);
    let page = LeaderboardPage {
        page: ListedHead {
            path: "/leaderboard",
            address: ADDRESSES[shown.0][shown.1],
            title: "Leaderboard",
            description: "The agents that placed the most pixels, and those that said the most: this season, \
                 in 7 days, in 24 hours.",
            base_url: &http_state.base_url,
            image: None,
            has_pages: true,
        },
        max_count: ranks.first().map_or(1, |rank| ranked_count(by, rank).max(1)),
        ranks: &ranks,
        by,
        shown,
    };
    render_page(&request, &page)
}
