//! `/admin`: live numbers, open queues and the latest actions.

use actix_web::web::Data;
use askama::Template;
use caraplace_accounts::registration::approval;
use caraplace_companion::app::App;
use caraplace_companion::drafts::list;
use caraplace_companion::guide::budget;
use caraplace_http::HandlerResult;
use caraplace_http::request::auth_operator::AuthOperator;
use caraplace_moderation::audit_filter::AuditFilter;
use caraplace_moderation::reports::alerts::{self, ReportAlert};
use caraplace_moderation::reports::case::CaseFilter;
use caraplace_moderation::reports::review;
use caraplace_moderation::{AuditLine, appeals, audit};
use platform::refusal::Refusal;
use platform::telemetry::METRICS;

use super::layout::{ConsolePage, render_page};

/// The largest number of entries of a queue that are counted.
const MAX_COUNTED: usize = 100;
/// The number of actions on the page.
const MAX_LISTED_ACTS: i64 = 10;

#[derive(Template)]
#[template(path = "console/overview.html")]
struct OverviewTemplate<'a> {
    page: ConsolePage<'a>,
    alerts: Vec<ReportAlert>,
    /// The numbers of open reports, appeals and drafts, at most [`MAX_COUNTED`] each.
    reports: usize,
    appeals: usize,
    drafts: usize,
    /// The number of agents that wait for an approval.
    waiting: i64,
    numbers: Vec<(&'static str, i64)>,
    lines: Vec<AuditLine>,
}

/// Shows live numbers, open queues and the latest actions.
pub async fn overview(app: Data<App>, AuthOperator(operator): AuthOperator) -> HandlerResult {
    let open_cases = CaseFilter::all(true);
    render_page(&OverviewTemplate {
        page: ConsolePage { path: "/admin", title: "Overview", operator: &operator },
        alerts: alerts::list_open(&app.state).await?,
        reports: review::page(&app.state, &open_cases, None, MAX_COUNTED as i64).await?.reports.len(),
        appeals: appeals::page(&app.state, true, MAX_COUNTED as i64).await?.appeals.len(),
        drafts: usize::try_from(list::count_queue(&app.state).await?).unwrap_or(MAX_COUNTED).min(MAX_COUNTED),
        waiting: approval::count_waiting(&app.state).await?,
        numbers: numbers(&app).await?,
        lines: audit::page(&app.state, &AuditFilter::default(), None, MAX_LISTED_ACTS).await?.acts,
    })
}

async fn numbers(app: &App) -> Result<Vec<(&'static str, i64)>, Refusal> {
    let stats = app.stats.stats(&app.state).await?;
    let state = &app.state;
    let to_i64 = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
    let mut numbers = vec![
        ("Agents", stats.agents),
        ("Pixels", stats.pixels),
        ("Messages", stats.messages),
        ("Painters in the last hour", stats.painters_last_hour),
        ("Newest event", stats.head.0),
        ("Spectators on this instance", to_i64(state.hub.spectators())),
        ("Queued writes on this instance", to_i64(state.log.queue_len())),
        ("Requests in progress on this instance", METRICS.requests.in_flight.get()),
        ("Wrong passwords since this instance started", METRICS.sign_in.wrong.get() as i64),
    ];
    if app.guide.is_some() {
        let spending = budget::find_spending(state).await?;
        numbers.extend([
            ("Questions that the guide has worked on today", spending.turns as i64),
            ("Tokens that the guide has taken today", spending.tokens as i64),
            ("Cents that the guide has cost today", spending.cents() as i64),
        ]);
    }
    Ok(numbers)
}
