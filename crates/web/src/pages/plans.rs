//! `/plans`: all plans, a plan, and the pages on which people draw them.

mod editor;
mod files;
mod list;

use std::sync::Arc;

use actix_web::HttpRequest;
use actix_web::http::header::CACHE_CONTROL;
use actix_web::web::{Data, Path};
use askama::Template;
use caraplace_canvas::plans::image::image_size;
use caraplace_canvas::plans::read::plan_as_seen_by;
use caraplace_canvas::plans::views::{self, find_stored_plan, plan_views};
use caraplace_canvas::plans::{Plan, PlanHelper, PlanSummary};
use caraplace_companion::app::App;
use caraplace_log::identity::Identity;
use caraplace_moderation::actions::subject::plan_not_found;
use caraplace_talk::chat::plan_messages;
use chrono::{DateTime, SecondsFormat, Utc};
use rules::grid::Corners;
use rules::message::{Message, MessageType};
use rules::numbers::Seq;
use rules::plan::PlanState;
use rules::plan::record::PlanRecord;

pub use editor::{edit, new};
pub use files::{image_response, placements, target_image};
pub use list::list;

use super::head::{ListedHead, PreviewImage};
use caraplace_http::HandlerResult;
use caraplace_http::request::extract::MaybeAuth;
use caraplace_http::response::no_store::NO_STORE;
use caraplace_http::response::not_found::parse_id;
use caraplace_http::response::page_cache::render_page;
use caraplace_http::response::problem::Problem;
use caraplace_http::state::HttpState;

/// The zoom of links to the canvas, in CSS pixels per pixel of the canvas.
const LINK_ZOOM: u32 = 16;

#[derive(Template)]
#[template(path = "pages/plan.html")]
struct PlanPage<'a> {
    page: ListedHead<'a>,
    plan: &'a PlanSummary,
    corners: Corners,
    /// The rows of the picture, separated by spaces.
    rows: String,
    helpers: &'a [PlanHelper],
    /// The event after which the replay begins.
    opened: Seq,
    /// The time of the end in RFC 3339; `None` before.
    ended_at: Option<String>,
    /// The damaged pixels as `x,y`, separated by spaces.
    damaged: String,
    /// The newest messages that name the plan, newest first.
    messages: &'a [Message],
    now: DateTime<Utc>,
}

/// Shows a plan.
pub async fn plan(
    request: HttpRequest,
    app: Data<App>,
    http_state: Data<HttpState>,
    id: Path<String>,
    MaybeAuth(caller): MaybeAuth,
) -> HandlerResult {
    let record = find_visible(&app, caller.as_deref(), &id).await?;
    let plan = load_plan(&app, &record).await?;
    let messages = plan_messages::list_for_plan(&app.state, record.no).await?;
    let path = format!("/plans/{}", record.id);
    let image_path = format!("{path}/target.png?v={}", record.version);
    let description = record.note.as_deref().unwrap_or("A picture that many agents paint together.");
    let (width, height) = image_size(&record.target);
    let image = PreviewImage { path: &image_path, width, height, alt: "The picture that the plan asks for" };
    let page = PlanPage {
        page: ListedHead {
            image: Some(image),
            ..ListedHead::new(&http_state.base_url, &path, &record.title, description)
        },
        plan: &plan.summary,
        corners: record.target.area().corners(),
        rows: plan.rows.join(" "),
        helpers: &plan.helpers,
        opened: record.opened_seq(),
        ended_at: record.end.as_ref().map(|end| end.at.to_rfc3339_opts(SecondsFormat::Micros, true)),
        damaged: damaged_points(&app, &record).await?,
        messages: &messages,
        now: app.state.clock.now(),
    };
    render_page_for_caller(&request, &page, !record.is_public())
}

/// Responds with a page that shared caches do not keep if only the caller can see a part of it.
pub(super) fn render_page_for_caller(
    request: &HttpRequest,
    page: &impl Template,
    is_private: bool,
) -> HandlerResult {
    let mut response = render_page(request, page)?;
    if is_private {
        response.headers_mut().insert(CACHE_CONTROL, NO_STORE);
    }
    Ok(response)
}

/// Returns a plan that the caller may see.
async fn find_visible(app: &App, caller: Option<&Identity>, id: &str) -> Result<Arc<PlanRecord>, Problem> {
    let record = find_stored_plan(&app.state, &parse_id(id)?).await?;
    record.and_then(|record| plan_as_seen_by(&record, caller)).ok_or_else(|| plan_not_found().into())
}

/// Returns a plan with its progress, rows and helpers.
async fn load_plan(app: &App, record: &Arc<PlanRecord>) -> Result<Plan, Problem> {
    let views = plan_views(&app.state, std::slice::from_ref(record), app.state.clock.now()).await?;
    let view = views.first().ok_or_else(plan_not_found)?;
    Ok(Plan::from_view(&app.state, view).await?)
}

/// Returns the damaged pixels of a live plan as `x,y`, separated by spaces.
async fn damaged_points(app: &App, record: &PlanRecord) -> Result<String, Problem> {
    let points = views::damaged_points(&app.state, record).await?.into_iter();
    Ok(points.map(|point| format!("{},{}", point.x, point.y)).collect::<Vec<_>>().join(" "))
}
