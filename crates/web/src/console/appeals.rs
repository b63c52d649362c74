//! `/admin/appeals`: lists and decides appeals.

use actix_web::web::{Data, Path};
use askama::Template;
use caraplace_companion::app::App;
use caraplace_http::HandlerResult;
use caraplace_http::admin::queues::STATE;
use caraplace_http::request::auth_operator::AuthOperator;
use caraplace_http::request::query::QueryParams;
use caraplace_moderation::actions::OperatorAction;
use caraplace_moderation::{AppealRecord, appeals};

use super::form::ConsoleForm;
use super::layout::{ConsolePage, render_page};

const PATH: &str = "/admin/appeals";
/// The number of appeals on a page.
const PAGE_SIZE: i64 = 100;

#[derive(Template)]
#[template(path = "console/appeals.html")]
struct AppealsTemplate<'a> {
    page: ConsolePage<'a>,
    is_open: bool,
    appeals: Vec<AppealRecord>,
}

/// Lists the open or the decided appeals.
pub async fn list(
    params: QueryParams,
    app: Data<App>,
    AuthOperator(operator): AuthOperator,
) -> HandlerResult {
    let is_open = STATE.read(&params)?;
    let page = ConsolePage { path: PATH, title: "Appeals", operator: &operator };
    let appeals = appeals::page(&app.state, is_open, PAGE_SIZE).await?.appeals;
    render_page(&AppealsTemplate { page, is_open, appeals })
}

/// Decides an appeal.
pub async fn decide(form: ConsoleForm, id: Path<String>) -> HandlerResult {
    form.act_on(&id, OperatorAction::DecideAppeal).await?;
    Ok(form.redirect_back(PATH))
}
