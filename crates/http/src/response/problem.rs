//! Error responses: `application/problem+json` (RFC 9457) with the same fields everywhere.

use std::fmt;

use actix_web::body::BoxBody;
use actix_web::http::StatusCode;
use actix_web::http::header::{
    ALLOW, CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER, VARY, WWW_AUTHENTICATE,
};
use actix_web::{HttpResponse, ResponseError};
use chrono::TimeDelta;
use platform::refusal::codes::Code;
use platform::refusal::{self, Advice, Refusal};
use platform::time_format::whole_seconds;
use serde_json::{Map, Value, json};

/// The default of `Retry-After`, in seconds.
const DEFAULT_RETRY_SECONDS: i64 = 1;

/// An error response with its code, detail, hint and additional fields.
#[derive(Debug)]
pub struct Problem {
    pub code: Code,
    pub detail: String,
    hint: Option<Box<str>>,
    fields: Map<String, Value>,
    retry_after: Option<i64>,
    /// A header of the response, such as `Allow`.
    header: Option<Box<(HeaderName, HeaderValue)>>,
    cause: Option<Box<str>>,
}

/// The longest detail, in characters. Language models read it, so long input must not be echoed.
const MAX_DETAIL_CHARS: usize = 400;
/// The longest name of a field, in characters.
const MAX_FIELD_CHARS: usize = 100;

impl Problem {
    /// Returns a problem; `detail` describes this occurrence.
    pub fn new(code: Code, detail: impl Into<String>) -> Self {
        let is_retryable = matches!(code.info().status, 429 | 503);
        Self {
            code,
            detail: truncate(&detail.into(), MAX_DETAIL_CHARS),
            hint: None,
            fields: Map::new(),
            retry_after: is_retryable.then_some(DEFAULT_RETRY_SECONDS),
            header: None,
            cause: None,
        }
    }

    /// Returns a problem with a field of the request.
    pub fn for_field(code: Code, field: &str, detail: impl Into<String>) -> Self {
        Self::new(code, detail).with_field("field", truncate(field, MAX_FIELD_CHARS))
    }

    /// Replaces the hint of the error table.
    pub fn hint(mut self, hint: impl Into<Box<str>>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds a field.
    pub fn with_field(mut self, name: &str, value: impl serde::Serialize) -> Self {
        self.fields.insert(name.to_owned(), json!(value));
        self
    }

    /// Sets the time to wait, rounded up to whole seconds.
    pub fn retry_after(mut self, wait: TimeDelta) -> Self {
        self.retry_after = Some(whole_seconds(wait).max(DEFAULT_RETRY_SECONDS));
        self
    }

    /// Sets the `Allow` header.
    pub fn allow(self, methods: &str) -> Self {
        self.header(ALLOW, methods)
    }

    /// Sets the `WWW-Authenticate` header.
    pub fn challenge(self, challenge: &str) -> Self {
        self.header(WWW_AUTHENTICATE, challenge)
    }

    fn header(mut self, name: HeaderName, value: &str) -> Self {
        self.header = HeaderValue::from_str(value).ok().map(|value| Box::new((name, value)));
        self
    }

    /// Adds the causes of an internal error, for the log only.
    pub fn caused_by(self, causes: String) -> Self {
        Self { cause: Some(causes.into()), ..self }
    }

    /// Returns the hint.
    pub fn hint_text(&self) -> &str {
        self.own_hint().unwrap_or(self.code.info().hint)
    }

    /// Returns the hint that replaces the error table's; `None` if the table's applies.
    pub fn own_hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// Returns the value of an additional field that is a number.
    pub fn number_field(&self, name: &str) -> Option<i64> {
        self.fields.get(name).and_then(Value::as_i64)
    }

    /// Returns the value of an additional field that is a text.
    pub fn text_field(&self, name: &str) -> Option<&str> {
        self.fields.get(name).and_then(Value::as_str)
    }

    /// Returns the number of seconds to wait; 0 if waiting does not help.
    pub fn retry_after_seconds(&self) -> i64 {
        self.retry_after.unwrap_or_default()
    }

    /// Returns the causes of an internal error, for the log only.
    pub fn cause(&self) -> Option<&str> {
        self.cause.as_deref()
    }

    /// Returns the body.
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

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        let Advice { code, field, hint, wait, fields } = refusal.advice();
        let detail = write_detail(&refusal);
        let mut problem = match field {
            Some(field) => Self::for_field(code, &field, detail),
            None => Self::new(code, detail),
        };
        problem.hint = hint.map(Into::into);
        problem.fields.extend(fields);
        if let Some(wait) = wait {
            problem = problem.retry_after(wait);
        }
        match refusal {
            Refusal::Internal(error) => problem.caused_by(error.chain()),
            _ => problem,
        }
    }
}

/// Returns the refusal's sentence, unless the title, which only problems have, already gives the reason.
fn write_detail(refusal: &Refusal) -> String {
    match refusal {
        Refusal::Unavailable | Refusal::Overloaded => "Nothing was changed or spent.".to_owned(),
        refusal => refusal.to_string(),
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
        if self.code == Code::NotAcceptable {
            response.insert_header((VARY, "Accept"));
        }
        if self.code.info().status == 401 {
            response.insert_header((WWW_AUTHENTICATE, "Bearer"));
        }
        if let Some(header) = &self.header {
            response.insert_header((**header).clone());
        }
        response.body(self.json().to_string())
    }
}

/// A rendering error is a defect of the template, so it is an internal error.
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
