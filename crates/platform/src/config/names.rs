//! The names of settings: which of them a variable means.

use super::declare::SettingDeclaration;
use super::table::SETTINGS;
use crate::input::nearest_name;

/// The prefix of the server's own environment variables.
const VARIABLE_PREFIX: &str = "CARAPLACE_";
/// Variables with this prefix that other programs read: agents that follow skill.md, the example agent and
/// `make prove`.
const VARIABLES_OF_OTHER_PROGRAMS: [&str; 5] =
    ["CARAPLACE_HOME", "CARAPLACE_KEY_FILE", "CARAPLACE_NAME", "CARAPLACE_PROVE_ROUNDS", "CARAPLACE_URL"];

/// Returns each variable that looks like a setting but is none, with the name of the setting that was most
/// likely meant, if there is one.
pub fn unknown_variables(variables: impl Iterator<Item = String>) -> Vec<(String, Option<&'static str>)> {
    let find_unknown = |name: String| {
        if find_setting(&name).is_some() || VARIABLES_OF_OTHER_PROGRAMS.contains(&&*name) {
            return None;
        }
        match name.strip_prefix(VARIABLE_PREFIX) {
            Some(suffix) => {
                let nearest = find_setting(suffix).or_else(|| find_nearest(suffix));
                Some((name, nearest))
            }
            None => find_prefixed(&name).map(|setting| (name, Some(setting))),
        }
    };
    variables.filter_map(find_unknown).collect()
}

/// Returns the setting that is set by a variable or by the file that it names.
pub(super) fn find_declaration(variable: &str) -> Option<&'static SettingDeclaration> {
    let is_set =
        |setting: &&SettingDeclaration| setting.name == variable || setting.is_file_variable(variable);
    SETTINGS.iter().find(is_set)
}

/// Returns the name of the setting that is set by a variable or by the file that it names.
fn find_setting(variable: &str) -> Option<&'static str> {
    find_declaration(variable).map(|setting| setting.name)
}

/// Returns the setting that somebody most likely meant by a name that is none, in either case and with or
/// without the prefix; `None` if none is near.
pub(super) fn nearest_setting(name: &str) -> Option<&'static str> {
    let name = name.to_uppercase();
    let suffix = name.strip_prefix(VARIABLE_PREFIX).unwrap_or(&name);
    let with_prefix = || find_setting(&format!("{VARIABLE_PREFIX}{suffix}"));
    find_setting(suffix).or_else(with_prefix).or_else(|| find_nearest(suffix))
}

/// Returns the setting with the prefix that a variable lacks. Only some of those whose names begin like a
/// setting without the prefix, such as `STRIPE_…`, are meant for this server; others belong to other
/// programs.
fn find_prefixed(variable: &str) -> Option<&'static str> {
    let begins_alike = |setting: &SettingDeclaration| {
        !setting.name.starts_with(VARIABLE_PREFIX)
            && setting.name.split('_').next() == variable.split('_').next()
    };
    let is_meant = SETTINGS.iter().any(begins_alike);
    is_meant.then(|| find_setting(&format!("{VARIABLE_PREFIX}{variable}"))).flatten()
}

/// Returns the setting with the prefix whose further name is most similar to this one; `None` if none is
/// near.
fn find_nearest(suffix: &str) -> Option<&'static str> {
    let known_names = || SETTINGS.iter().map(|setting| setting.name);
    let nearest = nearest_name(suffix, known_names().filter_map(|name| name.strip_prefix(VARIABLE_PREFIX)))?;
    known_names().find(|name| name.strip_prefix(VARIABLE_PREFIX) == Some(nearest))
}
