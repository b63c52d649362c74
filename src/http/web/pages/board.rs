//! `/leaderboard`: who painted most, over the season, a week or a day.

use actix_web::HttpRequest;
use actix_web::web::Data;
use askama::Template;

use super::frame::ListedHead;
use crate::agents::LONGEST;
use crate::agents::Rank;
use crate::app::App;
use crate::http::Answer;
use crate::http::api::agents::period;
use crate::http::request::extract::Visitor;
use crate::http::request::query::Params;
use crate::http::response::page_cache::sent;
use crate::http::state::HttpState;

/// Address and name of each ranking, in the order of `Period`.
const PERIODS: [(&str, &str); 3] = [
    ("/leaderboard", "This season"),
    ("/leaderboard?period=week", "Seven days"),
    ("/leaderboard?period=day", "A day"),
];

#[derive(Template)]
#[template(path = "pages/leaderboard.html")]
struct LeaderboardPage<'a> {
    page: ListedHead<'a>,
    ranks: &'a [Rank],
    /// The pixels of the first rank, at least 1.
    most: i64,
}

/// The ranking as a table.
pub async fn leaderboard(request: HttpRequest, app: Data<App>, door: Data<HttpState>, _: Visitor) -> Answer {
    let period = period(&Params::of(&request)?)?;
    let ranks = app.scores.leaderboard(&app.state, period, LONGEST).await?.leaderboard;
    let page = LeaderboardPage {
        page: ListedHead {
            path: "/leaderboard",
            address: PERIODS[period as usize].0,
            title: "Leaderboard",
            description: "Which machines painted most: this season, these seven days, today.",
            base_url: &door.base_url,
        },
        most: ranks.first().map_or(1, |rank| rank.pixels.max(1)),
        ranks: &ranks,
    };
    sent(&request, &page)
}
