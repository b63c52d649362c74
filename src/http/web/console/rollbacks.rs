//! `/admin/rollbacks`: what is to be undone, how it would look, how far it has come, and undoing the undoing.

use actix_web::HttpRequest;
use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::web::{Data, Path};
use askama::Template;
use chrono::{SecondsFormat, TimeDelta};
use rules::grid::Size;

use super::form::ConsoleForm;
use super::frame::{ConsolePage, redirect, show};
use crate::app::App;
use crate::http::Answer;
use crate::http::request::query::Params;
use crate::http::response::missing::no_rollback;
use crate::moderation::rollback::plan::plan;
use crate::moderation::rollback::preview::preview as foresee;
use crate::moderation::rollback::{self, Rollback, State};
use crate::operators::Operator;

const HERE: &str = "/admin/rollbacks";
/// How many are shown.
const PAGE: i64 = 50;
/// What says what is rolled back.
const WANTED: [&str; 7] = ["agent_id", "x1", "y1", "x2", "y2", "from", "to"];
/// The field of each side, and its label.
const CORNERS: [(&str, &str); 4] = [("x1", "Left"), ("y1", "Top"), ("x2", "Right"), ("y2", "Bottom")];
/// Shows a page again after so many seconds, while work goes on.
const REFRESH: HeaderName = HeaderName::from_static("refresh");
/// As far back as the form begins.
const USUAL: TimeDelta = TimeDelta::hours(1);

#[derive(Template)]
#[template(path = "console/rollbacks.html")]
struct RollbacksTemplate<'a> {
    page: ConsolePage<'a>,
    agent_id: &'a str,
    /// Name, label and value of each side.
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
    size: Size,
    fields: &'a [(&'static str, &'a str)],
}

#[derive(Template)]
#[template(path = "console/rollback.html")]
struct RollbackTemplate<'a> {
    page: ConsolePage<'a>,
    rollback: &'a Rollback,
}

/// The form, and what was rolled back before.
pub async fn page(request: HttpRequest, app: Data<App>, operator: Operator) -> Answer {
    let params = Params::of(&request)?;
    let newest = rollback::newest(&app.state, PAGE).await?;
    let usual = (app.state.clock.now() - USUAL).to_rfc3339_opts(SecondsFormat::Secs, true);
    // What is given twice is left out; the preview refuses it.
    let given = |name| params.text(name).ok().flatten();
    show(&RollbacksTemplate {
        page: ConsolePage { path: HERE, title: "Roll back", operator: &operator },
        agent_id: given("agent_id").unwrap_or_default(),
        corners: CORNERS.map(|(name, label)| (name, label, given(name).unwrap_or_default())),
        from: given("from").unwrap_or(&usual),
        to: given("to").unwrap_or_default(),
        newest,
    })
}

/// How it would look.
pub async fn preview(request: HttpRequest, app: Data<App>, operator: Operator) -> Answer {
    let params = Params::of(&request)?.filled();
    let size = app.state.snapshot(|world| world.season.size);
    let order = plan(&app.state, &app.past, &params.rollback(size)?).await?;
    let foreseen = foresee(&app.state, &order).await?;
    let given = WANTED.iter().filter_map(|name| Some((*name, params.text(name).ok()??)));
    let fields: Vec<(&str, &str)> = given.collect();
    show(&PreviewTemplate {
        page: ConsolePage { path: HERE, title: "Roll back: a look before", operator: &operator },
        placements: foreseen.placements as i64,
        pixels: foreseen.pixels as i64,
        size,
        fields: &fields,
    })
}

/// Begins.
pub async fn begin(form: ConsoleForm) -> Answer {
    let (app, params) = (&form.app, form.params()?);
    let request = params.rollback(app.state.snapshot(|world| world.season.size))?;
    let cause = form.cause(params.text("why")?.unwrap_or_default())?;
    let begun = rollback::begin(&app.state, &plan(&app.state, &app.past, &request).await?, &cause).await?;
    Ok(redirect(&format!("{HERE}/{}", begun.id)).finish())
}

/// How far it has come.
pub async fn progress(app: Data<App>, operator: Operator, id: Path<String>) -> Answer {
    let found = rollback::look_up(&app.state, &id).await?.ok_or_else(no_rollback)?;
    let page = ConsolePage { path: HERE, title: "Roll back", operator: &operator };
    let mut answer = show(&RollbackTemplate { page, rollback: &found })?;
    if matches!(found.state, State::Running | State::Undoing) {
        answer.headers_mut().insert(REFRESH, HeaderValue::from_static("1"));
    }
    Ok(answer)
}

/// Undoes it.
pub async fn undo(form: ConsoleForm, id: Path<String>) -> Answer {
    rollback::undo(&form.app.state, &id, &form.read_cause()?).await?.ok_or_else(no_rollback)?;
    Ok(redirect(&format!("{HERE}/{id}")).finish())
}
