//! Reads a config file: a JSON object with the names of the environment variables and their values.

use std::collections::HashMap;
use std::path::Path;
use std::{fmt, io};

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;

use super::names::{find_declaration, nearest_setting};
use super::sources::{ConfigFile, FileValue};

/// A config file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigFileError {
    #[error(
        "The config file {path} cannot be read ({error}). Check --config, and the permissions of the file."
    )]
    Unreadable { path: String, error: io::Error },
    #[error("The config file {path} is not a JSON object with names and values of settings ({error}).")]
    Malformed { path: String, error: serde_json::Error },
    #[error("{path}: {name} is not a setting.{}", proposal(*nearest))]
    Unknown { path: String, name: String, nearest: Option<&'static str> },
    #[error("{path}: {name} must be {expected}, as a text, a number, true or false.")]
    WrongType { path: String, name: String, expected: String },
    #[error("{path}: {name} stands twice. Remove one of them.")]
    Twice { path: String, name: String },
}

impl ConfigFile {
    /// Reads a file.
    ///
    /// # Errors
    /// If the file cannot be read, is not JSON, or has a name that is no setting or stands twice, or a value of
    /// another type.
    pub fn read(path: &Path) -> Result<Self, ConfigFileError> {
        let shown_path = path.display().to_string();
        match std::fs::read(path) {
            Ok(json) => Self::parse(shown_path, &json),
            Err(error) => Err(ConfigFileError::Unreadable { path: shown_path, error }),
        }
    }

    fn parse(path: String, json: &[u8]) -> Result<Self, ConfigFileError> {
        let entries: FileEntries = match serde_json::from_slice(json) {
            Ok(entries) => entries,
            Err(error) => return Err(ConfigFileError::Malformed { path, error }),
        };
        let mut values = HashMap::new();
        for (name, value) in entries.0 {
            let Some(setting) = find_declaration(&name) else {
                let nearest = nearest_setting(&name);
                return Err(ConfigFileError::Unknown { path, name, nearest });
            };
            let Some(text) = to_text(value) else {
                let expected = setting.expected();
                return Err(ConfigFileError::WrongType { path, name, expected });
            };
            if values.contains_key(&name) {
                return Err(ConfigFileError::Twice { path, name });
            }
            values.insert(name, FileValue { setting, text });
        }
        Ok(Self { path, values })
    }
}

/// All names and values of a file, also those of a name that stands twice.
struct FileEntries(Vec<(String, Value)>);

impl<'de> Deserialize<'de> for FileEntries {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(EntriesVisitor)
    }
}

struct EntriesVisitor;

impl<'de> Visitor<'de> for EntriesVisitor {
    type Value = FileEntries;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<FileEntries, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(FileEntries(entries))
    }
}

