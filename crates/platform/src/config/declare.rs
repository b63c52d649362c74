//! The macro that declares settings, and the functions that read and change one.

use serde_json::Value;

use super::formats::{SettingFormat, SettingKind};

/// A declared setting, for `--help`, the documents and the console.
#[derive(Debug)]
pub struct SettingDeclaration {
    /// The heading under which the setting is listed.
    pub section: &'static str,
    /// The name of the environment variable.
    pub name: &'static str,
    /// Empty if the setting is unset by default.
    pub default: &'static str,
    /// A value for `.env.example`; empty if the default serves.
    pub(super) example: &'static str,
    /// One or more sentences in which code stands in backticks, without the last full stop.
    pub(super) help: &'static str,
    /// Returns the phrase that completes "must be …".
    pub(super) expected: fn() -> String,
    /// Returns true if the value is never printed.
    pub(super) is_secret: fn() -> bool,
}

impl SettingDeclaration {
    /// Returns the help text as whole sentences, in which code stands in backticks.
    pub fn explanation(&self) -> String {
        to_sentence(self.help)
    }

    /// Returns the phrase that completes "must be …".
    pub fn expected(&self) -> String {
        (self.expected)()
    }

    /// Returns true if the value is never printed.
    pub fn is_secret(&self) -> bool {
        (self.is_secret)()
    }

    /// Returns true if a variable names the file with this setting's value.
    pub(super) fn is_file_variable(&self, variable: &str) -> bool {
        (self.is_secret)() && variable.strip_suffix(FILE_SUFFIX) == Some(self.name)
    }
}

/// Returns a help text with the last full stop.
fn to_sentence(help: &str) -> String {
    format!("{}.", help.trim())
}

/// The end of the variable that names the file with the value of a secret setting.
pub(super) const FILE_SUFFIX: &str = "_FILE";

/// A setting with an invalid value; the message names the setting.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("{name} is \"{value}\", but must be {expected}.")]
    Invalid { name: &'static str, value: String, expected: String },
    #[error(
        "{name}{FILE_SUFFIX} names {path}, which cannot be read ({error}). Check the path and its \
         permissions."
    )]
    FileUnreadable { name: &'static str, path: String, error: std::io::Error },
    #[error(
        "{name}{FILE_SUFFIX} names {path}, which is empty. Write the value into it, or unset the variable."
    )]
    FileEmpty { name: &'static str, path: String },
    #[error("{name} and {name}{FILE_SUFFIX} are both set. Remove one of them.")]
    SetTwice { name: &'static str },
    /// The value stands in a config file.
    #[error("{path}: {error}")]
    InFile { path: String, error: Box<ConfigError> },
}

impl ConfigError {
    /// Returns the name of the setting.
    pub(super) fn setting_name(&self) -> &'static str {
        match self {
            Self::Invalid { name, .. }
            | Self::FileUnreadable { name, .. }
            | Self::FileEmpty { name, .. }
            | Self::SetTwice { name } => name,
            Self::InFile { error, .. } => error.setting_name(),
        }
    }
}

/// Reads one setting with `lookup`.
pub(super) fn read<T>(
    lookup: impl Fn(&str) -> Option<String>,
    name: &'static str,
    default: &str,
    format: &impl SettingFormat<T>,
) -> Result<T, ConfigError> {
    let mut raw = lookup(name).unwrap_or_default();
    if format.is_secret()
        && let Some(secret) = read_secret_file(&lookup, name)?
    {
        if !raw.is_empty() {
            return Err(ConfigError::SetTwice { name });
        }
        raw = secret;
    }
    let text = if format.keeps_spaces() { &raw } else { raw.trim() };
    let text = if text.is_empty() { default } else { text };
    format.parse(text).ok_or_else(|| {
        // An address with an @ may contain a password.
        let is_hidden = format.is_secret() || text.contains('@');
        let value = if is_hidden { "…".to_owned() } else { text.to_owned() };
        ConfigError::Invalid { name, value, expected: format.expected() }
    })
}

