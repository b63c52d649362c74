//! `/admin/reports`: lists reports, and shows one with its evidence and the form that decides it.

use actix_web::web::{Data, Path};
use askama::Template;
use caraplace_companion::app::App;
use caraplace_http::HandlerResult;
use caraplace_http::admin::queues::STATE;
use caraplace_http::request::auth_operator::AuthOperator;
use caraplace_http::request::query::QueryParams;
use caraplace_messages::EarlierText;
use caraplace_messages::reads::earlier_texts;
use caraplace_moderation::actions::subject::report_not_found;
use caraplace_moderation::reports::case::QueueNeighbours;
use caraplace_moderation::reports::queue::find_neighbours;
use caraplace_moderation::reports::review::{self, ReportCaseDetails, ReportCaseList};
use platform::refusal::internal;
use serde::Deserialize;

use super::decide_form::DecideForm;
use super::decisions::DecisionNotice;
use super::evidence::{EvidencePictures, EvidenceView};
use super::layout::{ConsolePage, render_page};

const PATH: &str = "/admin/reports";
/// The number of reports on a page.
const PAGE_SIZE: i64 = 50;

#[derive(Template)]
#[template(path = "console/reports.html")]
struct ReportsTemplate<'a> {
    page: ConsolePage<'a>,
    is_open: bool,
    cases: ReportCaseList,
    notice: Option<DecisionNotice>,
}

#[derive(Template)]
#[template(path = "console/report.html")]
struct ReportTemplate<'a> {
    page: ConsolePage<'a>,
    case_file: ReportCaseDetails,
    evidence: EvidenceView,
    pictures: Option<EvidencePictures>,
    /// The texts that the reported message had before its author changed or deleted it; empty for other
    /// reports.
    earlier_texts: Vec<EarlierText>,
    /// The form; `None` if the case is decided.
    form: Option<DecideForm>,
    neighbours: QueueNeighbours,
    notice: Option<DecisionNotice>,
}

/// Lists the open or the decided reports.
pub async fn list(
    params: QueryParams,
    app: Data<App>,
    AuthOperator(operator): AuthOperator,
) -> HandlerResult {
    let is_open = STATE.read(&params)?;
    let cases = review::page(&app.state, is_open, params.text("before")?, PAGE_SIZE).await?;
    let notice = DecisionNotice::find(&app, &params).await?;
    let page = ConsolePage { path: PATH, title: "Reports", operator: &operator };
    render_page(&ReportsTemplate { page, is_open, cases, notice })
}

/// Shows a case with its evidence and its reports.
pub async fn report(
    params: QueryParams,
    app: Data<App>,
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
        pictures: EvidencePictures::of_case(&evidence, &case_file.case),
        earlier_texts: history.remove(&target).unwrap_or_default(),
        form: DecideForm::of_case(&app.state, &case_file, &evidence).await?,
        neighbours: find_neighbours(&app.state, &id).await?,
        notice: DecisionNotice::find(&app, &params).await?,
        evidence,
        case_file,
    })
}
