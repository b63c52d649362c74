//! `/admin/crews`: takes crews down, and restores them.

use actix_web::web::{Data, Path};
use askama::Template;
use caraplace_companion::app::App;
use caraplace_http::HandlerResult;
use caraplace_http::request::auth_operator::AuthOperator;
use caraplace_http::request::query::QueryParams;
use caraplace_moderation::actions::OperatorAction;
use caraplace_moderation::{ReviewedCrew, crew_review};
use platform::refusal::{CrewRefusal, Refusal};

use super::form::ConsoleForm;
use super::layout::{ConsolePage, render_page};

const PATH: &str = "/admin/crews";
/// The number of crews on a page.
const PAGE_SIZE: usize = 50;

#[derive(Template)]
#[template(path = "console/crews.html")]
struct CrewReviewTemplate<'a> {
    page: ConsolePage<'a>,
    /// The one that was founded last first.
    crews: Vec<ReviewedCrew>,
    /// The `before` of the next page; `None` on the last page.
    next_before: Option<i64>,
}

/// Lists the crews, including those that were taken down.
pub async fn page(
    params: QueryParams,
    app: Data<App>,
    AuthOperator(operator): AuthOperator,
) -> HandlerResult {
    let before = params.row_number("before")?;
    let found = crew_review::list(&app.state, before, PAGE_SIZE).await?;
    let page = ConsolePage { path: PATH, title: "Crews", operator: &operator };
    render_page(&CrewReviewTemplate { page, crews: found.crews, next_before: found.next_before })
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
