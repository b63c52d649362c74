//! The sources of settings: the environment, and a file whose values it overrides.

use std::collections::HashMap;

use serde::Serialize;
use utoipa::ToSchema;

use super::declare::{ConfigError, FILE_SUFFIX, SettingDeclaration};

/// The place from which a setting's value at the start comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SettingOrigin {
    /// The default of the setting.
    Default,
    /// A variable of the environment of this instance.
    Environment,
    /// The file that `--config` names.
    ConfigFile,
}

/// The values of a config file.
pub struct ConfigFile {
    /// The path, as it was given.
    pub(super) path: String,
    /// The values by the names of their variables.
    pub(super) values: HashMap<String, FileValue>,
}

/// A value in a config file.
pub(super) struct FileValue {
    /// The setting, which the variable itself or the variable of its file sets.
    pub(super) setting: &'static SettingDeclaration,
    /// The value as an environment variable would have it.
    pub(super) text: String,
}

/// The environment and a config file.
pub struct SettingSources<F> {
    environment: F,
    file: Option<ConfigFile>,
}

/// The value of a setting at the start of this instance.
#[derive(Clone, Debug)]
pub struct StartSetting {
    pub declaration: &'static SettingDeclaration,
    /// The value as text; `None` if there is none, or if it is never printed.
    pub value: Option<String>,
    pub origin: SettingOrigin,
}

impl<F: Fn(&str) -> Option<String>> SettingSources<F> {
    /// Returns the sources: `environment` is `std::env::var(name).ok()` in production.
    pub fn new(environment: F, file: Option<ConfigFile>) -> Self {
        Self { environment, file }
    }

    /// Returns the text of a variable; that of the file if the environment does not set the variable.
    pub(super) fn text(&self, variable: &str) -> Option<String> {
        let own = (self.environment)(variable);
        if own.as_deref().is_some_and(is_set) {
            return own;
        }
        self.text_in_file(variable).map(str::to_owned).or(own)
    }

    /// Returns the text of a variable in the file. The environment overrides it with the variable itself, and
    /// with the one that names the file of a secret.
    fn text_in_file(&self, variable: &str) -> Option<&str> {
        let value = self.file.as_ref()?.values.get(variable)?;
        (!self.is_in_environment(value.setting)).then_some(value.text.as_str())
    }

    /// Returns the value of a setting at the start, with its origin.
    pub(super) fn start_setting(&self, declaration: &'static SettingDeclaration) -> StartSetting {
        let text = self.text(declaration.name).filter(|text| is_set(text));
        let value = text.unwrap_or_else(|| declaration.default.to_owned());
        let is_shown = !declaration.is_secret() && !value.is_empty();
        StartSetting { declaration, value: is_shown.then_some(value), origin: self.origin(declaration) }
    }

    fn origin(&self, setting: &SettingDeclaration) -> SettingOrigin {
        if self.is_in_environment(setting) {
            return SettingOrigin::Environment;
        }
        let values = self.file.iter().flat_map(|file| file.values.values());
        let mut values = values.filter(|value| is_set(&value.text));
        let is_in_file = values.any(|value| value.setting.name == setting.name);
        if is_in_file { SettingOrigin::ConfigFile } else { SettingOrigin::Default }
    }

    fn is_in_environment(&self, setting: &SettingDeclaration) -> bool {
        let is_set_by = |variable: &str| (self.environment)(variable).as_deref().is_some_and(is_set);
        is_set_by(setting.name)
            || (setting.is_secret() && is_set_by(&format!("{}{FILE_SUFFIX}", setting.name)))
    }

    /// Names the file in an error about a value that is in it.
    pub(super) fn name_file(&self, error: ConfigError) -> ConfigError {
        let mut values = self.file.iter().flat_map(|file| file.values.values());
        let found = values.find(|value| value.setting.name == error.setting_name());
        match &self.file {
            Some(file) if found.is_some_and(|value| !self.is_in_environment(value.setting)) => {
                ConfigError::InFile { path: file.path.clone(), error: Box::new(error) }
            }
            _ => error,
        }
    }
}

/// Returns true for a text that is a value: an empty variable counts as unset.
fn is_set(text: &str) -> bool {
    !text.trim().is_empty()
}
