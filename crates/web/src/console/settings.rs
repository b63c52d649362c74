//! `/admin/settings`: shows all settings, and changes some while the server runs, on every instance at once.

use actix_web::web::Data;
use actix_web::{HttpRequest, ResponseError as _};
use askama::Template;
use caraplace_accounts::operators::Operator;
use caraplace_companion::app::App;
use caraplace_http::HandlerResult;
use caraplace_http::request::auth_operator::AuthOperator;
use caraplace_http::response::negotiate::wants_html;
use caraplace_http::response::problem::Problem;
use caraplace_moderation::actions::OperatorAction;
use caraplace_moderation::actions::body::SettingBody;
use caraplace_moderation::settings::{self, SettingInfo, SettingSource, StartSettingInfo};
use platform::config::{SettingKind, SettingOrigin};
use platform::input::json::explain_field;
use platform::refusal::Refusal;
use serde::Deserialize;
use serde_json::Value;

use super::form::ConsoleForm;
use super::layout::{ConsolePage, redirect, render_page, render_page_with_status};
use super::wording::describe_refusal;

const PATH: &str = "/admin/settings";
/// The numbers of lines of the field for a list.
const MIN_FIELD_LINES: usize = 3;
const MAX_FIELD_LINES: usize = 20;

#[derive(Template)]
#[template(path = "console/settings.html")]
struct SettingsTemplate<'a> {
    page: ConsolePage<'a>,
    groups: Vec<SettingGroup>,
    /// The settings that only a restart changes.
    at_start: Vec<StartSettingInfo>,
}

/// The settings under a heading.
struct SettingGroup {
    section: &'static str,
    rows: Vec<SettingRow>,
}

/// A setting with the content of its form.
struct SettingRow {
    info: SettingInfo,
    /// The content of the field for the value.
    text: String,
    /// The content of the field for the reason.
    reason: String,
    /// The reason why the form was refused; `None` if it was not.
    refusal: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SettingForm {
    name: String,
    /// The value as typed. If it is empty, a list becomes empty, and another setting is reset to its default.
    #[serde(default)]
    value: String,
    /// True to reset the setting to its default, whatever the value is.
    #[serde(default)]
    reset: bool,
    reason: Option<String>,
}

/// Shows the settings.
pub async fn page(app: Data<App>, AuthOperator(operator): AuthOperator) -> HandlerResult {
    let rows = list_rows(&app).await?;
    render_page(&SettingsTemplate::new(&app, &operator, rows))
}

/// Changes a setting, or shows its form again with the reason why it was refused.
pub async fn set(request: HttpRequest, form: ConsoleForm) -> HandlerResult {
    let sent: SettingForm = form.read()?;
    let Err(problem) = change(&form, &sent).await else {
        return Ok(redirect(&format!("{PATH}#{}", sent.name)).finish());
    };
    let mut rows = list_rows(&form.app).await?;
    let refused = rows.iter_mut().find(|row| row.info.name == sent.name);
    let Some(row) = refused.filter(|_| wants_html(&request) && problem.status_code().is_client_error())
    else {
        return Err(problem);
    };
    row.text = sent.value;
    row.reason = sent.reason.unwrap_or_default();
    row.refusal = Some(describe_refusal(&problem));
    render_page_with_status(problem.status_code(), &SettingsTemplate::new(&form.app, &form.operator, rows))
}

async fn change(form: &ConsoleForm, sent: &SettingForm) -> Result<(), Problem> {
    let missing = |name: &str| explain_field(".", &format!("missing field `{name}`"));
    // A forgotten value must not reset the setting: a browser sends the field even if it is empty.
    if !sent.reset && !form.has_field("value")? {
        return Err(missing("value").into());
    }
    let reason = sent.reason.clone().ok_or_else(|| missing("reason"))?;
    // Browsers send the lines of a text area with CRLF.
    let text = sent.value.replace("\r\n", "\n");
    let setting = settings::find(&sent.name)?;
    // A list can be empty; every other kind needs a text.
    let is_reset = sent.reset || (text.trim().is_empty() && setting.kind() != SettingKind::Lines);
    let value = if is_reset { Value::Null } else { setting.read(&text) };
    let body = SettingBody { name: sent.name.clone(), value, reason };
    form.perform(&OperatorAction::ChangeSetting(body)).await.map(|_| ())
}

async fn list_rows(app: &App) -> Result<Vec<SettingRow>, Refusal> {
    Ok(settings::list(&app.state).await?.into_iter().map(SettingRow::new).collect())
}

impl<'a> SettingsTemplate<'a> {
    fn new(app: &App, operator: &'a Operator, rows: Vec<SettingRow>) -> Self {
        let mut groups: Vec<SettingGroup> = Vec::new();
        for row in rows {
            match groups.iter_mut().find(|group| group.section == row.info.section) {
                Some(group) => group.rows.push(row),
                None => groups.push(SettingGroup { section: row.info.section, rows: vec![row] }),
            }
        }
        let page = ConsolePage { path: PATH, title: "Settings", operator };
        Self { page, groups, at_start: settings::list_start(&app.state) }
    }
}

impl SettingRow {
    fn new(info: SettingInfo) -> Self {
        Self { text: to_text(&info.value), reason: String::new(), refusal: None, info }
    }

    /// Returns true if an operator has set the value.
    fn is_changed(&self) -> bool {
        self.info.source == SettingSource::Operator
    }

    /// Returns the value in short.
    fn shown(&self) -> String {
        self.show(&self.info.value)
    }

    /// Returns the default in short.
    fn shown_default(&self) -> String {
        self.show(&self.info.default)
    }

    fn show(&self, value: &Value) -> String {
        let text = to_text(value);
        match (self.info.kind, value, self.info.unit) {
            (_, Value::Bool(true), _) => "on".to_owned(),
            (_, Value::Bool(false), _) => "off".to_owned(),
            (SettingKind::Lines, ..) => match text.lines().filter(|line| !line.trim().is_empty()).count() {
                0 => "none".to_owned(),
                1 => "1 line".to_owned(),
                count => format!("{count} lines"),
            },
            (_, _, Some(unit)) => format!("{text} {unit}"),
            _ => text,
        }
    }

    /// Returns the number of lines of the field for a list.
    fn field_lines(&self) -> usize {
        self.text.lines().count().clamp(MIN_FIELD_LINES, MAX_FIELD_LINES)
    }
}

/// Returns a value as text for its field.
fn to_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
