//! The key of the provider: given as itself, as the name of a variable, or as the path of a file.

use platform::config::Secret;
use reqwest::header::HeaderValue;

/// The reason why there can be no client of a model. No variant contains the key.
#[derive(Debug, thiserror::Error)]
pub enum ModelSetupError {
    #[error("GUIDE_MODEL is not set. Set it to the name of a model.")]
    NoModel,
    #[error(
        "GUIDE_API_KEY names an environment variable that is not set or empty. Set that variable, or correct \
         its name."
    )]
    VariableNotSet,
    #[error(
        "GUIDE_API_KEY names a file that cannot be read ({0}). Check the path after file: and its \
         permissions."
    )]
    FileUnreadable(std::io::Error),
    #[error(
        "The key of GUIDE_API_KEY is empty or contains characters that no key has. Copy it again from the \
         provider."
    )]
    UnusableKey,
    #[error("The HTTP client for the guide's model cannot be built. Report this as an error of the server.")]
    NoClient,
}

/// Returns the key itself.
///
/// # Errors
/// If the variable or the file that the setting names has none.
pub(super) fn read_key(setting: &Secret) -> Result<Secret, ModelSetupError> {
    find_key(setting.expose(), |name| std::env::var(name).ok())
}

/// Returns the value of a header with the key, which is never printed.
///
/// # Errors
/// If it contains characters that no header may contain.
pub(super) fn key_header(value: &str) -> Result<HeaderValue, ModelSetupError> {
    let mut header = HeaderValue::from_str(value).map_err(|_| ModelSetupError::UnusableKey)?;
    header.set_sensitive(true);
    Ok(header)
}

fn find_key(setting: &str, look_up: impl Fn(&str) -> Option<String>) -> Result<Secret, ModelSetupError> {
    let key = if let Some(name) = setting.strip_prefix("env:") {
        look_up(name.trim()).filter(|key| !key.trim().is_empty()).ok_or(ModelSetupError::VariableNotSet)?
    } else if let Some(path) = setting.strip_prefix("file:") {
        std::fs::read_to_string(path.trim()).map_err(ModelSetupError::FileUnreadable)?
    } else {
        setting.to_owned()
    };
    let key = key.trim();
    let is_usable = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_graphic());
    if is_usable { Ok(Secret::new(key)) } else { Err(ModelSetupError::UnusableKey) }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    const KEY: &str = "sk-hunter2-hunter2";

    fn find(setting: &str) -> Result<String, ModelSetupError> {
        let variables = [("THE_KEY", format!(" {KEY}\n")), ("EMPTY", " ".to_owned())];
        let look_up =
            |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, key)| key.clone());
        find_key(setting, look_up).map(|key| key.expose().to_owned())
    }

    #[test]
    fn key_is_a_value_or_stands_in_a_variable_or_a_file() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        writeln!(file, "{KEY}").unwrap();
        let path = format!("file:{}", file.path().display());
        for setting in [KEY, "env:THE_KEY", &path] {
            assert_eq!(find(setting).unwrap(), KEY);
        }
    }

    #[test]
    fn key_that_cannot_be_read_is_refused_with_advice() {
        assert!(matches!(find("env:OTHER"), Err(ModelSetupError::VariableNotSet)));
        assert!(matches!(find("env:EMPTY"), Err(ModelSetupError::VariableNotSet)));
        assert!(matches!(find("file:/no/such/file"), Err(ModelSetupError::FileUnreadable(_))));
        for key in ["sk hunter2", "sk-hunter2\r\nx-other: 1", "sk-hunter2é"] {
            let refusal = find(key).unwrap_err();
            assert!(matches!(refusal, ModelSetupError::UnusableKey));
            assert!(!format!("{refusal} {refusal:?}").contains("hunter2"));
        }
    }
}
