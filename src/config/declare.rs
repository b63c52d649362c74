//! The macro that declares settings, and how one is read and changed.

use serde_json::Value;

use super::formats::{Format, JsonFormat};

/// A declared setting, for `--help` and the documents.
pub(super) struct Setting {
    pub(super) section: &'static str,
    pub(super) name: &'static str,
    /// Empty if the setting is unset by default.
    pub(super) default: &'static str,
    /// A value for `.env.example`; empty if the default serves.
    pub(super) example: &'static str,
    /// Sentences in which code stands in backticks.
    pub(super) help: &'static str,
    pub(super) expected: fn() -> String,
    pub(super) is_secret: fn() -> bool,
}

/// A setting that cannot be used; the sentence names it.
#[derive(Debug, thiserror::Error)]
#[error("{name} is \"{value}\", but must be {expected}.")]
pub struct ConfigError {
    name: &'static str,
    value: String,
    expected: String,
}

/// Reads one setting through `lookup`.
pub(super) fn read<T>(
    lookup: impl Fn(&str) -> Option<String>,
    name: &'static str,
    default: &str,
    format: &impl Format<T>,
) -> Result<T, ConfigError> {
    let given = lookup(name).unwrap_or_default();
    let text = if format.keeps_spaces() { &given } else { given.trim() };
    let text = if text.is_empty() { default } else { text };
    format.parse(text).ok_or_else(|| {
        // An address with an @ may hold a password.
        let is_hidden = format.is_secret() || text.contains('@');
        let value = if is_hidden { "…".to_owned() } else { text.to_owned() };
        ConfigError { name, value, expected: format.expected() }
    })
}

/// A setting that can change while the server runs; its value is a field of `V`.
pub struct LiveSetting<V: 'static> {
    pub name: &'static str,
    /// The environment variable that it begins with.
    pub variable: &'static str,
    pub(super) slot: &'static (dyn AnySlot<V> + Sync),
}

/// A field of `V`, whatever its type.
pub(super) trait AnySlot<V> {
    fn expected(&self) -> String;
    fn get(&self, values: V) -> Value;
    fn set(&self, values: &mut V, value: &Value) -> Option<()>;
    fn json_from_text(&self, text: &str) -> Option<Value>;
}

/// A field of `V` of type `T`.
pub(super) struct Slot<V, T, F> {
    pub(super) field: fn(&mut V) -> &mut T,
    pub(super) format: F,
}

impl<V, T, F: JsonFormat<T>> AnySlot<V> for Slot<V, T, F> {
    fn expected(&self) -> String {
        self.format.expected()
    }

    fn get(&self, mut values: V) -> Value {
        self.format.to_json((self.field)(&mut values))
    }

    fn set(&self, values: &mut V, value: &Value) -> Option<()> {
        *(self.field)(values) = self.format.parse_json(value)?;
        Some(())
    }

    fn json_from_text(&self, text: &str) -> Option<Value> {
        self.format.parse(text).map(|value| self.format.to_json(&value))
    }
}

impl<V: Clone> LiveSetting<V> {
    /// Returns the phrase that completes "must be …".
    pub fn expected(&self) -> String {
        self.slot.expected()
    }

    /// Returns its value among these.
    pub fn get(&self, values: &V) -> Value {
        self.slot.get(values.clone())
    }

    /// Sets it, or returns `None` if it cannot have this value.
    pub fn set(&self, values: &mut V, value: &Value) -> Option<()> {
        self.slot.set(values, value)
    }

    /// Returns typed text as a value; it may still be out of range.
    pub fn read(&self, text: &str) -> Value {
        let read = |text: &str| self.slot.json_from_text(text);
        read(text).or_else(|| read(text.trim())).unwrap_or_else(|| Value::from(text))
    }
}

