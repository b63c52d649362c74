//! `/admin`: how the place is doing, what waits, and what was done last.

use std::fmt::Write as _;

use actix_web::web::Data;

use super::agents::acts;
use super::frame::Room;
use super::parts::link;
use super::reports;
use crate::app::App;
use crate::http::Answer;
use crate::http::web::pages::words::count;
use crate::moderation::reports::{alerts, review};
use crate::moderation::{appeals, audit};
use crate::operators::Operator;
use crate::refusal::Refusal;
use crate::telemetry::METRICS;

/// How far what waits is counted.
const COUNTED: i64 = 100;
/// How many acts are shown.
const ACTS: i64 = 10;

/// Live numbers, the queues, and the last acts.
pub async fn overview(app: Data<App>, operator: Operator) -> Answer {
    let acts_done = audit::page(&app.state, None, ACTS, None).await?;
    let mut body = reports::alerts(&alerts::open(&app.state).await?);
    body.push_str(&waiting(&app).await?);
    let _ = write!(body, "<dl class=\"facts\">{}</dl>", numbers(&app).await?);
    let _ = write!(body, "<h2>What was done last</h2>{}", acts(&acts_done.acts));
    Ok(Room { path: "/admin", title: "Overview", body }.show(&operator))
}

async fn waiting(app: &App) -> Result<String, Refusal> {
    let reports = review::page(&app.state, true, None, COUNTED).await?.reports.len();
    let appeals = appeals::page(&app.state, true, COUNTED).await?.appeals.len();
    let told = |number: usize, one: &str, more: &str, path: &str| match number {
        0 => format!("no {more}"),
        1 => link(path, &format!("1 {one}")),
        many if many as i64 == COUNTED => link(path, &format!("{many} {more} or more")),
        many => link(path, &format!("{many} {more}")),
    };
    Ok(format!(
        "<p class=\"lead\">Waiting: {} and {}.</p>",
        told(reports, "report", "reports", "/admin/reports"),
        told(appeals, "appeal", "appeals", "/admin/appeals")
    ))
}

async fn numbers(app: &App) -> Result<String, Refusal> {
    let stats = app.scores.stats(&app.state).await?;
    let state = &app.state;
    let here = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
    let numbers = [
        ("Agents", stats.agents),
        ("Pixels", stats.pixels),
        ("Messages", stats.messages),
        ("Painters in the last hour", stats.painters_last_hour),
        ("Newest event", stats.head),
        ("Watching through this instance", here(state.hub.spectators())),
        ("Writes that wait here", here(state.log.queued())),
        ("Requests in flight here", METRICS.answers.in_flight.get()),
        ("Wrong passwords since this instance began", METRICS.office.wrong.get() as i64),
    ];
    Ok(numbers.iter().map(|(name, number)| format!("<dt>{name}</dt><dd>{}</dd>", count(*number))).collect())
}
