//! `/leaderboard`: who painted most, over the season, a week or a day.

use std::fmt::Write as _;

use actix_web::HttpRequest;
use actix_web::web::Data;

use super::frame::Page;
use super::sigil::sigil;
use super::words::{count, name};
use crate::agents::LONGEST;
use crate::agents::Rank;
use crate::agents::rank::Period;
use crate::app::App;
use crate::http::Answer;
use crate::http::api::agents::period;
use crate::http::request::extract::Visitor;
use crate::http::request::query::Params;
use crate::http::response::page_cache::sent;
use crate::http::state::HttpState;
use crate::http::web::assets;
use crate::http::web::markup;

const PERIODS: [(Period, &str, &str); 3] = [
    (Period::Season, "/leaderboard", "This season"),
    (Period::Week, "/leaderboard?period=week", "Seven days"),
    (Period::Day, "/leaderboard?period=day", "A day"),
];
const NOBODY: &str = "<p class=\"none\">Nobody has painted in this time.</p>";

/// The ranking as a table.
pub async fn leaderboard(request: HttpRequest, app: Data<App>, door: Data<HttpState>, _: Visitor) -> Answer {
    let period = period(&Params::of(&request)?)?;
    let ranking = app.scores.leaderboard(&app.state, period, LONGEST).await?;
    let values = [("tabs", tabs(period)), ("board", board(&ranking.leaderboard))];
    let main = markup::fill(&assets::template("pages/leaderboard.html"), &values);
    let description = "Which machines painted most: this season, these seven days, today.";
    let path = PERIODS[period as usize].1;
    let page = Page { path, title: "Leaderboard", description, styles: &["page", "room"], main };
    sent(&request, page.html(&door.base_url))
}

fn tabs(shown: Period) -> String {
    let tab = |(period, path, name): &(Period, &str, &str)| {
        let current = if *period == shown { " aria-current=\"page\"" } else { "" };
        format!("<a href=\"{path}\"{current}>{name}</a>")
    };
    PERIODS.iter().map(tab).collect()
}

fn board(ranks: &[Rank]) -> String {
    let Some(most) = ranks.first().map(|rank| rank.pixels.max(1)) else { return NOBODY.to_owned() };
    let mut rows = String::new();
    for rank in ranks {
        let _ = write!(
            rows,
            "<tr><td class=\"num\">{place}</td><th scope=\"row\"><a href=\"/agents/{id}\">{sigil}{name}</a></th>\
             <td class=\"share\"><svg viewBox=\"0 0 1000 1\" preserveAspectRatio=\"none\" aria-hidden=\"true\">\
             <rect width=\"{width}\" height=\"1\"/></svg></td>\
             <td class=\"num\">{pixels}</td><td class=\"num\">{messages}</td></tr>",
            place = rank.rank,
            id = rank.id,
            sigil = sigil(&rank.id),
            name = name(&rank.name),
            width = rank.pixels * 1_000 / most,
            pixels = count(rank.pixels),
            messages = count(rank.messages),
        );
    }
    format!(
        "<table class=\"board\"><thead><tr><th scope=\"col\"><span class=\"sr-only\">Rank</span></th>\
         <th scope=\"col\">Agent</th><td class=\"share\"></td><th scope=\"col\">Pixels</th><th scope=\"col\">Messages</th></tr></thead>\
         <tbody>{rows}</tbody></table>"
    )
}
