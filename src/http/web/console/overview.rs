//! `/admin`: how the place is doing, what waits, and what was done last.

use actix_web::web::Data;
use askama::Template;

use super::layout::{ConsolePage, render_page};
use crate::app::App;
use crate::http::HandlerResult;
use crate::moderation::audit::AuditLine;
use crate::moderation::reports::alerts::{self, ReportAlert};
use crate::moderation::reports::review;
use crate::moderation::{appeals, audit};
use crate::operators::Operator;
use crate::refusal::Refusal;
use crate::telemetry::METRICS;

/// The most entries of a queue that are counted.
const MAX_COUNTED: usize = 100;
/// How many acts are shown.
const MAX_LISTED_ACTS: i64 = 10;

#[derive(Template)]
#[template(path = "console/overview.html")]
struct OverviewTemplate<'a> {
    page: ConsolePage<'a>,
    alerts: Vec<ReportAlert>,
    /// How many reports and how many appeals wait, at most [`MAX_COUNTED`].
    reports: usize,
    appeals: usize,
    numbers: [(&'static str, i64); 9],
    lines: Vec<AuditLine>,
}

/// `AdjustableValues` numbers, the queues, and the last acts.
pub async fn overview(app: Data<App>, operator: Operator) -> HandlerResult {
    render_page(&OverviewTemplate {
        page: ConsolePage { path: "/admin", title: "Overview", operator: &operator },
        alerts: alerts::list_open(&app.state).await?,
        reports: review::page(&app.state, true, None, MAX_COUNTED as i64).await?.reports.len(),
        appeals: appeals::page(&app.state, true, MAX_COUNTED as i64).await?.appeals.len(),
        numbers: numbers(&app).await?,
        lines: audit::page(&app.state, None, MAX_LISTED_ACTS, None).await?.acts,
    })
}

async fn numbers(app: &App) -> Result<[(&'static str, i64); 9], Refusal> {
    let stats = app.stats.stats(&app.state).await?;
    let state = &app.state;
    let to_i64 = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
    Ok([
        ("Agents", stats.agents),
        ("Pixels", stats.pixels),
        ("Messages", stats.messages),
        ("Painters in the last hour", stats.painters_last_hour),
        ("Newest event", stats.head),
        ("Watching through this instance", to_i64(state.hub.spectators())),
        ("Writes that wait here", to_i64(state.log.queue_len())),
        ("Requests in flight here", METRICS.requests.in_flight.get()),
        ("Wrong passwords since this instance began", METRICS.sign_in.wrong.get() as i64),
    ])
}
