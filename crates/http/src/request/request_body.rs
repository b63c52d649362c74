//! The requirements of request bodies, and parsing HTML forms.

use platform::input::json::explain_field;
use platform::refusal::codes::Code;
use serde::de::DeserializeOwned;

use crate::response::problem::Problem;

/// The need for a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyRequirement {
    Required,
    Optional,
}

/// The kind of account that can send a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AllowedCallers {
    Agents,
    /// Viewers, by key or session.
    Viewers,
    Both,
}

/// The limit that applies to a body's action, in addition to the one on requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActionLimit {
    Charges,
    Messages,
    None,
}

/// A request body with the requirements that are checked before it is parsed.
pub trait RequestBody: DeserializeOwned + 'static {
    /// The name of the route in idempotency keys; `None` if it does not support them.
    const IDEMPOTENT_ROUTE: Option<&'static str> = None;
    const KEY: KeyRequirement = KeyRequirement::Required;
    const LIMIT: ActionLimit = ActionLimit::None;
    const CALLERS: AllowedCallers = AllowedCallers::Agents;

    /// Returns true if the request only asks what it would do. Its idempotency key is ignored.
    fn is_dry_run(&self) -> bool {
        false
    }
}

/// Parses the fields of an HTML form.
///
/// # Errors
/// `unknown_field`, `missing_field` or `invalid_field`, with the field's name.
pub fn read_urlencoded<F: DeserializeOwned>(body: &[u8]) -> Result<F, Problem> {
    let undecodable = || Problem::for_field(Code::InvalidField, "body", "The form cannot be decoded.");
    let text = std::str::from_utf8(body).ok().ok_or_else(undecodable)?;
    let fields = serde_html_form::Deserializer::from_bytes(text.as_bytes());
    serde_path_to_error::deserialize(fields).map_err(|error| {
        let path = error.path().to_string();
        let cause = error.inner().to_string();
        // The error page shows only the message, so the message must contain the field's name.
        let names_field = cause.contains('`');
        let cause = if names_field { cause } else { format!("{path}: {cause}") };
        explain_field(&path, &cause).into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use platform::input::json;
    use proptest::collection::vec;
    use proptest::prelude::*;
    use serde::Deserialize;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code)]
    struct Thing {
        x: i64,
        #[serde(default, deserialize_with = "platform::input::strict_json::optional")]
        inner: Option<Inner>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code)]
    struct Inner {
        y: i64,
    }

    impl RequestBody for Thing {
        const KEY: KeyRequirement = KeyRequirement::Optional;
    }

    fn read<F: DeserializeOwned>(body: &[u8]) -> Result<F, Problem> {
        json::read(body).map_err(Problem::from)
    }

    fn refusal(body: &str) -> (Code, Option<String>) {
        let problem = read::<Thing>(body.as_bytes()).unwrap_err();
        (problem.code, problem.text_field("field").map(str::to_owned))
    }

    #[test]
    fn each_error_has_its_code_and_field() {
        let named = |name: &str| Some(name.to_owned());
        for (body, code, field) in [
            ("", Code::MalformedJson, None),
            ("{", Code::MalformedJson, None),
            ("{\"x\":1}x", Code::MalformedJson, None),
            ("{\"x\":\"\\ud800\"}", Code::MalformedJson, None),
            ("{\"x\":1,\"z\":2}", Code::UnknownField, named("z")),
            ("{}", Code::MissingField, named("x")),
            ("{\"x\":1,\"x\":2}", Code::InvalidField, named("x")),
            ("{\"x\":1.0}", Code::InvalidField, named("x")),
            ("{\"x\":99999999999999999999}", Code::InvalidField, named("x")),
            ("{\"x\":1,\"inner\":{}}", Code::MissingField, named("inner.y")),
            ("{\"x\":1,\"inner\":{\"y\":1,\"q\":1}}", Code::UnknownField, named("inner.q")),
            ("[]", Code::InvalidField, named("body")),
            ("[1,null]", Code::InvalidField, named("body")),
            ("{\"x\":1,\"inner\":[1]}", Code::InvalidField, named("inner")),
        ] {
            assert_eq!(refusal(body), (code, field), "{body}");
        }
    }

    #[test]
    fn deep_nesting_and_huge_numbers_are_refused() {
        let deep = format!("{{\"x\":{}", "[".repeat(100_000));
        assert!(read::<Thing>(deep.as_bytes()).is_err());
        assert!(read::<Thing>(b"{\"x\":1e400}").is_err());
    }

    const SPACE: &str = "[ \t\r\n]{0,3}";

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(body in vec(any::<u8>(), 0..100)) {
            let _ = read::<Thing>(&body);
        }

        #[test]
        fn any_json_like_text_is_read_or_refused(body in "[\\[\\]{}\",:x0-9eE.+\\\\u-]{0,80}") {
            let _ = read::<Thing>(body.as_bytes());
        }

        #[test]
        fn numbers_are_read_exactly_regardless_of_whitespace(x: i64, y: i64, a in SPACE, b in SPACE) {
            let body = format!("{a}{{{b}\"inner\"{a}:{{\"y\":{b}{y}{a}}}{a},\"x\"{b}:{a}{x}{b}}}{a}");
            let thing = read::<Thing>(body.as_bytes()).unwrap();
            prop_assert_eq!((thing.x, thing.inner.map(|inner| inner.y)), (x, Some(y)));
        }

        #[test]
        fn non_integers_and_large_numbers_are_refused(
            number in "-?(0|[1-9][0-9]{0,30})(\\.[0-9]{1,5})?([eE][+-]?[0-9]{1,3})?"
        ) {
            let whole = number.parse::<i64>().ok().filter(|_| number != "-0");
            match read::<Thing>(format!("{{\"x\":{number}}}").as_bytes()) {
                Ok(thing) => prop_assert_eq!(Some(thing.x), whole),
                Err(problem) => {
                    prop_assert!(whole.is_none(), "{number} is whole");
                    prop_assert!(matches!(problem.code, Code::InvalidField | Code::MalformedJson));
                }
            }
        }

        #[test]
        fn duplicate_and_unknown_fields_are_refused(x: i64, other: i64, name in "[a-wyz][a-z_]{0,9}") {
            let twice = read::<Thing>(format!("{{\"x\":{x},\"x\":{other}}}").as_bytes()).unwrap_err();
            prop_assert_eq!((twice.code, twice.text_field("field")), (Code::InvalidField, Some("x")));
            prop_assume!(name != "inner");
            let unknown = read::<Thing>(format!("{{\"{name}\":{other},\"x\":{x}}}").as_bytes()).unwrap_err();
            let field = unknown.text_field("field");
            prop_assert_eq!((unknown.code, field), (Code::UnknownField, Some(name.as_str())));
        }

        #[test]
        fn nesting_of_any_depth_is_refused(depth in 1_usize..3_000, array: bool) {
            let (open, close) = if array { ("[", "]") } else { ("{\"x\":", "}") };
            let body = format!("{{\"x\":{}1{}}}", open.repeat(depth), close.repeat(depth));
            prop_assert!(read::<Thing>(body.as_bytes()).is_err());
        }

        #[test]
        fn truncated_json_is_malformed(x: i64, cut in 1_usize..20) {
            let body = format!("{{\"inner\":{{\"y\":1}},\"x\":{x}}}");
            let problem = read::<Thing>(&body.as_bytes()[..body.len() - cut.min(body.len())]).unwrap_err();
            prop_assert_eq!(problem.code, Code::MalformedJson);
        }
    }
}
