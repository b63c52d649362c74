//! `/admin/rollbacks`: what is to be undone, how it would look, how far it has come, and undoing the undoing.

use actix_web::http::header::HeaderName;
use actix_web::web::{Data, Path};
use actix_web::{HttpRequest, HttpResponse};
use chrono::TimeDelta;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use super::frame::{Room, hidden, lead};
use super::parts::{desk, holder, line, link, moment, order, row, table, why};
use crate::app::App;
use crate::http::Answer;
use crate::http::admin::rollbacks::{self, foresee, nowhere};
use crate::http::request::auth_operator::Filled;
use crate::http::request::query::Params;
use crate::http::web::markup::escape;
use crate::http::web::pages::words::count;
use crate::moderation::rollback::{self, Rollback, State};
use crate::operators::Operator;

const HERE: &str = "/admin/rollbacks";
/// How many are shown.
const PAGE: i64 = 50;
/// What says what is rolled back.
const WANTED: [&str; 7] = ["agent_id", "x1", "y1", "x2", "y2", "from", "to"];
/// Shows a page again after so many seconds, while work goes on.
const REFRESH: HeaderName = HeaderName::from_static("refresh");
/// As far back as the form begins.
const USUAL: TimeDelta = TimeDelta::hours(1);

/// The form, and what was rolled back before.
pub async fn page(request: HttpRequest, app: Data<App>, operator: Operator) -> Answer {
    let params = Params::of(&request)?;
    let newest = rollback::newest(&app.state, PAGE).await?;
    let usual = (app.state.clock.now() - USUAL).format("%Y-%m-%dT%H:%M:%SZ").to_string();
    let field = |name: &str, label: &str, attributes: &str, usual: &str| {
        let value = params.text(name)?.unwrap_or(usual);
        Ok::<_, crate::http::response::problem::Problem>(line(
            "rollback",
            name,
            label,
            &format!("value=\"{}\" {attributes}", escape(value)),
        ))
    };
    let number = "inputmode=\"numeric\" pattern=\"[0-9]*\" autocomplete=\"off\"";
    let fields = [
        field("agent_id", "Whose pixels: an agent’s id; anyone’s if empty", "autocomplete=\"off\"", "")?,
        format!(
            "<fieldset class=\"corners\"><legend>Where; the whole canvas if empty</legend>{}{}{}{}</fieldset>",
            field("x1", "Left", number, "")?,
            field("y1", "Top", number, "")?,
            field("x2", "Right", number, "")?,
            field("y2", "Bottom", number, "")?
        ),
        field("from", "From: a time in UTC, or an event’s number", "required autocomplete=\"off\"", &usual)?,
        field("to", "To; now if empty", "autocomplete=\"off\"", "")?,
    ];
    let body = format!(
        "<p>Takes back what an agent or anyone in a part of the canvas painted between two moments. What was painted before or \
         since stays, and so does what is painted meanwhile. You see it before it is done.</p>\
         <form class=\"fields\" method=\"get\" action=\"{HERE}/preview\">{}<button>Show what it would do</button></form>\
         <h2>Before</h2>{}",
        fields.concat(),
        table(
            &["Which", "Whose", "Where", "By", "State"],
            newest.iter().map(entry),
            "Nothing was rolled back yet."
        )
    );
    Ok(Room { path: HERE, title: "Roll back", body }.show(&operator))
}

fn entry(rollback: &Rollback) -> String {
    let which = format!("<a href=\"{HERE}/{}\">{}</a>", rollback.id, moment(rollback.started_at));
    let sides = &rollback.region;
    let place = format!("{}, {} to {}, {}", sides.x1, sides.y1, sides.x2, sides.y2);
    row(&which, &[whose(rollback), place, escape(&rollback.operator), state(rollback).to_owned()])
}

fn whose(rollback: &Rollback) -> String {
    match (&rollback.agent_id, &rollback.agent_name) {
        (Some(id), Some(name)) => holder(id, name),
        _ => "anyone’s".to_owned(),
    }
}

fn state(rollback: &Rollback) -> &'static str {
    match rollback.state {
        State::Running => "running",
        State::Done => "done",
        State::Undoing => "being undone",
        State::Undone => "undone",
        State::Overtaken => "overtaken by a new season",
    }
}