/// Returns the content of the file that the variable `…_FILE` of a secret setting names, without the line
/// break that editors and `echo` append. `None` if no file is named.
fn read_secret_file(
    lookup: impl Fn(&str) -> Option<String>,
    name: &'static str,
) -> Result<Option<String>, ConfigError> {
    let path = lookup(&format!("{name}{FILE_SUFFIX}")).unwrap_or_default();
    let path = path.trim();
    if path.is_empty() {
        return Ok(None);
    }
    let unreadable = |error| ConfigError::FileUnreadable { name, path: path.to_owned(), error };
    let mut content = std::fs::read_to_string(path).map_err(unreadable)?;
    content.truncate(content.trim_end_matches(['\r', '\n']).len());
    if content.is_empty() {
        return Err(ConfigError::FileEmpty { name, path: path.to_owned() });
    }
    Ok(Some(content))
}

/// The ends of names, with the units of the numbers.
const UNITS: [(&str, &str); 4] =
    [("_seconds", "seconds"), ("_ms", "milliseconds"), ("_days", "days"), ("_chars", "characters")];

/// A setting that can change while the server runs; its value is a field of `V`.
pub struct AdjustableField<V> {
    /// The name in the API and in the console.
    pub name: &'static str,
    /// The environment variable with the initial value.
    pub variable: &'static str,
    /// The heading under which forms show it; empty if it is that of the declaration.
    pub(super) section: &'static str,
    /// The explanation, like [`SettingDeclaration::help`]; empty if it is that of the declaration.
    pub(super) help: &'static str,
    pub(super) kind: fn() -> SettingKind,
    pub(super) bounds: fn() -> Option<(u32, u32)>,
    pub(super) choices: fn() -> Vec<&'static str>,
    pub(super) expected: fn() -> String,
    pub(super) get: fn(&V) -> Value,
    pub(super) set: fn(&mut V, &Value) -> Option<()>,
    pub(super) json_from_text: fn(&str) -> Option<Value>,
}

impl<V> AdjustableField<V> {
    /// Returns the phrase that completes "must be …".
    pub fn expected(&self) -> String {
        (self.expected)()
    }

    /// Returns the explanation as whole sentences, in which code stands in backticks; `None` if it is that of
    /// the declaration.
    pub(super) fn own_explanation(&self) -> Option<String> {
        (!self.help.is_empty()).then(|| to_sentence(self.help))
    }

    /// Returns the kind of the value.
    pub fn kind(&self) -> SettingKind {
        (self.kind)()
    }

    /// Returns the least and the largest number; `None` if the value is no number.
    pub fn bounds(&self) -> Option<(u32, u32)> {
        (self.bounds)()
    }

    /// Returns the words to choose from; none if the value is no choice.
    pub fn choices(&self) -> Vec<&'static str> {
        (self.choices)()
    }

    /// Returns the unit of a number, which the end of the name tells; `None` if it has none.
    pub fn unit(&self) -> Option<&'static str> {
        UNITS.iter().find(|(end, _)| self.name.ends_with(end)).map(|(_, unit)| *unit)
    }

    /// Returns the setting's value from these values.
    pub fn get(&self, values: &V) -> Value {
        (self.get)(values)
    }

    /// Sets the value, or returns `None` if the setting cannot have it.
    pub fn set(&self, values: &mut V, value: &Value) -> Option<()> {
        (self.set)(values, value)
    }

    /// Returns a typed text as a JSON value, which may still be out of range.
    pub fn read(&self, text: &str) -> Value {
        let parse_json = self.json_from_text;
        parse_json(text).or_else(|| parse_json(text.trim())).unwrap_or_else(|| Value::from(text))
    }
}