/// Returns a value as an environment variable has it; `None` for null, lists and objects.
fn to_text(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

fn proposal(nearest: Option<&str>) -> String {
    match nearest {
        Some(nearest) => format!(" Did you mean {nearest}?"),
        None => " caraplace --help lists all settings.".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::config::{Config, SettingOrigin, SettingSources};

    const PATH: &str = "caraplace.json";

    /// Reads the settings with a file of this content and these variables.
    fn read(content: &Value, variables: &[(&str, &str)]) -> Result<Config, String> {
        let file = ConfigFile::parse(PATH.to_owned(), content.to_string().as_bytes());
        let file = file.map_err(|error| error.to_string())?;
        let lookup = |name: &str| {
            let (_, value) = variables.iter().find(|(known, _)| *known == name)?;
            Some((*value).to_owned())
        };
        Config::read_from(&SettingSources::new(lookup, Some(file))).map_err(|error| error.to_string())
    }

    fn refusal(content: &Value) -> String {
        read(content, &[]).map(|_| ()).unwrap_err()
    }

    #[test]
    fn a_name_stands_once() {
        let json = br#"{"CARAPLACE_PAGES": true, "CARAPLACE_PAGES": false}"#;
        let refusal = ConfigFile::parse(PATH.to_owned(), json).map(|_| ()).unwrap_err().to_string();
        assert_eq!(refusal, "caraplace.json: CARAPLACE_PAGES stands twice. Remove one of them.");
    }

    #[test]
    fn environment_overrides_the_file_and_each_origin_is_told() {
        let content = json!({
            "CARAPLACE_MAX_CHARGES": 20,
            "CARAPLACE_CHARGE_SECONDS": "30",
            "CARAPLACE_CHAT_ENABLED": false,
            "CARAPLACE_LINKS": "",
        });
        let config = read(&content, &[("CARAPLACE_MAX_CHARGES", "40"), ("CARAPLACE_LISTEN", " ")]).unwrap();
        let game = config.game;
        assert_eq!((game.max_charges, game.charge_seconds, game.chat_enabled), (40, 30, false));
        let origin = |name: &str| {
            let setting = config.start_settings.iter().find(|setting| setting.declaration.name == name);
            setting.map(|setting| (setting.value.clone(), setting.origin)).unwrap()
        };
        for (name, value, expected) in [
            ("CARAPLACE_MAX_CHARGES", "40", SettingOrigin::Environment),
            ("CARAPLACE_CHARGE_SECONDS", "30", SettingOrigin::ConfigFile),
            ("CARAPLACE_CHAT_ENABLED", "false", SettingOrigin::ConfigFile),
            ("CARAPLACE_LINKS", "strip", SettingOrigin::Default),
            ("CARAPLACE_LISTEN", "127.0.0.1:8080", SettingOrigin::Default),
        ] {
            assert_eq!(origin(name), (Some(value.to_owned()), expected), "{name}");
        }
    }

    #[test]
    fn secrets_are_overridden_whichever_way_they_are_given_and_never_shown() {
        let secret = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(secret.path(), "hunter2-hunter2-in-a-file\n").unwrap();
        let path = secret.path().to_str().unwrap();
        let token = |config: &Config| config.network.metrics_token.as_ref().unwrap().expose().to_owned();
        let in_file = json!({"CARAPLACE_METRICS_TOKEN_FILE": path});
        let config = read(&in_file, &[]).unwrap();
        assert_eq!(token(&config), "hunter2-hunter2-in-a-file");
        assert!(!format!("{:?}", config.start_settings).contains("hunter2"));
        let variables = [("CARAPLACE_METRICS_TOKEN", "hunter2-hunter2-of-the-environment")];
        assert_eq!(token(&read(&in_file, &variables).unwrap()), variables[0].1);
        let plain = json!({"CARAPLACE_METRICS_TOKEN": "hunter2-hunter2-in-the-json"});
        let variables = [("CARAPLACE_METRICS_TOKEN_FILE", path)];
        assert_eq!(token(&read(&plain, &variables).unwrap()), "hunter2-hunter2-in-a-file");
    }

    #[test]
    fn wrong_files_are_refused_with_file_setting_and_what_is_allowed() {
        for (content, expected) in [
            (
                json!({"CARAPLACE_MAX_CHARGES": 0}),
                "CARAPLACE_MAX_CHARGES is \"0\", but must be a whole number from 1",
            ),
            (
                json!({"CARAPLACE_LINKS": "no"}),
                "CARAPLACE_LINKS is \"no\", but must be strip, reject or allow.",
            ),
            (json!({"CARAPLACE_LINKS": null}), "CARAPLACE_LINKS must be strip, reject or allow, as a text"),
            (json!({"CARAPLACE_TRUSTED_PROXIES": ["::1"]}), "CARAPLACE_TRUSTED_PROXIES must be networks"),
            (json!({"CARAPLACE_MAX_CHARGE": 1}), "is not a setting. Did you mean CARAPLACE_MAX_CHARGES?"),
            (json!({"max_charges": 1}), "is not a setting. Did you mean CARAPLACE_MAX_CHARGES?"),
            (json!({"CARAPLACE_HOME": "x"}), "CARAPLACE_HOME is not a setting."),
            (json!({"CARAPLACE_METRICS_TOKEN_FILE": "/does/not/exist"}), "which cannot be read"),
        ] {
            let sentence = refusal(&content);
            assert!(sentence.starts_with(&format!("{PATH}: ")) && sentence.contains(expected), "{sentence}");
        }
        for content in [json!([]), json!("CARAPLACE_MAX_CHARGES=1")] {
            assert!(refusal(&content).starts_with("The config file caraplace.json is not a JSON object"));
        }
        let missing = ConfigFile::read(Path::new("/does/not/exist")).err().unwrap().to_string();
        assert!(missing.starts_with("The config file /does/not/exist cannot be read"), "{missing}");
        let content = json!({"CARAPLACE_MAX_CHARGES": 1});
        let of_environment = read(&content, &[("CARAPLACE_MAX_CHARGES", "0")]).map(|_| ()).unwrap_err();
        assert!(of_environment.starts_with("CARAPLACE_MAX_CHARGES is"), "{of_environment}");
    }
}