/// How it would look.
pub async fn preview(request: HttpRequest, app: Data<App>, operator: Operator) -> Answer {
    let params = Params::of(&request)?.filled();
    let foreseen = foresee(&params, &app).await?;
    let given = WANTED.iter().filter_map(|name| Some((*name, params.text(name).ok()??)));
    let given: Vec<(&str, &str)> = given.collect();
    let field =
        |(name, value): &(&str, &str)| format!("{name}={}", utf8_percent_encode(value, NON_ALPHANUMERIC));
    let query = given.iter().map(field).collect::<Vec<_>>().join("&");
    let size = app.state.snapshot(|world| world.season.size);
    let picture = |path: &str, words: &str| {
        format!(
            "<figure><img src=\"{}\" width=\"{}\" height=\"{}\" alt=\"\"><figcaption>{words}</figcaption></figure>",
            escape(path),
            size.width,
            size.height
        )
    };
    let fields: String = given.iter().map(|(name, value)| hidden(name, value)).collect();
    let body = format!(
        "<p>This would strike {} placements and change {} pixels. Nothing has been done yet.</p>\
         <div class=\"beside\">{}{}</div>{}<p>{}</p>",
        count(foreseen.placements as i64),
        count(foreseen.pixels as i64),
        picture("/api/canvas.png", "Now"),
        picture(&format!("/api/admin/rollbacks/preview.png?{query}"), "Then"),
        desk(&operator, HERE, &format!("{fields}{}", why("rollback")), "Roll it back"),
        link(&format!("{HERE}?{query}"), "Change something"),
    );
    Ok(Room { path: HERE, title: "Roll back: a look before", body }.show(&operator))
}

/// Begins.
pub async fn begin(app: Data<App>, operator: Operator, filled: Filled) -> Answer {
    let begun = rollbacks::begin_as(&app, &operator, &filled.0.filled()).await?;
    Ok(lead(&format!("{HERE}/{}", begun.id)).finish())
}

/// How far it has come.
pub async fn progress(app: Data<App>, operator: Operator, id: Path<String>) -> Answer {
    let found = rollback::look_up(&app.state, &id).await?.ok_or_else(nowhere)?;
    let mut answer = show(&operator, &found);
    if matches!(found.state, State::Running | State::Undoing)
        && let Ok(value) = "1".parse()
    {
        answer.headers_mut().insert(REFRESH, value);
    }
    Ok(answer)
}

fn show(operator: &Operator, found: &Rollback) -> HttpResponse {
    let sides = &found.region;
    let done = if found.events == 0 { 1 } else { found.events };
    let bar = |label: &str, id: &str, value: i64, most: i64| {
        format!(
            "<label for=\"{id}\">{label}: {} of {}</label><progress id=\"{id}\" value=\"{value}\" max=\"{}\"></progress>",
            count(value),
            count(most),
            most.max(1)
        )
    };
    let undo = if found.state == State::Done {
        let form = desk(operator, &format!("{HERE}/{}/undo", found.id), &why("undo"), "Undo it");
        format!("<h2>Undo</h2><p>What it struck stands again, where nobody has painted since.</p>{form}")
    } else {
        String::new()
    };
    let body = format!(
        "<dl class=\"facts\"><dt>State</dt><dd>{}</dd><dt>Whose</dt><dd>{}</dd><dt>Where</dt><dd>{}, {} to {}, {}</dd>\
         <dt>Events</dt><dd>{} to {}</dd><dt>Placements struck</dt><dd>{}</dd><dt>By</dt><dd>{}</dd><dt>Why</dt><dd>{}</dd></dl>\
         <div class=\"fields\">{}{}</div>{undo}<p>{}</p>",
        state(found),
        whose(found),
        sides.x1,
        sides.y1,
        sides.x2,
        sides.y2,
        count(found.from),
        count(found.to),
        found.placements.map_or_else(|| "not counted yet".to_owned(), count),
        escape(&found.operator),
        escape(&found.why),
        bar("Events read", "read", found.events_read, done),
        bar("Pixels corrected", "corrected", found.pixels_done, found.pixels),
        link(HERE, "All of them"),
    );
    Room { path: HERE, title: "Roll back", body }.show(operator)
}

/// Undoes it.
pub async fn undo(app: Data<App>, operator: Operator, filled: Filled, id: Path<String>) -> Answer {
    let here = format!("{HERE}/{id}");
    rollbacks::undo(app, order(operator, &filled)?, id).await?;
    Ok(lead(&here).finish())
}
