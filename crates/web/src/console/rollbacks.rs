//! `/admin/rollbacks`: previews, starts, shows and undoes rollbacks.

use actix_web::HttpRequest;
use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::web::{Data, Path};
use askama::Template;
use caraplace_companion::app::App;
use caraplace_http::HandlerResult;
use caraplace_http::admin::rollbacks::rollback_request;
use caraplace_http::request::auth_operator::AuthOperator;
use caraplace_http::request::query::QueryParams;
use caraplace_http::response::problem::Problem;
use caraplace_moderation::actions::OperatorAction;
use caraplace_moderation::actions::answer::ActionAnswer;
use caraplace_moderation::actions::subject::rollback_not_found;
use caraplace_moderation::rollback::reported::{ReportedPixels, find_reported};
use caraplace_moderation::rollback::request::{RollbackBody, RollbackRequest, build_filter};
use caraplace_moderation::rollback::simulation::{PainterLoss, simulate_rollback};
use caraplace_moderation::rollback::{self, ReasonClass, Rollback, RollbackState};
use chrono::{SecondsFormat, TimeDelta};
use platform::refusal::{Refusal, internal};
use rules::grid::{Corners, Rect, Size};

use super::form::ConsoleForm;
use super::layout::{ConsolePage, redirect, render_page};

const PATH: &str = "/admin/rollbacks";
/// The number of rollbacks on the page.
const MAX_LISTED: i64 = 50;
/// The parameters that select the pixels of a rollback.
const ROLLBACK_FIELDS: [&str; 7] = ["agent_id", "x1", "y1", "x2", "y2", "from", "to"];
/// The field and the label of each side of the region.
const CORNER_FIELDS: [(&str, &str); 4] = [("x1", "Left"), ("y1", "Top"), ("x2", "Right"), ("y2", "Bottom")];
/// The header that reloads a page after some seconds, while a rollback runs.
const REFRESH_HEADER: HeaderName = HeaderName::from_static("refresh");
/// The time span that the form proposes.
const DEFAULT_RANGE: TimeDelta = TimeDelta::hours(1);

#[derive(Template)]
#[template(path = "console/rollbacks.html")]
struct RollbacksTemplate<'a> {
    page: ConsolePage<'a>,
    agent_id: &'a str,
    /// The name, label and value of each side.
    corners: [(&'static str, &'static str, &'a str); 4],
    from: &'a str,
    to: &'a str,
    newest: Vec<Rollback>,
}

#[derive(Template)]
#[template(path = "console/rollback_preview.html")]
struct PreviewTemplate<'a> {
    page: ConsolePage<'a>,
    placements: i64,
    pixels: i64,
    painters: &'a [PainterLoss],
    size: Size,
    /// The region; `None` for the whole canvas.
    region: Option<Corners>,
    fields: &'a [(&'static str, &'a str)],
}

#[derive(Template)]
#[template(path = "console/rollback.html")]
struct RollbackTemplate<'a> {
    page: ConsolePage<'a>,
    rollback: &'a Rollback,
    /// The size of the canvas, on whose outline the region is drawn.
    size: Size,
}

/// Shows the form and the latest rollbacks.
pub async fn page(
    params: QueryParams,
    app: Data<App>,
    AuthOperator(operator): AuthOperator,
) -> HandlerResult {
    let newest = rollback::list(&app.state, MAX_LISTED).await?;
    let default_from = (app.state.clock.now() - DEFAULT_RANGE).to_rfc3339_opts(SecondsFormat::Secs, true);
    let reported = find_reported_fields(&app, &params).await?;
    // A parameter that is sent twice is left empty here; the preview refuses it.
    let value_of = |name: &'static str| {
        let reported = reported.iter().find(|(field, _)| *field == name).map(|(_, value)| value.as_str());
        reported.or_else(|| params.text(name).ok().flatten())
    };
    render_page(&RollbacksTemplate {
        page: ConsolePage { path: PATH, title: "Rollbacks", operator: &operator },
        agent_id: value_of("agent_id").unwrap_or_default(),
        corners: CORNER_FIELDS.map(|(name, label)| (name, label, value_of(name).unwrap_or_default())),
        from: value_of("from").unwrap_or(&default_from),
        to: value_of("to").unwrap_or_default(),
        newest,
    })
}