/// Declares all settings: of each its field, type, format, environment variable, default, help, perhaps an example, and
/// `=> live` if it can change while the server runs. Yields [`Config`](super::Config) and the structs of its groups,
/// [`Live`](super::Live), and the tables `SETTINGS` and `ADJUSTABLE`.
///
/// A group is a field of `Config`: `struct` defines its type, `use` fills a type from elsewhere. An `also` field is no
/// environment variable; it begins empty.
macro_rules! settings {
    (
        $section:literal
        $($(#[doc = $help:literal])+ $field:ident: $type:ty = $format:expr, $name:literal = $default:expr
            $(, example $example:literal)? $(=> $live:ident)?;)*
        $(also $also:ident: $also_type:ty = $also_format:expr, $also_name:literal => $also_live:ident;)*
        $(group $define:tt $Group:ident as $group:ident $(in $group_live:ident)?: $group_section:literal, $derive:tt {
            $($(#[doc = $in_help:literal])+ $in_field:ident: $in_type:ty = $in_format:expr, $in_name:literal = $in_default:expr
                $(, example $in_example:literal)? $(=> $in_live:ident)?;)*
        })*
    ) => {
        /// Everything an operator can choose.
        #[derive(Clone, Debug)]
        pub struct Config {
            $($(#[doc = $help])+ pub $field: $type,)*
            $(#[doc = $group_section] pub $group: $Group,)*
            $(#[doc = concat!("The text of `", $also_name, "`, once it was read.")] pub $also: $also_type,)*
        }

        /// The values of the settings that can change while the server runs.
        #[derive(Clone, Debug)]
        pub struct Live {
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
            /// Reads the settings through `lookup`, which is `std::env::var(name).ok()` in production.
            ///
            /// # Errors
            /// The first setting that cannot be used.
            pub fn read(lookup: impl Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
                Ok(Self {
                    $($field: read(&lookup, $name, $default, &$format)?,)*
                    $($group: $Group {
                        $($in_field: read(&lookup, $in_name, $in_default, &$in_format)?,)*
                    },)*
                    $($also: <$also_type>::default(),)*
                })
            }

            /// The values that the server starts with, before anything is changed.
            pub fn live(&self) -> Live {
                Live {
                    $($($field: { let $live = self; Clone::clone(&$live.$field) },)?)*
                    $($($group: { let $group_live = self; Clone::clone(&$group_live.$group) },)?)*
                    $($also: self.$also.clone(),)*
                }
            }
        }

        pub(super) static SETTINGS: &[Setting] = &[
            $(settings!(@setting $section, $name, $default, $type, $format, ($($example)?), ($($help)+)),)*
            $($(settings!(@setting $group_section, $in_name, $in_default, $in_type, $in_format, ($($in_example)?),
                ($($in_help)+)),)*)*
        ];

        /// The settings that can change while the server runs. How long a digest lives is not among them: digests that
        /// were handed out would change under their readers.
        pub static ADJUSTABLE: &[Adjustable] = &[
            $($($(Adjustable {
                name: stringify!($in_field),
                variable: $in_name,
                slot: &Slot { field: |$in_live: &mut Live| &mut $in_live.$group.$in_field, format: $in_format },
            },)?)*)*
            $(Adjustable {
                name: stringify!($also),
                variable: $also_name,
                slot: &Slot { field: |$also_live: &mut Live| &mut $also_live.$also, format: $also_format },
            },)*
            $($(Adjustable {
                name: stringify!($field),
                variable: $name,
                slot: &Slot { field: |$live: &mut Live| &mut $live.$field, format: $format },
            },)?)*
        ];
    };
    (@define use $Group:ident $section:literal $derive:tt { $($fields:tt)* }) => {};
    (@define struct $Group:ident $section:literal ($($derive:ident),*) { $($fields:tt)* }) => {
        /// The settings of a section:
        #[doc = $section]
        #[derive($($derive),*)]
        pub struct $Group { $($fields)* }
    };
    (@setting $section:expr, $name:expr, $default:expr, $type:ty, $format:expr, ($($example:literal)?), ($($help:literal)+)) => {
        Setting {
            section: $section,
            name: $name,
            default: $default,
            example: concat!($($example)?),
            help: concat!($($help),+),
            expected: || Format::<$type>::expected(&$format),
            is_secret: || Format::<$type>::is_secret(&$format),
        }
    };
}
pub(super) use settings;
