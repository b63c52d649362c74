//! `/admin/drafts`: the queue of what the guide has proposed and operators decide.

use actix_web::web::{Data, Path};
use actix_web::{HttpRequest, HttpResponse};
use askama::Template;
use caraplace_canvas::plans::image::encode_png;
use caraplace_companion::app::App;
use caraplace_companion::drafts::list::{self, DraftPage};
use caraplace_companion::drafts::{Draft, DraftKind, DraftState, approve, picture, reject};
use caraplace_http::HandlerResult;
use caraplace_http::admin::drafts::operator_of_queue;
use caraplace_http::admin::queues::STATE;
use caraplace_http::api::guide_drafts::{DraftDecisionBody, report_counter};
use caraplace_http::request::auth_operator::AuthOperator;
use caraplace_http::request::auth_visitor::GuideEnabled;
use caraplace_http::request::query::QueryParams;
use caraplace_http::response::no_store::no_store;
use caraplace_http::response::not_found::not_found;
use caraplace_http::state::HttpState;
use platform::concurrency::run_blocking;
use rules::ids::PlanId;
use serde_json::Value;
use text_filters::content::clean_unchecked;

use super::form::ConsoleForm;
use super::layout::{ConsolePage, render_page};

const PATH: &str = "/admin/drafts";
/// The number of drafts on a page.
const PAGE_SIZE: i64 = 50;

#[derive(Template)]
#[template(path = "console/drafts.html")]
struct DraftsTemplate<'a> {
    page: ConsolePage<'a>,
    /// True if there are pages for visitors.
    has_pages: bool,
    has_guide: bool,
    is_open: bool,
    found: DraftPage,
}

impl DraftsTemplate<'_> {
    /// Returns the rows of a proposed picture; none for other changes.
    fn rows(draft: &Draft) -> Vec<&str> {
        let rows = draft.change.get("rows").and_then(Value::as_array);
        rows.into_iter().flatten().filter_map(Value::as_str).collect()
    }

    /// Returns the fields of a change with their values, without the rows of a picture.
    fn fields(draft: &Draft) -> Vec<(&str, String)> {
        let fields = draft.change.as_object().into_iter().flatten();
        let text = |value: &Value| match value.as_str() {
            Some(text) => clean_unchecked(text),
            None => clean_unchecked(&value.to_string()),
        };
        fields.filter(|(name, _)| *name != "rows").map(|(name, value)| (name.as_str(), text(value))).collect()
    }

    /// Returns the address of the page of what a change is about; `None` if there is none.
    fn subject_path(draft: &Draft) -> Option<String> {
        let id = draft.change.get("agent_id").and_then(Value::as_str)?;
        let is_id = id.starts_with("agent_") || id.starts_with("viewer_");
        let is_plain = id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        (is_id && is_plain).then(|| format!("/admin/agents/{id}"))
    }

    /// Returns the id of the plan that was opened; `None` if the draft is not approved, or proposed something
    /// else, or if plans have no pages.
    fn opened_plan(&self, draft: &Draft) -> Option<PlanId> {
        let result = draft.result.as_ref().filter(|_| self.has_pages)?;
        result.pointer("/plan/id").and_then(Value::as_str).and_then(PlanId::parse)
    }

    /// Returns true if an operator can decide on a draft.
    fn is_waiting(draft: &Draft) -> bool {
        draft.state == DraftState::Pending
    }

    /// Returns true if a draft is being carried out, or its approval was interrupted.
    fn is_approving(draft: &Draft) -> bool {
        draft.state == DraftState::Approving
    }

    /// Returns true for a plan, which operators open in their own name.
    fn is_plan(draft: &Draft) -> bool {
        draft.kind == DraftKind::Plan
    }
}

/// Lists the drafts that wait, or those that have waited.
pub async fn page(
    params: QueryParams,
    app: Data<App>,
    http_state: Data<HttpState>,
    AuthOperator(operator): AuthOperator,
) -> HandlerResult {
    let is_open = STATE.read(&params)?;
    let found = list::list_queue(&app.state, is_open, params.text("before")?, PAGE_SIZE).await?;
    let page = ConsolePage { path: PATH, title: "Drafts", operator: &operator };
    render_page(&DraftsTemplate {
        page,
        has_pages: http_state.has_pages,
        has_guide: app.guide.is_some(),
        is_open,
        found,
    })
}

/// Responds with the picture of a proposed plan.
pub async fn image(
    request: HttpRequest,
    app: Data<App>,
    AuthOperator(operator): AuthOperator,
    id: Path<String>,
) -> HandlerResult {
    let person = operator_of_queue(&request, &operator)?;
    let target = picture::find(&app.state, person, &id).await?;
    let image = run_blocking("rendering a proposed plan", move || encode_png(&target)).await?;
    Ok(no_store(HttpResponse::Ok()).content_type("image/png").body(image))
}

/// Approves or rejects a draft.
pub async fn decide(
    request: HttpRequest,
    http_state: Data<HttpState>,
    _: GuideEnabled,
    form: ConsoleForm,
    path: Path<(String, String)>,
) -> HandlerResult {
    let (id, action) = path.into_inner();
    let DraftDecisionBody {} = form.read()?;
    let person = operator_of_queue(&request, &form.operator)?;
    match action.as_str() {
        "approve" => {
            let count_report = report_counter(&http_state, person);
            approve::approve(&form.app, person, &id, &count_report).await?;
        }
        "reject" => {
            reject::reject(&form.app.state, person, &id).await?;
        }
        _ => return Err(not_found("A draft can be approved or rejected.")),
    }
    Ok(form.redirect_back(PATH))
}
