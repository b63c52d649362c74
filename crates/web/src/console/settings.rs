//! `/admin/settings`: changes settings while the server runs, on every instance at once.

use actix_web::web::Data;
use askama::Template;
use caraplace_companion::app::App;
use caraplace_http::HandlerResult;
use caraplace_http::request::auth_operator::AuthOperator;
use caraplace_moderation::actions::OperatorAction;
use caraplace_moderation::actions::body::SettingBody;
use caraplace_moderation::settings::{self, SettingInfo};
use serde::Deserialize;
use serde_json::Value;

use super::form::ConsoleForm;
use super::layout::{ConsolePage, render_page};

const PATH: &str = "/admin/settings";

#[derive(Template)]
#[template(path = "console/settings.html")]
struct SettingsTemplate<'a> {
    page: ConsolePage<'a>,
    settings: Vec<SettingInfo>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SettingForm {
    name: String,
    /// The value as typed; empty resets the setting to its default.
    #[serde(default)]
    value: String,
    reason: String,
}

/// Lists the settings.
pub async fn page(app: Data<App>, AuthOperator(operator): AuthOperator) -> HandlerResult {
    let page = ConsolePage { path: PATH, title: "Settings", operator: &operator };
    render_page(&SettingsTemplate { page, settings: settings::list(&app.state).await? })
}

/// Changes a setting.
pub async fn set(form: ConsoleForm) -> HandlerResult {
    let SettingForm { name, value, reason } = form.read()?;
    // Browsers send the lines of a text area with CRLF.
    let text = value.replace("\r\n", "\n");
    let value = if text.trim().is_empty() { Value::Null } else { settings::find(&name)?.read(&text) };
    form.perform(&OperatorAction::ChangeSetting(SettingBody { name, value, reason })).await?;
    Ok(form.redirect_back(PATH))
}
