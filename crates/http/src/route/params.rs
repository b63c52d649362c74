//! The parameters of rows of the route table: in the path, in headers, and of any kind in the query.

use super::endpoint::{IDEMPOTENCY_KEY_HEADER, Param, ParamDefault, ParamKind, ParamLocation};

/// Returns an optional query parameter.
pub const fn query(name: &'static str, kind: ParamKind, help: &'static str) -> Param {
    Param { name, location: ParamLocation::Query, kind, required: false, default: None, help }
}

/// Returns a path parameter.
pub const fn path(name: &'static str, help: &'static str) -> Param {
    Param { location: ParamLocation::Path, required: true, ..query(name, ParamKind::Text, help) }
}

/// Returns an optional header.
pub const fn header(name: &'static str, kind: ParamKind, help: &'static str) -> Param {
    Param { location: ParamLocation::Header, ..query(name, kind, help) }
}

impl Param {
    /// Makes the parameter required.
    #[must_use]
    pub const fn required(self) -> Self {
        Self { required: true, ..self }
    }

    /// Sets the value of a parameter that is not sent.
    #[must_use]
    pub const fn with_default(self, default: ParamDefault) -> Self {
        Self { default: Some(default), ..self }
    }

    /// Replaces the description.
    #[must_use]
    pub const fn with_help(self, help: &'static str) -> Self {
        Self { help, ..self }
    }

    /// Returns the description with the default.
    pub fn description(&self) -> String {
        match self.default {
            Some(ParamDefault::Number(number)) => self.help.replace("{default}", &number.to_string()),
            Some(ParamDefault::Word(word)) => self.help.replace("{default}", word),
            None => self.help.to_owned(),
        }
    }
}

const IDEMPOTENCY_KEY_PATTERN: ParamKind = ParamKind::Pattern("^[!-~]([ -~]{0,253}[!-~])?$");

/// The parameters of a route that supports idempotency keys.
pub const IDEMPOTENCY_PARAMS: &[Param] = &[IDEMPOTENCY_PARAM];
/// The header with an idempotency key.
pub const IDEMPOTENCY_PARAM: Param = header(
    IDEMPOTENCY_KEY_HEADER,
    IDEMPOTENCY_KEY_PATTERN,
    "up to 255 characters; repeating a request with the same key and body returns its first success",
);
