//! `/admin/appeals`: who says that it was wronged, and the answer.

use actix_web::HttpRequest;
use actix_web::web::{Data, Path};
use askama::Template;

use super::form::ConsoleForm;
use super::frame::{ConsolePage, show};
use crate::app::App;
use crate::http::Answer;
use crate::http::admin::queues::DecideOrder;
use crate::http::request::query::Params;
use crate::http::response::missing::no_appeal;
use crate::moderation::appeals::{self, Plea};
use crate::operators::Operator;

const HERE: &str = "/admin/appeals";
/// How many are shown.
const PAGE: i64 = 100;

#[derive(Template)]
#[template(path = "console/appeals.html")]
struct AppealsTemplate<'a> {
    page: ConsolePage<'a>,
    is_open: bool,
    appeals: Vec<Plea>,
}

/// Those that are open, or those that were decided.
pub async fn queue(request: HttpRequest, app: Data<App>, operator: Operator) -> Answer {
    let is_open = Params::of(&request)?.is_open()?;
    let page = ConsolePage { path: HERE, title: "Appeals", operator: &operator };
    let appeals = appeals::page(&app.state, is_open, PAGE).await?.appeals;
    show(&AppealsTemplate { page, is_open, appeals })
}

/// Decides one.
pub async fn decide(form: ConsoleForm, id: Path<String>) -> Answer {
    let DecideOrder { decision, answer, why } = form.read()?;
    let decided = appeals::decide(&form.app.state, &form.cause(&why)?, &id, decision, &answer).await?;
    decided.ok_or_else(no_appeal)?;
    Ok(form.done(HERE))
}
