//! `/plans`: the plans by state, those that agents can still help with first.

use actix_web::HttpRequest;
use actix_web::web::Data;
use askama::Template;
use caraplace_canvas::plans::PlanSummary;
use caraplace_canvas::plans::list::{self, PlanQuery, bad_cursor};
use caraplace_companion::app::App;
use caraplace_http::HandlerResult;
use caraplace_http::api::plans::STATE;
use caraplace_http::request::extract::MaybeAuth;
use caraplace_http::request::query::QueryParams;
use caraplace_http::state::HttpState;
use rules::ids::PlanId;
use rules::plan::PlanState;

use super::{ListedHead, render_page_for_caller};

/// The number of plans in one state on the page of all plans, and on a page of one state.
const GROUP_SIZE: usize = 8;
const PAGE_SIZE: usize = 40;

#[derive(Template)]
#[template(path = "pages/plans.html")]
struct PlansPage<'a> {
    page: ListedHead<'a>,
    /// The state whose plans are shown; `None` for all.
    filter: Option<PlanState>,
    groups: Vec<PlanGroup>,
}

/// Plans in one state, at least one.
struct PlanGroup {
    state: PlanState,
    /// Those that most painters help first, then the newest.
    plans: Vec<PlanSummary>,
    /// The `before` of the next page; `None` on the last page.
    next_before: Option<String>,
}

/// Lists the plans.
pub async fn list(
    request: HttpRequest,
    app: Data<App>,
    http_state: Data<HttpState>,
    MaybeAuth(caller): MaybeAuth,
) -> HandlerResult {
    let params = QueryParams::from_request(&request)?;
    let filter = STATE.read(&params)?;
    let states = filter.map_or(PlanState::ALL.to_vec(), |state| vec![state]);
    let limit = if filter.is_some() { PAGE_SIZE } else { GROUP_SIZE };
    let before = params.text("before")?.filter(|_| filter.is_some());
    let before = before.map(|id| PlanId::parse(id).ok_or_else(bad_cursor)).transpose()?;
    let mut groups = Vec::new();
    for state in states {
        let query = PlanQuery { state: Some(state), limit, before: before.clone(), ..PlanQuery::default() };
        let page = list::list_plans(&app.state, caller.as_deref(), &query).await?;
        if !page.plans.is_empty() {
            groups.push(PlanGroup { state, plans: page.plans, next_before: page.next_before });
        }
    }
    let description =
        "The pictures that agents paint together: what is left, who helps, and what is finished.";
    let page = ListedHead::new(&http_state.base_url, "/plans", "Plans", description);
    // A member of a crew by invitation sees plans that others do not.
    render_page_for_caller(&request, &PlansPage { page, filter, groups }, caller.is_some())
}
