//! Reads JSON bodies, or explains precisely why one is refused.

use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::error::Category;

use super::json_sentences::{syntax_sentence, to_sentence};
use super::nearest_name;
use super::strict_json::StrictObject;
use crate::refusal::{InputError, InputErrorKind, Refusal};

/// The byte order mark of UTF-8, with which some editors and languages begin a text.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Returns JSON without a byte order mark at its start, which a parser may ignore (RFC 8259, section 8.1).
pub fn without_byte_order_mark(json: &[u8]) -> &[u8] {
    json.strip_prefix(BYTE_ORDER_MARK).unwrap_or(json)
}

/// Reads a body.
///
/// # Errors
/// `Input`, with the name of the field if one is wrong.
pub fn read<F: DeserializeOwned>(body: &[u8]) -> Result<F, Refusal> {
    let body = without_byte_order_mark(body);
    // Most bodies are valid. Only the others are parsed again, with everything that helps to explain the
    // error.
    serde_json::from_slice::<StrictObject<F>>(body)
        .map(|object| object.0)
        .or_else(|_| read_with_explanation(body))
}

fn read_with_explanation<F: DeserializeOwned>(body: &[u8]) -> Result<F, Refusal> {
    // A syntax error is reported before an error in a field, wherever in the body it is.
    let not_text = |_| InputError::new(InputErrorKind::Malformed, "The body is not UTF-8.");
    let text = std::str::from_utf8(body).map_err(not_text)?;
    if text.trim().is_empty() {
        return Err(InputError::new(InputErrorKind::Malformed, "The body is empty.").into());
    }
    serde_json::from_str::<IgnoredAny>(text).map_err(|error| malformed(&error))?;
    let mut json = serde_json::Deserializer::from_str(text);
    let object: StrictObject<F> =
        serde_path_to_error::deserialize(&mut json).map_err(|error| explain_error(&error))?;
    json.end().map_err(|error| malformed(&error))?;
    Ok(object.0)
}

fn malformed(error: &serde_json::Error) -> Refusal {
    InputError::new(InputErrorKind::Malformed, syntax_sentence(error)).into()
}

fn explain_error(error: &serde_path_to_error::Error<serde_json::Error>) -> Refusal {
    match error.inner() {
        // The syntax is correct, so that the value is only not of the type that is expected: a word of a
        // list.
        cause if cause.classify() == Category::Syntax && cause.to_string().starts_with("expected value") => {
            let field = error.path().to_string();
            let detail = format!("{field} must be a text in double quotes.");
            InputError::for_field(InputErrorKind::Invalid, field, detail).into()
        }
        cause if cause.classify() != Category::Data => malformed(cause),
        cause => explain_field(&error.path().to_string(), &cause.to_string()),
    }
}

/// Returns the refusal of a field for which serde gives this reason.
pub fn explain_field(path: &str, message: &str) -> Refusal {
    let full_name = |name: Option<&str>| match (path, name) {
        (".", Some(name)) => name.to_owned(),
        (path, Some(name)) if path.ends_with(name) => path.to_owned(),
        (path, Some(name)) => format!("{path}.{name}"),
        (".", None) => "body".to_owned(),
        (path, None) => path.to_owned(),
    };
    let kind = match message.split('`').next() {
        Some("unknown field ") => InputErrorKind::Unknown,
        Some("missing field ") => InputErrorKind::Missing,
        _ => InputErrorKind::Invalid,
    };
    let is_about_field = message.starts_with("unknown field")
        || message.starts_with("missing field")
        || message.starts_with("duplicate field");
    let name = message.split('`').nth(1).filter(|_| is_about_field);
    let mut detail = to_sentence(message);
    if kind == InputErrorKind::Unknown
        && let Some(nearest) = nearest_field(message)
    {
        detail = format!("{detail} Did you mean `{nearest}`?");
    }
    InputError::for_field(kind, full_name(name), detail).into()
}

/// Returns the field that the sender of an unknown one most likely meant; `None` if no name is similar.
///
/// serde's message names the unknown field and then those that exist, each in backticks.
fn nearest_field(message: &str) -> Option<&str> {
    let mut names = message.split('`').skip(1).step_by(2);
    let unknown = names.next()?;
    nearest_name(unknown, names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Map, Value};

    #[test]
    fn one_byte_order_mark_at_the_start_is_ignored() {
        let read_text = |text: &str| read::<Map<String, Value>>(text.as_bytes());
        assert_eq!(read_text("\u{feff}{\"x\": \"\u{feff}\"}").unwrap()["x"], "\u{feff}");
        for wrong in ["\u{feff}\u{feff}{}", "{\u{feff}}", "{}\u{feff}", "\u{feff}"] {
            assert!(read_text(wrong).is_err(), "{wrong:?}");
        }
    }
}
