//! `/admin/settings`: what can be changed while the server runs, on every instance at once.

use actix_web::HttpRequest;
use actix_web::web::Data;
use serde_json::Value;

use super::frame::{Room, hidden};
use super::parts::{desk, row, table, then, why};
use crate::app::App;
use crate::http::Answer;
use crate::http::admin::settings::{self as api, NewValue};
use crate::http::request::auth_operator::{Filled, Order};
use crate::http::web::markup::escape;
use crate::operators::Operator;
use crate::settings::{self, Told};

const HERE: &str = "/admin/settings";

/// All of them.
pub async fn page(app: Data<App>, operator: Operator) -> Answer {
    let all = settings::all(&app.state).await?;
    let rows = all.iter().map(|told| entry(&operator, told));
    let body = table(&["Setting", "Value", "What it may be", "Change"], rows, "Nothing can be changed.");
    Ok(Room { path: HERE, title: "Settings", body }.show(&operator))
}

fn entry(operator: &Operator, told: &Told) -> String {
    let name = told.name;
    let value = written(&told.value);
    let label = format!("<label for=\"{name}-value\">New value; as the environment has it if empty</label>");
    let field = format!(
        "{}{label}<textarea id=\"{name}-value\" name=\"value\" rows=\"1\">{}</textarea>",
        hidden("name", name),
        escape(&value)
    );
    let form = desk(operator, HERE, &format!("{field}{}", why(name)), "Change it");
    let change =
        format!("<details><summary>Change<span class=\"sr-only\"> {name}</span></summary>{form}</details>");
    row(&format!("<code>{name}</code>"), &[escape(&value), escape(&told.range), change])
}

/// A value as it is typed.
fn written(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Changes one.
pub async fn set(request: HttpRequest, app: Data<App>, operator: Operator, Filled(fields): Filled) -> Answer {
    let text = |name| {
        Ok::<_, crate::http::response::problem::Problem>(fields.text(name)?.unwrap_or_default().to_owned())
    };
    let (name, typed, why) = (text("name")?, text("value")?, text("why")?);
    // Browsers end lines as the wire does.
    let typed = typed.replace("\r\n", "\n");
    let value = if typed.trim().is_empty() { Value::Null } else { api::named(&name)?.read(&typed) };
    let order = Order { operator, form: NewValue { name, value, why } };
    then(api::set(app, order).await, &request, HERE)
}
