//! `/admin/settings`: what can be changed while the server runs, on every instance at once.

use actix_web::web::Data;
use askama::Template;
use serde::Deserialize;
use serde_json::Value;

use super::form::ConsoleForm;
use super::frame::{ConsolePage, show};
use crate::app::App;
use crate::http::Answer;
use crate::operators::Operator;
use crate::settings::{self, Told};

const HERE: &str = "/admin/settings";

#[derive(Template)]
#[template(path = "console/settings.html")]
struct SettingsTemplate<'a> {
    page: ConsolePage<'a>,
    settings: Vec<Told>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SettingForm {
    name: String,
    /// As it is typed; as the environment has it by default.
    #[serde(default)]
    value: String,
    why: String,
}

/// All of them.
pub async fn page(app: Data<App>, operator: Operator) -> Answer {
    let page = ConsolePage { path: HERE, title: "Settings", operator: &operator };
    show(&SettingsTemplate { page, settings: settings::all(&app.state).await? })
}

/// Changes one.
pub async fn set(form: ConsoleForm) -> Answer {
    let SettingForm { name, value, why } = form.read()?;
    // Browsers end lines as the wire does.
    let typed = value.replace("\r\n", "\n");
    let value = if typed.trim().is_empty() { Value::Null } else { settings::named(&name)?.read(&typed) };
    settings::set(&form.app.state, &form.cause(&why)?, &name, &value).await?;
    Ok(form.done(HERE))
}
