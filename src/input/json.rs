//! Reads JSON bodies into one clear value or refusal.

use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::error::Category;

use super::strict_json::Object;
use crate::refusal::{InputError, InputErrorKind, Refusal};

/// Reads a body.
///
/// # Errors
/// `Input`, with the name of the field if one is wrong.
pub fn read<F: DeserializeOwned>(body: &[u8]) -> Result<F, Refusal> {
    // Most bodies are good. The others are read once more, with all that helps to say why.
    serde_json::from_slice::<Object<F>>(body).map(|form| form.0).or_else(|_| explained(body))
}

fn explained<F: DeserializeOwned>(body: &[u8]) -> Result<F, Refusal> {
    // JSON comes before fields, wherever in the body it breaks.
    let not_text = |_| InputError::new(InputErrorKind::Malformed, "The body is not UTF-8.");
    let text = std::str::from_utf8(body).map_err(not_text)?;
    serde_json::from_str::<IgnoredAny>(text).map_err(|error| malformed(&error))?;
    let mut json = serde_json::Deserializer::from_str(text);
    let form: Object<F> = serde_path_to_error::deserialize(&mut json).map_err(|error| explain(&error))?;
    json.end().map_err(|error| malformed(&error))?;
    Ok(form.0)
}

fn malformed(error: &serde_json::Error) -> Refusal {
    InputError::new(InputErrorKind::Malformed, sentence(&error.to_string())).into()
}

fn explain(error: &serde_path_to_error::Error<serde_json::Error>) -> Refusal {
    match error.inner() {
        cause if cause.classify() != Category::Data => malformed(cause),
        cause => explain_field(&error.path().to_string(), &cause.to_string()),
    }
}

/// Returns the refusal of a field for which the library gives this reason.
pub fn explain_field(path: &str, said: &str) -> Refusal {
    let field = |name: Option<&str>| match (path, name) {
        (".", Some(name)) => name.to_owned(),
        (path, Some(name)) if path.ends_with(name) => path.to_owned(),
        (path, Some(name)) => format!("{path}.{name}"),
        (".", None) => "body".to_owned(),
        (path, None) => path.to_owned(),
    };
    let kind = match said.split('`').next() {
        Some("unknown field ") => InputErrorKind::Unknown,
        Some("missing field ") => InputErrorKind::Missing,
        _ => InputErrorKind::Invalid,
    };
    let names_a_field = said.starts_with("unknown field")
        || said.starts_with("missing field")
        || said.starts_with("duplicate field");
    let name = said.split('`').nth(1).filter(|_| names_a_field);
    InputError::of_field(kind, field(name), sentence(said)).into()
}

/// The library's words as a sentence; positions stay, for they help.
fn sentence(said: &str) -> String {
    let mut letters = said.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}
