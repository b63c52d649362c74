//! `/admin/crews`: lists and searches crews, takes them down, and restores them.

use actix_web::web::{Data, Path};
use askama::Template;
use caraplace_companion::app::App;
use caraplace_http::HandlerResult;
use caraplace_http::admin::crews::read_filter;
use caraplace_http::request::auth_operator::AuthOperator;
use caraplace_http::request::query::QueryParams;
use caraplace_http::state::HttpState;
use caraplace_moderation::ReviewedCrew;
use caraplace_moderation::actions::OperatorAction;
use caraplace_moderation::crew_review::{self, CREW_STATES, CrewReviewFilter};
use platform::refusal::{CrewRefusal, Refusal};

use super::form::ConsoleForm;
use super::layout::{ConsolePage, render_page};
use super::search::{SearchOption, next_page, options};

const PATH: &str = "/admin/crews";
/// The number of crews on a page.
const PAGE_SIZE: i64 = 50;

#[derive(Template)]
#[template(path = "console/crews.html")]
struct CrewReviewTemplate<'a> {
    page: ConsolePage<'a>,
    /// True if there are pages for visitors.
    has_pages: bool,
    conditions: CrewReviewFilter<'a>,
    states: Vec<SearchOption>,
    /// The one that was founded last first.
    crews: Vec<ReviewedCrew>,
    /// The address of the next page; `None` on the last page.
    next_page: Option<String>,
}

impl CrewReviewTemplate<'_> {
    /// Returns true if there is a condition.
    fn is_searched(&self) -> bool {
        self.conditions.name.or(self.conditions.state).is_some()
    }
}

/// Lists the crews, including those that were taken down.
pub async fn page(
    params: QueryParams,
    app: Data<App>,
    http_state: Data<HttpState>,
    AuthOperator(operator): AuthOperator,
) -> HandlerResult {
    let params = params.without_empty();
    let filter = read_filter(&params)?;
    let found = crew_review::list(&app.state, &filter, params.row_number("before")?, PAGE_SIZE).await?;
    render_page(&CrewReviewTemplate {
        page: ConsolePage { path: PATH, title: "Crews", operator: &operator },
        has_pages: http_state.has_pages,
        conditions: filter,
        states: options(&CREW_STATES, filter.state),
        crews: found.crews,
        next_page: found.next_before.map(|before| next_page(PATH, &params, &before.to_string())),
    })
}

/// Takes a crew down, or restores it.
pub async fn apply_action(form: ConsoleForm, path: Path<(String, String)>) -> HandlerResult {
    let (id, action) = path.into_inner();
    let make = match action.as_str() {
        "hide" => OperatorAction::HideCrew,
        "restore" => OperatorAction::RestoreCrew,
        _ => return Err(Refusal::from(CrewRefusal::NotFound).into()),
    };
    form.act_on(&id, make).await?;
    Ok(form.redirect_back(PATH))
}
