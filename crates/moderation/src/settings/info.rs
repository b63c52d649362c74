//! The settings with their values, and with what a form needs to change them.

use caraplace_log::state::AppState;
use chrono::{DateTime, Utc};
use platform::config::{ADJUSTABLE_SETTINGS, AdjustableSetting, SettingKind, SettingOrigin, StartSetting};
use platform::refusal::Refusal;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::store::{self, SettingChange};

/// The origin of a setting's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SettingSource {
    /// The value of the start; `default_origin` says from where it comes.
    Environment,
    /// An operator set it while the server was running, for every instance.
    Operator,
}

/// A setting that can change while the server runs.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct SettingInfo {
    /// The setting's name.
    pub name: &'static str,
    /// A number, true or false, or a text.
    #[schema(value_type = Value)]
    pub value: Value,
    /// The value after a reset.
    #[schema(value_type = Value)]
    pub default: Value,
    /// The origin of the value.
    pub source: SettingSource,
    /// The allowed values.
    pub range: String,
    /// The environment variable with the initial value.
    pub variable: &'static str,
    /// The time of the last change; null if no operator has changed it.
    pub changed_at: Option<DateTime<Utc>>,
    /// The operator who made the last change, as in the audit log; null if no operator has changed it.
    pub changed_by: Option<String>,
    /// The reason for the last change; null if no operator has changed it.
    pub changed_reason: Option<String>,
    /// The place from which the value after a reset comes.
    pub default_origin: SettingOrigin,
    /// The heading under which the console shows it.
    pub section: &'static str,
    /// Whole sentences, in which code stands in backticks.
    pub explanation: String,
    /// The kind of the value.
    pub kind: SettingKind,
    /// The least number; null if the value is no number.
    pub min: Option<u32>,
    /// The largest number; null if the value is no number.
    pub max: Option<u32>,
    /// The unit of the number; null if it has none.
    pub unit: Option<&'static str>,
    /// The words to choose from; empty if it is no choice.
    pub choices: Vec<&'static str>,
}

/// A setting that only a restart changes.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct StartSettingInfo {
    /// The environment variable, which is also the name in a config file.
    pub variable: &'static str,
    /// The value as text; null if it is unset, or secret.
    pub value: Option<String>,
    /// True if the value is never shown.
    pub secret: bool,
    /// The default as text; null if it is unset by default.
    pub default: Option<&'static str>,
    /// The place from which the value comes.
    pub origin: SettingOrigin,
    /// The allowed values.
    pub range: String,
    /// The heading under which the documents list it.
    pub section: &'static str,
    /// Whole sentences, in which code stands in backticks.
    pub explanation: String,
}

/// Returns all settings that can change while the server runs.
pub async fn list(state: &AppState) -> Result<Vec<SettingInfo>, Refusal> {
    let mut changes = store::changed_settings(&state.pool).await?;
    let current = state.settings.current();
    let settings = ADJUSTABLE_SETTINGS.iter().map(|setting| {
        let position = changes.iter().position(|change| change.name == setting.name);
        let change = position.map(|position| changes.swap_remove(position));
        let default = setting.get(&state.settings.initial);
        let default_origin = find_origin(&state.settings.start, setting.variable);
        SettingInfo::new(setting, setting.get(&current.values), default, default_origin).with_change(change)
    });
    Ok(settings.collect())
}

/// Returns all settings that only a restart changes, in the order of the documents.
pub fn list_start(state: &AppState) -> Vec<StartSettingInfo> {
    let is_adjustable =
        |start: &&StartSetting| ADJUSTABLE_SETTINGS.iter().any(|one| one.variable == start.declaration.name);
    let fixed = state.settings.start.iter().filter(|start| !is_adjustable(start));
    fixed.map(StartSettingInfo::from).collect()
}

fn find_origin(start: &[StartSetting], variable: &str) -> SettingOrigin {
    let found = start.iter().find(|setting| setting.declaration.name == variable);
    found.map_or(SettingOrigin::Default, |setting| setting.origin)
}

impl SettingInfo {
    /// Returns a setting that nobody has changed.
    fn new(
        setting: &'static AdjustableSetting,
        value: Value,
        default: Value,
        default_origin: SettingOrigin,
    ) -> Self {
        let (min, max) = setting.bounds().unzip();
        Self {
            name: setting.name,
            value,
            default,
            source: SettingSource::Environment,
            range: setting.expected(),
            variable: setting.variable,
            changed_at: None,
            changed_by: None,
            changed_reason: None,
            default_origin,
            section: setting.section(),
            explanation: setting.explanation(),
            kind: setting.kind(),
            min,
            max,
            unit: setting.unit(),
            choices: setting.choices(),
        }
    }

    /// Adds the change that an operator has made.
    fn with_change(self, change: Option<SettingChange>) -> Self {
        let Some(SettingChange { at, operator, reason, .. }) = change else { return self };
        let source = SettingSource::Operator;
        Self { source, changed_at: Some(at), changed_by: operator, changed_reason: reason, ..self }
    }
}

impl From<&StartSetting> for StartSettingInfo {
    fn from(start: &StartSetting) -> Self {
        let declaration = start.declaration;
        Self {
            variable: declaration.name,
            value: start.value.clone(),
            secret: declaration.is_secret(),
            default: Some(declaration.default).filter(|default| !default.is_empty()),
            origin: start.origin,
            range: declaration.expected(),
            section: declaration.section,
            explanation: declaration.explanation(),
        }
    }
}
