//! Refusals on the wire: `application/problem+json`, one shape everywhere.

use std::fmt;

use actix_web::body::BoxBody;
use actix_web::http::StatusCode;
use actix_web::http::header::{ALLOW, CONTENT_TYPE, RETRY_AFTER, VARY, WWW_AUTHENTICATE};
use actix_web::{HttpResponse, ResponseError};
use chrono::TimeDelta;
use serde_json::{Map, Value, json};

use super::codes::Code;
use crate::refusal;

/// How long a client should wait when nobody knows.
const DEFAULT_RETRY_SECONDS: i64 = 1;

/// A refusal, with all that helps its reader.
#[derive(Debug)]
pub struct Problem {
    pub code: Code,
    pub detail: String,
    hint: Option<Box<str>>,
    fields: Map<String, Value>,
    retry_after: Option<i64>,
    allow: Option<Box<str>>,
    cause: Option<Box<str>>,
}

/// Refusals are read by language models: what someone sent is not sent back at length.
const MAX_DETAIL_CHARS: usize = 400;
const MAX_FIELD_CHARS: usize = 100;

impl Problem {
    /// A refusal; `detail` says what was wrong in this case.
    pub fn new(code: Code, detail: impl Into<String>) -> Self {
        let is_retryable = matches!(code.info().status, 429 | 503);
        Self {
            code,
            detail: truncate(&detail.into(), MAX_DETAIL_CHARS),
            hint: None,
            fields: Map::new(),
            retry_after: is_retryable.then_some(DEFAULT_RETRY_SECONDS),
            allow: None,
            cause: None,
        }
    }

    /// A refusal of a field's value.
    pub fn for_field(code: Code, field: &str, detail: impl Into<String>) -> Self {
        Self::new(code, detail).with_field("field", truncate(field, MAX_FIELD_CHARS))
    }

    /// What to do next, where the table's hint is too general.
    pub fn hint(mut self, hint: impl Into<Box<str>>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// One more field that helps.
    pub fn with_field(mut self, name: &str, value: impl serde::Serialize) -> Self {
        self.fields.insert(name.to_owned(), json!(value));
        self
    }

    /// How long to wait, rounded up to whole seconds.
    pub fn retry_after(mut self, wait: TimeDelta) -> Self {
        self.retry_after = Some(whole_seconds(wait).max(DEFAULT_RETRY_SECONDS));
        self
    }

    /// The methods that would do.
    pub fn allow(mut self, methods: String) -> Self {
        self.allow = Some(methods.into());
        self
    }

    /// Returns the refusal with the causes of an internal error, for the log only.
    pub fn caused_by(self, causes: String) -> Self {
        Self { cause: Some(causes.into()), ..self }
    }

    /// What to do next.
    pub fn hint_text(&self) -> &str {
        self.hint.as_deref().unwrap_or(self.code.info().hint)
    }

    /// A number among the fields that help.
    pub fn number_field(&self, name: &str) -> Option<i64> {
        self.fields.get(name).and_then(Value::as_i64)
    }

    /// How long to wait, in seconds; zero when waiting does not help.
    pub fn retry_after_seconds(&self) -> i64 {
        self.retry_after.unwrap_or_default()
    }

    /// The field that the refusal names, if any.
    pub fn named_field(&self) -> Option<String> {
        self.fields.get("field").and_then(Value::as_str).map(str::to_owned)
    }

    /// Returns the causes of an internal error, for the log only.
    pub fn cause(&self) -> Option<&str> {
        self.cause.as_deref()
    }

    /// The body.
    pub fn json(&self) -> Value {
        let line = self.code.info();
        let mut body = json!({
            "type": format!("/errors#{}", line.code),
            "title": line.title,
            "status": line.status,
            "code": line.code,
            "detail": self.detail,
            "hint": self.hint_text(),
        });
        if let Value::Object(body) = &mut body {
            body.extend(self.fields.clone());
            body.extend(self.retry_after.map(|seconds| ("retry_after".to_owned(), json!(seconds))));
        }
        body
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code.info().code, self.detail)
    }
}

impl ResponseError for Problem {
    fn status_code(&self) -> StatusCode {
        StatusCode::from_u16(self.code.info().status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }

    fn error_response(&self) -> HttpResponse<BoxBody> {
        let mut response = HttpResponse::build(self.status_code());
        response.insert_header((CONTENT_TYPE, "application/problem+json"));
        if let Some(seconds) = self.retry_after {
            response.insert_header((RETRY_AFTER, seconds));
        }
        if let Some(methods) = &self.allow {
            response.insert_header((ALLOW, &**methods));
        }
        if self.code == Code::NotAcceptable {
            response.insert_header((VARY, "Accept"));
        }
        if self.code.info().status == 401 {
            response.insert_header((WWW_AUTHENTICATE, "Bearer"));
        }
        response.body(self.json().to_string())
    }
}

/// A page that cannot be written is a defect of its template.
impl From<askama::Error> for Problem {
    fn from(error: askama::Error) -> Self {
        refusal::internal("rendering a page")(error).into()
    }
}

fn truncate(text: &str, max_chars: usize) -> String {
    match text.char_indices().nth(max_chars) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Rounded up; none for what is over.
pub fn whole_seconds(wait: TimeDelta) -> i64 {
    let rounding = i64::from(wait.subsec_nanos() > 0);
    (wait.num_seconds() + rounding).max(0)
}
