//! `/admin/reports`: lists reports, and shows one with its evidence and the form that decides it.

use actix_web::web::{Data, Path};
use askama::Template;
use caraplace_companion::app::App;
use caraplace_http::HandlerResult;
use caraplace_http::admin::queues::read_case_filter;
use caraplace_http::request::auth_operator::AuthOperator;
use caraplace_http::request::query::QueryParams;
use caraplace_http::state::HttpState;
use caraplace_messages::EarlierText;
use caraplace_messages::reads::earlier_texts;
use caraplace_moderation::actions::subject::report_not_found;
use caraplace_moderation::reports::case::{CASE_KINDS, CaseFilter, QueueNeighbours};
use caraplace_moderation::reports::queue::find_neighbours;
use caraplace_moderation::reports::review::{self, ReportCaseDetails, ReportCaseList};
use platform::refusal::internal;
use rules::grid::Size;
use serde::Deserialize;

use super::decide_form::DecideForm;
use super::decisions::DecisionNotice;
use super::evidence::{EvidencePictures, EvidenceView};
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
    notice: Option<DecisionNotice>,
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
    /// True if there are pages for visitors.
    has_pages: bool,
    case_file: ReportCaseDetails,
    evidence: EvidenceView,
    /// The size of the canvas, on whose outline a reported region is drawn.
    size: Size,
    pictures: Option<EvidencePictures>,
    /// The texts that the reported message had before its author changed or deleted it; empty for other
    /// reports.
    earlier_texts: Vec<EarlierText>,
    /// The form; `None` if the case is decided.
    form: Option<DecideForm>,
    neighbours: QueueNeighbours,
    notices: Vec<DecisionNotice>,
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
    let notice = DecisionNotice::find(&app, &params).await?;
    let page = ConsolePage { path: PATH, title: "Reports", operator: &operator };
    let kinds = options(&CASE_KINDS, filter.kind);
    render_page(&ReportsTemplate { page, conditions: filter, kinds, cases, notice, next_page })
}

/// Shows a case with its evidence and its reports.
pub async fn report(
    params: QueryParams,
    app: Data<App>,
    http_state: Data<HttpState>,
    AuthOperator(operator): AuthOperator,
    id: Path<String>,
) -> HandlerResult {
    let case_file = review::find(&app.state, &operator.name, &id).await?.ok_or_else(report_not_found)?;
    let title = format!("Report on a {}", case_file.case.kind);
    let evidence =
        EvidenceView::deserialize(&case_file.evidence).map_err(internal("reading stored evidence"))?;
    let target = case_file.case.target.clone();
    let mut history = earlier_texts(&app.state, std::slice::from_ref(&target)).await?;
    render_page(&ReportTemplate {
        page: ConsolePage { path: PATH, title: &title, operator: &operator },
        has_pages: http_state.has_pages,
        pictures: EvidencePictures::of_case(&evidence, &case_file.case),
        size: app.state.read_world(|world| world.season.size),
        earlier_texts: history.remove(&target).unwrap_or_default(),
        form: DecideForm::of_case(&app.state, &case_file, &evidence).await?,
        neighbours: find_neighbours(&app.state, &id).await?,
        notices: DecisionNotice::list(&app, &params, &id).await?,
        evidence,
        case_file,
    })
}
