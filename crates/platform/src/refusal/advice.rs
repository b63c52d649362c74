//! Advice on a refusal: its code, and how the client goes on.

use std::borrow::Cow;

use chrono::TimeDelta;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::codes::Code;
use crate::time_format::whole_seconds;

/// The code of a refusal, and what helps the client beside the sentence.
#[derive(Clone, Debug)]
pub struct Advice {
    pub code: Code,
    /// The field of the request with the error; `None` if there is no single one.
    pub field: Option<Cow<'static, str>>,
    /// The next step; `None` if the hint of the code says it.
    pub hint: Option<Cow<'static, str>>,
    /// The time to wait; `None` if it does not help, or is not known.
    pub wait: Option<TimeDelta>,
    /// The additional fields of the response.
    pub fields: Map<String, Value>,
}

impl Advice {
    /// Returns advice that is no more than the row of a code.
    pub(super) fn of(code: Code) -> Self {
        Self { code, field: None, hint: None, wait: None, fields: Map::new() }
    }

    /// Names the field with the error.
    pub(super) fn field(self, name: impl Into<Cow<'static, str>>) -> Self {
        Self { field: Some(name.into()), ..self }
    }

    /// Replaces the hint of the code.
    pub(super) fn hint(self, hint: impl Into<Cow<'static, str>>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// Sets the time to wait.
    pub(super) fn retry_after(self, wait: TimeDelta) -> Self {
        Self { wait: Some(wait), ..self }
    }

    /// Adds an additional field of the response.
    pub(super) fn with_field(mut self, name: &str, value: impl Serialize) -> Self {
        self.fields.insert(name.to_owned(), json!(value));
        self
    }
}

/// Returns the number of seconds to wait, as in `Retry-After`.
pub(super) fn wait_seconds(wait: TimeDelta) -> i64 {
    whole_seconds(wait).max(1)
}
