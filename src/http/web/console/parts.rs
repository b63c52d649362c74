//! What the rooms of the console are made of: forms, tables, and what a form's fields mean as an order.

use actix_web::HttpRequest;
use chrono::{DateTime, TimeDelta, Utc};
use rules::rights::FOR_EVER;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::frame::{csrf, lead};
use crate::http::Answer;
use crate::http::request::auth_operator::{CSRF_FIELD, Filled, Order};
use crate::http::request::form;
use crate::http::response::problem::Problem;
use crate::http::web::markup::escape;
use crate::operators::Operator;

/// Fields that hold numbers.
const NUMBERS: [&str; 7] = ["after", "width", "height", "x1", "y1", "x2", "y2"];
/// Fields that hold times, which browsers send without their zone; the console's pages tell them in UTC.
const TIMES: [&str; 2] = ["until", "ends_at"];

/// Fields that may be sent several times, once for each thing that is chosen.
const CHOICES: [&str; 1] = ["ids"];

/// A form that is sent to a desk of the console.
pub fn desk(operator: &Operator, action: &str, fields: &str, button: &str) -> String {
    format!(
        "<form class=\"fields\" method=\"post\" action=\"{}\">{}{fields}<button>{button}</button></form>",
        escape(action),
        csrf(operator)
    )
}

/// A line to fill in; `attributes` stand as they are.
pub fn line(form: &str, name: &str, label: &str, attributes: &str) -> String {
    format!(
        "<label for=\"{form}-{name}\">{label}</label><input id=\"{form}-{name}\" name=\"{name}\" {attributes}>"
    )
}

/// Why something is done.
pub fn why(form: &str) -> String {
    line(form, "why", "Why, for the audit log", "required maxlength=\"500\" autocomplete=\"off\"")
}

/// When something ends.
pub fn until(form: &str, name: &str, label: &str) -> String {
    line(form, name, label, "type=\"datetime-local\"")
}

/// A table with these columns, or a word where it would be empty.
pub fn table(head: &[&str], rows: impl Iterator<Item = String>, nothing: &str) -> String {
    let rows: String = rows.collect();
    if rows.is_empty() {
        return format!("<p class=\"none\">{nothing}</p>");
    }
    let head: String = head.iter().map(|column| format!("<th scope=\"col\">{column}</th>")).collect();
    format!("<table class=\"list\"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>")
}

/// A row: its name, then its cells, as HTML each.
pub fn row(name: &str, cells: &[String]) -> String {
    let cells: String = cells.iter().map(|cell| format!("<td>{cell}</td>")).collect();
    format!("<tr><th scope=\"row\">{name}</th>{cells}</tr>")
}

/// A link, as text.
pub fn link(path: &str, text: &str) -> String {
    format!("<a href=\"{}\">{}</a>", escape(path), escape(text))
}

/// Whoever holds a name, as a link to what operators see of it.
pub fn holder(id: &str, name: &str) -> String {
    format!("<a href=\"/admin/agents/{}\"><bdi class=\"foreign\">{}</bdi></a>", escape(id), escape(name))
}

/// When something ends, which may be never.
pub fn end(at: DateTime<Utc>) -> String {
    // Ends are told as of the day before the last: a clock may be a little off.
    if at > FOR_EVER - TimeDelta::days(1) {
        return "for ever".to_owned();
    }
    format!("until {}", moment(at))
}

/// A moment, to the minute.
pub fn moment(at: DateTime<Utc>) -> String {
    let (exact, shown) = (at.format("%Y-%m-%dT%H:%M:%SZ"), at.format("%-d %B %Y, %H:%M UTC"));
    format!("<time datetime=\"{exact}\">{shown}</time>")
}

/// A page of a longer list, and the way to the next.
pub fn older(path: &str, next_before: Option<impl std::fmt::Display>) -> String {
    let separator = if path.contains('?') { '&' } else { '?' };
    next_before.map_or_else(String::new, |before| {
        format!("<p><a href=\"{}{separator}before={before}\">Older ones</a></p>", escape(path))
    })
}

/// What was filled in, as the order that a program would send. Fields that were left empty are not there.
///
/// # Errors
/// The refusal that a program would be given.
pub fn order<F: DeserializeOwned>(operator: Operator, filled: &Filled) -> Result<Order<F>, Problem> {
    let mut body = Map::new();
    for (name, value) in filled.0.pairs().filter(|(name, value)| *name != CSRF_FIELD && !value.is_empty()) {
        match body.get_mut(name).and_then(Value::as_array_mut).filter(|_| CHOICES.contains(&name)) {
            Some(chosen) => chosen.push(json!(value)),
            None => {
                body.insert(name.to_owned(), meant(name, value));
            }
        }
    }
    Ok(Order { operator, form: form::read(Value::Object(body).to_string().as_bytes())? })
}

fn meant(name: &str, value: &str) -> Value {
    match name {
        name if NUMBERS.contains(&name) => {
            value.parse::<i64>().map_or_else(|_| json!(value), |number| json!(number))
        }
        name if CHOICES.contains(&name) => json!([value]),
        name if TIMES.contains(&name) => json!(in_utc(value)),
        _ => json!(value),
    }
}

/// A time with its zone; what is none stays as it is, and will be refused.
fn in_utc(text: &str) -> String {
    match text.len() {
        16 if text.is_ascii() => format!("{text}:00Z"),
        19 if text.is_ascii() => format!("{text}Z"),
        _ => text.to_owned(),
    }
}

/// What a program would be answered, told by leading on to a page; people are led back to where they came from.
///
/// # Errors
/// The refusal that a program would be given.
pub fn then(done: Answer, request: &HttpRequest, otherwise: &str) -> Answer {
    done?;
    Ok(lead(&back(request).unwrap_or_else(|| otherwise.to_owned())).finish())
}

/// The room of the console that a form was sent from, as its browser says.
fn back(request: &HttpRequest) -> Option<String> {
    let referrer = request.headers().get("referer")?.to_str().ok()?;
    let (_, rest) = referrer.split_once("://")?;
    let path = &rest[rest.find('/')?..];
    Some(super::sign_in::inside(Some(path)).to_owned()).filter(|room| room == path)
}
