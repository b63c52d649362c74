//! `/admin/reports`: what was reported, with its evidence, and the decision.

use actix_web::HttpRequest;
use actix_web::web::{Data, Path};
use askama::Template;
use chrono::{DateTime, Utc};
use rules::grid::Corners;
use rules::palette::PALETTE;
use serde::Deserialize;

use super::form::ConsoleForm;
use super::frame::{ConsolePage, show};
use crate::app::App;
use crate::http::Answer;
use crate::http::admin::queues::CloseOrder;
use crate::http::request::query::Params;
use crate::http::response::missing::no_report;
use crate::moderation::reports::review::{self, CaseFile, Cases};
use crate::operators::Operator;
use crate::refusal::internal;

const HERE: &str = "/admin/reports";
/// How many a page has.
const PAGE: i64 = 50;

#[derive(Template)]
#[template(path = "console/reports.html")]
struct ReportsTemplate<'a> {
    page: ConsolePage<'a>,
    is_open: bool,
    cases: Cases,
}

#[derive(Template)]
#[template(path = "console/report.html")]
struct ReportTemplate<'a> {
    page: ConsolePage<'a>,
    file: CaseFile,
    evidence: EvidenceView,
}

/// What was kept at the first report: a part of the canvas, a profile, or a message with those around it.
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

/// The queue, or what was decided.
pub async fn queue(request: HttpRequest, app: Data<App>, operator: Operator) -> Answer {
    let params = Params::of(&request)?;
    let is_open = params.is_open()?;
    let cases = review::page(&app.state, is_open, params.text("before")?, PAGE).await?;
    let page = ConsolePage { path: HERE, title: "Reports", operator: &operator };
    show(&ReportsTemplate { page, is_open, cases })
}

/// One case with all that helps to decide it.
pub async fn case(app: Data<App>, operator: Operator, id: Path<String>) -> Answer {
    let file = review::look(&app.state, &id).await?.ok_or_else(no_report)?;
    let title = format!("Report on a {}", file.case.kind);
    let evidence = EvidenceView::deserialize(&file.evidence).map_err(internal("reading stored evidence"))?;
    let page = ConsolePage { path: HERE, title: &title, operator: &operator };
    show(&ReportTemplate { page, file, evidence })
}

/// Decides a case.
pub async fn close(form: ConsoleForm, id: Path<String>) -> Answer {
    let CloseOrder { outcome, why } = form.read()?;
    review::close(&form.app.state, &form.cause(&why)?, &id, outcome).await?.ok_or_else(no_report)?;
    Ok(form.done(&format!("{HERE}/{id}")))
}
