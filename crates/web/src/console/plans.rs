//! `/admin/plans`: lists and searches plans, closes them, takes them down, and restores them.

use actix_web::HttpRequest;
use actix_web::web::{Data, Path};
use askama::Template;
use caraplace_canvas::plans::views::find_stored_plan;
use caraplace_companion::app::App;
use caraplace_http::HandlerResult;
use caraplace_http::admin::plans::{read_cursor, read_filter};
use caraplace_http::request::auth_operator::AuthOperator;
use caraplace_http::request::query::QueryParams;
use caraplace_http::response::not_found::parse_id;
use caraplace_http::state::HttpState;
use caraplace_moderation::actions::OperatorAction;
use caraplace_moderation::actions::subject::plan_not_found;
use caraplace_moderation::plan_review::{self, PLAN_STATES, PlanReviewFilter};
use rules::ids::OPERATOR_AGENT_ID;
use rules::plan::PlanState;
use rules::plan::record::{PlanRecord, PlanView};

use super::form::ConsoleForm;
use super::layout::{ConsolePage, render_page};
use super::search::{SearchOption, next_page, options};
use crate::pages::plans::image_response;

const PATH: &str = "/admin/plans";
/// The number of plans on a page.
const PAGE_SIZE: i64 = 50;

#[derive(Template)]
#[template(path = "console/plans.html")]
struct PlansTemplate<'a> {
    page: ConsolePage<'a>,
    /// True if there are pages for visitors.
    has_pages: bool,
    conditions: PlanReviewFilter<'a>,
    states: Vec<SearchOption>,
    /// Newest first.
    plans: Vec<PlanView>,
    /// The address of the next page; `None` on the last page.
    next_page: Option<String>,
}

impl PlansTemplate<'_> {
    /// Returns true for a plan of the operators.
    fn is_by_operator(plan: &PlanRecord) -> bool {
        *plan.author.id == *OPERATOR_AGENT_ID
    }

    /// Returns true if there is a condition.
    fn is_searched(&self) -> bool {
        self.conditions.title.or(self.conditions.state).is_some()
    }
}

/// Lists the newest plans, including those that were taken down.
pub async fn page(
    params: QueryParams,
    app: Data<App>,
    http_state: Data<HttpState>,
    AuthOperator(operator): AuthOperator,
) -> HandlerResult {
    let params = params.without_empty();
    let filter = read_filter(&params)?;
    let before = read_cursor(&params)?;
    let found = plan_review::list(&app.state, &filter, before.as_ref(), PAGE_SIZE).await?;
    render_page(&PlansTemplate {
        page: ConsolePage { path: PATH, title: "Plans", operator: &operator },
        has_pages: http_state.has_pages,
        conditions: filter,
        states: options(&PLAN_STATES, filter.state),
        plans: found.plans,
        next_page: found.next_before.map(|before| next_page(PATH, &params, &before)),
    })
}

/// Responds with the picture of any plan.
pub async fn image(request: HttpRequest, app: Data<App>, _: AuthOperator, id: Path<String>) -> HandlerResult {
    let record = find_stored_plan(&app.state, &parse_id(&id)?).await?.ok_or_else(plan_not_found)?;
    image_response(&request, &record).await
}

/// Closes a plan, takes it down, or restores it.
pub async fn apply_action(form: ConsoleForm, path: Path<(String, String)>) -> HandlerResult {
    let (id, action) = path.into_inner();
    let make = match action.as_str() {
        "close" => OperatorAction::ClosePlan,
        "hide" => OperatorAction::HidePlan,
        "restore" => OperatorAction::RestorePlan,
        _ => return Err(plan_not_found().into()),
    };
    form.act_on(&id, make).await?;
    Ok(form.redirect_back(PATH))
}
