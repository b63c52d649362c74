//! `/admin/seasons`: opens and freezes seasons, and sets their end date.

use actix_web::web::{Data, Path};
use askama::Template;
use caraplace_canvas::seasons::{SeasonRecord, SeasonStatus, query};
use caraplace_companion::app::App;
use caraplace_http::HandlerResult;
use caraplace_http::request::auth_operator::AuthOperator;
use caraplace_http::response::not_found::not_found;
use caraplace_moderation::actions::OperatorAction;

use super::form::ConsoleForm;
use super::layout::{ConsolePage, render_page};

const PATH: &str = "/admin/seasons";

#[derive(Template)]
#[template(path = "console/seasons.html")]
struct SeasonsTemplate<'a> {
    page: ConsolePage<'a>,
    /// Newest first.
    seasons: Vec<SeasonRecord>,
}

/// Lists all seasons, with forms for the newest.
pub async fn page(app: Data<App>, AuthOperator(operator): AuthOperator) -> HandlerResult {
    let page = ConsolePage { path: PATH, title: "Seasons", operator: &operator };
    render_page(&SeasonsTemplate { page, seasons: query::list(&app.state).await? })
}

/// Opens, freezes or unfreezes a season, or sets its end date.
pub async fn apply_action(form: ConsoleForm, action: Path<String>) -> HandlerResult {
    match action.as_str() {
        "open" => form.act(OperatorAction::OpenSeason).await?,
        "schedule" => form.act(OperatorAction::ScheduleSeason).await?,
        "freeze" => form.act(OperatorAction::FreezeSeason).await?,
        "unfreeze" => form.act(OperatorAction::UnfreezeSeason).await?,
        _ => return Err(not_found("There is no such action: use open, freeze, unfreeze or schedule.")),
    };
    Ok(form.redirect_back(PATH))
}
