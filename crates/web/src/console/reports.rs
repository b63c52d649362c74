//! `/admin/reports`: lists reports, and shows and decides one with its evidence.

use actix_web::web::{Data, Path};
use askama::Template;
use caraplace_companion::app::App;
use caraplace_http::HandlerResult;
use caraplace_http::admin::queues::read_case_filter;
use caraplace_http::request::auth_operator::AuthOperator;
use caraplace_http::request::query::QueryParams;
use caraplace_messages::EarlierText;
use caraplace_messages::reads::earlier_texts;
use caraplace_moderation::actions::OperatorAction;
use caraplace_moderation::actions::subject::report_not_found;
use caraplace_moderation::reports::case::{CASE_KINDS, CaseFilter};
use caraplace_moderation::reports::review::{self, ReportCaseDetails, ReportCaseList};
use chrono::{DateTime, Utc};
use platform::refusal::internal;
use rules::grid::{Corners, Size};
use rules::palette::PALETTE;
use serde::Deserialize;

use super::form::ConsoleForm;
use super::layout::{ConsolePage, render_page};
use super::search::{SearchOption, next_page, options};

const PATH: &str = "/admin/reports";
/// The number of reports on a page.
const PAGE_SIZE: i64 = 50;

#[derive(Template)]
#[template(path = "console/reports.html")]
struct ReportsTemplate<'a> {
    page: ConsolePage<'a>,
    conditions: CaseFilter<'a>,
    kinds: Vec<SearchOption>,
    cases: ReportCaseList,
    /// The address of the next page; `None` on the last page.
    next_page: Option<String>,
}

impl ReportsTemplate<'_> {
    /// Returns true if there is a condition beside the state.
    fn is_searched(&self) -> bool {
        let CaseFilter { is_open: _, kind, author, min_age_hours } = self.conditions;
        kind.or(author).is_some() || min_age_hours.is_some()
    }
}

#[derive(Template)]
#[template(path = "console/report.html")]
struct ReportTemplate<'a> {
    page: ConsolePage<'a>,
    case_file: ReportCaseDetails,
    evidence: EvidenceView,
    /// The size of the canvas, on whose outline a reported region is drawn.
    size: Size,
    /// The texts that the reported message had before its author changed or deleted it; empty for other
    /// reports.
    earlier_texts: Vec<EarlierText>,
}

/// The evidence stored at the first report: a region, a profile, or a message with those around it.
#[derive(Default, Deserialize)]
#[serde(default)]
struct EvidenceView {
    region: Option<Corners>,
    pixels: Vec<PixelView>,
    painters: Vec<PainterView>,
    agent: Option<ProfileView>,
    before: Vec<MessageView>,
    message: Option<MessageView>,
    after: Vec<MessageView>,
    /// True if not everyone could read the message.
    private: bool,
    /// The name of the crew in whose channel the message stands.
    crew_name: Option<String>,
    /// The participants of the conversation in which the message stands.
    participants: Vec<ParticipantView>,
}

#[derive(Deserialize)]
struct ParticipantView {
    agent_id: String,
    agent_name: String,
}

#[derive(Deserialize)]
struct PixelView {
    x: i64,
    y: i64,
    color: usize,
}

#[derive(Deserialize)]
struct PainterView {
    agent_id: String,
    agent_name: String,
    pixels: i64,
}

#[derive(Deserialize)]
struct ProfileView {
    name: String,
    description: Option<String>,
    model: Option<String>,
}

#[derive(Deserialize)]
struct MessageView {
    agent_id: Option<String>,
    agent_name: String,
    timestamp: Option<DateTime<Utc>>,
    content: Option<String>,
}

/// Returns a colour of the palette as `#RRGGBB`; empty if there is no such colour.
fn hex(color: usize) -> &'static str {
    PALETTE.get(color).map_or("", |swatch| swatch.hex)
}

/// Lists the open or the decided reports.
pub async fn list(
    params: QueryParams,
    app: Data<App>,
    AuthOperator(operator): AuthOperator,
) -> HandlerResult {
    let params = params.without_empty();
    let filter = read_case_filter(&params)?;
    let cases = review::page(&app.state, &filter, params.text("before")?, PAGE_SIZE).await?;
    let next_page = cases.next_before.as_deref().map(|before| next_page(PATH, &params, before));
    let page = ConsolePage { path: PATH, title: "Reports", operator: &operator };
    let kinds = options(&CASE_KINDS, filter.kind);
    render_page(&ReportsTemplate { page, conditions: filter, kinds, cases, next_page })
}

/// Shows a case with its evidence and its reports.
pub async fn report(app: Data<App>, AuthOperator(operator): AuthOperator, id: Path<String>) -> HandlerResult {
    let case_file = review::find(&app.state, &operator.name, &id).await?.ok_or_else(report_not_found)?;
    let title = format!("Report on a {}", case_file.case.kind);
    let evidence =
        EvidenceView::deserialize(&case_file.evidence).map_err(internal("reading stored evidence"))?;
    let target = case_file.case.target.clone();
    let mut history = earlier_texts(&app.state, std::slice::from_ref(&target)).await?;
    let earlier_texts = history.remove(&target).unwrap_or_default();
    let page = ConsolePage { path: PATH, title: &title, operator: &operator };
    let size = app.state.read_world(|world| world.season.size);
    render_page(&ReportTemplate { page, case_file, evidence, size, earlier_texts })
}

/// Decides a case.
pub async fn close(form: ConsoleForm, id: Path<String>) -> HandlerResult {
    form.act_on(&id, OperatorAction::CloseReport).await?;
    Ok(form.redirect_back(&format!("{PATH}/{id}")))
}