/// Returns the fields that a report of pixels fills in, with their values; none without a report.
async fn find_reported_fields(
    app: &App,
    params: &QueryParams,
) -> Result<Vec<(&'static str, String)>, Problem> {
    let Some(report_id) = params.text("report_id")? else { return Ok(Vec::new()) };
    let ReportedPixels { agent_id, region, from } =
        find_reported(&app.state, report_id, params.text("agent_id")?).await?;
    Ok(vec![
        ("agent_id", agent_id),
        ("x1", region.x1.to_string()),
        ("y1", region.y1.to_string()),
        ("x2", region.x2.to_string()),
        ("y2", region.y2.to_string()),
        ("from", from.to_rfc3339_opts(SecondsFormat::Secs, true)),
    ])
}

/// Shows a preview.
pub async fn preview(
    request: HttpRequest,
    app: Data<App>,
    AuthOperator(operator): AuthOperator,
) -> HandlerResult {
    let params = QueryParams::from_request(&request)?.without_empty();
    let size = app.state.read_world(|world| world.season.size);
    let rollback_plan = build_filter(&app.state, &app.history, &rollback_request(&params, size)?).await?;
    let preview_result = simulate_rollback(&app.state, &rollback_plan).await?;
    let filled_fields = ROLLBACK_FIELDS.iter().filter_map(|name| Some((*name, params.text(name).ok()??)));
    let fields: Vec<(&str, &str)> = filled_fields.collect();
    render_page(&PreviewTemplate {
        page: ConsolePage { path: PATH, title: "Preview rollback", operator: &operator },
        placements: preview_result.placements as i64,
        pixels: preview_result.pixels as i64,
        painters: &preview_result.painters,
        size,
        region: params.has_any_corner().then(|| params.rect(size)).transpose()?.map(Rect::corners),
        fields: &fields,
    })
}

/// Starts a rollback.
pub async fn begin(form: ConsoleForm) -> HandlerResult {
    let params = form.params()?;
    let size = form.app.state.read_world(|world| world.season.size);
    let begin = OperatorAction::BeginRollback(rollback_body(&params, size)?);
    let ActionAnswer::Rollback(begun) = form.perform(&begin).await? else {
        return Err(internal("beginning a rollback")("an answer of another kind").into());
    };
    Ok(redirect(&format!("{PATH}/{}", begun.id)).finish())
}

/// Returns the fields of a form that starts a rollback, on a canvas of this size.
fn rollback_body(params: &QueryParams, size: Size) -> Result<RollbackBody, Problem> {
    let RollbackRequest { agent_id, region, report_id, .. } = rollback_request(params, size)?;
    let owned_text = |name: &str| Ok::<_, Problem>(params.text(name)?.map(str::to_owned));
    let reason = owned_text("reason")?.unwrap_or_default();
    let class = owned_text("reason_class")?.unwrap_or_else(|| "other".to_owned());
    Ok(RollbackBody {
        agent_id,
        region: region.map(Rect::corners),
        report_id,
        from: owned_text("from")?,
        to: owned_text("to")?,
        reason,
        reason_class: ReasonClass::try_from(class)
            .map_err(|detail| Refusal::invalid("reason_class", detail))?,
    })
}

/// Shows the progress of a rollback.
pub async fn progress(
    app: Data<App>,
    AuthOperator(operator): AuthOperator,
    id: Path<String>,
) -> HandlerResult {
    let rollback = rollback::find(&app.state, &id).await?.ok_or_else(rollback_not_found)?;
    let page = ConsolePage { path: PATH, title: "Rollbacks", operator: &operator };
    let size = app.state.read_world(|world| world.season.size);
    let mut response = render_page(&RollbackTemplate { page, rollback: &rollback, size })?;
    if matches!(rollback.state, RollbackState::Running | RollbackState::Undoing) {
        response.headers_mut().insert(REFRESH_HEADER, HeaderValue::from_static("1"));
    }
    Ok(response)
}

/// Undoes a rollback.
pub async fn undo(form: ConsoleForm, id: Path<String>) -> HandlerResult {
    form.act_on(&id, OperatorAction::UndoRollback).await?;
    Ok(redirect(&format!("{PATH}/{id}")).finish())
}