/// Declares all settings. Each has a field, a type, a format, an environment variable, a default and a help
/// text. It may have an example, and `=> live` if it can change while the server runs. Defines
/// [`Config`](super::Config) and the structs of its groups, [`AdjustableValues`](super::AdjustableValues),
/// and the tables `SETTINGS` and `ADJUSTABLE_SETTINGS`.
///
/// A group is a field of `Config`: `struct` defines its type, and `use` fills a type that is defined
/// elsewhere. An `also` field has no environment variable of its own and starts empty; a heading and a help
/// text for forms follow the word.
macro_rules! settings {
    (
        $section:literal
        $($(#[doc = $help:literal])+ $field:ident: $type:ty = $format:expr, $name:literal = $default:expr
            $(, example $example:literal)? $(=> $live:ident)?;)*
        $(also $also_section:literal $(#[doc = $also_help:literal])+ $also:ident: $also_type:ty =
            $also_format:expr, $also_name:literal => $also_live:ident;)*
        $(group $define:tt $Group:ident as $group:ident $(in $group_live:ident)?:
            $group_section:literal, $derive:tt {
            $($(#[doc = $in_help:literal])+ $in_field:ident: $in_type:ty = $in_format:expr,
                $in_name:literal = $in_default:expr
                $(, example $in_example:literal)? $(=> $in_live:ident)?;)*
        })*
    ) => {
        /// All settings of the server.
        #[derive(Clone, Debug)]
        pub struct Config {
            $($(#[doc = $help])+ pub $field: $type,)*
            $(#[doc = $group_section] pub $group: $Group,)*
            $(#[doc = concat!("The text of `", $also_name, "`, after the file was read.")]
                pub $also: $also_type,)*
            /// The values of all settings as text, in the order of the documents.
            pub start_settings: Arc<[StartSetting]>,
        }

        /// The values of the settings that can change while the server runs.
        #[derive(Clone, Debug)]
        pub struct AdjustableValues {
            $($(#[doc = concat!("See [`Config::", stringify!($field), "`]; ", stringify!($live), ".")]
                pub $field: $type,)?)*
            $($(#[doc = concat!("See [`Config::", stringify!($group), "`]; ", stringify!($group_live), ".")]
                pub $group: $Group,)?)*
            $(#[doc = concat!("The text of `", $also_name, "`.")] pub $also: $also_type,)*
        }

        $(settings!(@define $define $Group $group_section $derive {
            $($(#[doc = $in_help])+ pub $in_field: $in_type,)*
        });)*

        impl Config {
            /// Reads the settings of an environment, without a config file.
            ///
            /// # Errors
            /// Returns the first setting with an invalid value.
            pub fn read(environment: impl Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
                Self::read_from(&SettingSources::new(environment, None))
            }

            /// Reads the settings.
            ///
            /// # Errors
            /// Returns the first setting with an invalid value, with the name of the file if it stands there.
            pub fn read_from<F: Fn(&str) -> Option<String>>(
                sources: &SettingSources<F>,
            ) -> Result<Self, ConfigError> {
                Self::parse(sources).map_err(|error| sources.name_file(error))
            }

            fn parse<F: Fn(&str) -> Option<String>>(
                sources: &SettingSources<F>,
            ) -> Result<Self, ConfigError> {
                let lookup = |variable: &str| sources.text(variable);
                Ok(Self {
                    $($field: read(&lookup, $name, $default, &$format)?,)*
                    $($group: $Group {
                        $($in_field: read(&lookup, $in_name, $in_default, &$in_format)?,)*
                    },)*
                    $($also: <$also_type>::default(),)*
                    start_settings: SETTINGS.iter().map(|setting| sources.start_setting(setting)).collect(),
                })
            }

            /// Returns the values that the server starts with.
            pub fn adjustable_values(&self) -> AdjustableValues {
                AdjustableValues {
                    $($($field: { let $live = self; Clone::clone(&$live.$field) },)?)*
                    $($($group: { let $group_live = self; Clone::clone(&$group_live.$group) },)?)*
                    $($also: self.$also.clone(),)*
                }
            }
        }

        /// The declarations of all settings, in the order of the documents.
        pub(super) static SETTINGS: &[SettingDeclaration] = &[
            $(settings!(@setting $section, $name, $default, $type, $format, ($($example)?), ($($help)+)),)*
            $($(settings!(@setting $group_section, $in_name, $in_default, $in_type, $in_format,
                ($($in_example)?), ($($in_help)+)),)*)*
        ];

        /// The settings that can change while the server runs. The lifetime of a digest is not among them,
        /// because a change would affect digests that agents already hold.
        pub static ADJUSTABLE_SETTINGS: &[AdjustableSetting] = &[
            $($($(settings!(@live $in_live, "", "", stringify!($in_field), $in_name, $in_type, $in_format,
                $group.$in_field),)?)*)*
            $(settings!(@live $also_live, $also_section, concat!($($also_help),+), stringify!($also),
                $also_name, $also_type, $also_format, $also),)*
            $($(settings!(@live $live, "", "", stringify!($field), $name, $type, $format, $field),)?)*
        ];
    };
    (@define use $Group:ident $section:literal $derive:tt { $($fields:tt)* }) => {};
    (@define struct $Group:ident $section:literal ($($derive:ident),*) { $($fields:tt)* }) => {
        /// The settings of a section:
        #[doc = $section]
        #[derive($($derive),*)]
        pub struct $Group { $($fields)* }
    };
    (@setting $section:expr, $name:expr, $default:expr, $type:ty, $format:expr,
        ($($example:literal)?), ($($help:literal)+)) => {
        SettingDeclaration {
            section: $section,
            name: $name,
            default: $default,
            example: concat!($($example)?),
            help: concat!($($help),+),
            expected: || SettingFormat::<$type>::expected(&$format),
            is_secret: || SettingFormat::<$type>::is_secret(&$format),
        }
    };
    (@live $live:ident, $section:expr, $help:expr, $name:expr, $variable:expr, $type:ty, $format:expr,
        $($field:ident).+) => {
        AdjustableSetting {
            name: $name,
            variable: $variable,
            section: $section,
            help: $help,
            kind: || SettingFormat::<$type>::kind(&$format),
            bounds: || SettingFormat::<$type>::bounds(&$format),
            choices: || SettingFormat::<$type>::choices(&$format),
            expected: || SettingFormat::<$type>::expected(&$format),
            get: |$live| $format.to_json(&$live.$($field).+),
            set: |$live, value| {
                $live.$($field).+ = $format.parse_json(value)?;
                Some(())
            },
            json_from_text: |text| {
                let value: $type = $format.parse(text)?;
                Some($format.to_json(&value))
            },
        }
    };
}
pub(super) use settings;

#[cfg(test)]
mod tests {
    use crate::config::{ADJUSTABLE_SETTINGS, AdjustableSetting, SettingKind};

    #[test]
    fn every_adjustable_setting_has_what_a_form_needs() {
        for setting in ADJUSTABLE_SETTINGS {
            let (name, kind) = (setting.name, setting.kind());
            assert_ne!(kind, SettingKind::Text, "{name}");
            assert_eq!(setting.bounds().is_some(), kind == SettingKind::Number, "{name}");
            assert_eq!(!setting.choices().is_empty(), kind == SettingKind::Choice, "{name}");
            assert!(!setting.section().is_empty() && setting.explanation().ends_with('.'), "{name}");
        }
        let find = |name| AdjustableSetting::find(name).unwrap();
        assert_eq!(find("message_seconds").unit(), Some("seconds"));
        assert_eq!((find("max_charges").unit(), find("max_charges").bounds()), (None, Some((1, 1_000_000))));
        assert_eq!(find("links").choices(), ["strip", "reject", "allow"]);
        assert_eq!(find("words").section(), "Game and chat");
    }
}
