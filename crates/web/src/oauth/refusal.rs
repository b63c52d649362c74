//! The error responses of OAuth's endpoints for programs (RFC 6749, 5.2; RFC 7591, 3.2.2).

use actix_web::http::StatusCode;
use actix_web::http::header::WWW_AUTHENTICATE;
use actix_web::{HttpResponse, HttpResponseBuilder};
use caraplace_accounts::oauth::exchange::ExchangeError;
use caraplace_http::HandlerResult;
use caraplace_http::response::no_store::no_store;
use caraplace_http::response::problem::Problem;
use platform::refusal::Refusal;
use serde_json::json;

/// The reason why a request of a program is refused.
#[derive(Debug)]
pub enum OAuthRefusal {
    /// An error that the standards name, with a sentence that says what to do.
    Named { error: &'static str, description: String },
    /// An error outside of the standards, such as a rate limit.
    Other(Problem),
}

impl OAuthRefusal {
    /// Returns a named error.
    pub fn new(error: &'static str, description: impl Into<String>) -> Self {
        Self::Named { error, description: description.into() }
    }

    /// Returns the refusal of a request that is not well-formed.
    pub fn invalid_request(description: impl Into<String>) -> Self {
        Self::new("invalid_request", description)
    }
}

impl From<Problem> for OAuthRefusal {
    fn from(problem: Problem) -> Self {
        match problem.code.info().status {
            400 | 413 | 415 => Self::invalid_request(problem.detail),
            _ => Self::Other(problem),
        }
    }
}

impl From<Refusal> for OAuthRefusal {
    fn from(refusal: Refusal) -> Self {
        Problem::from(refusal).into()
    }
}

impl From<ExchangeError> for OAuthRefusal {
    fn from(error: ExchangeError) -> Self {
        match error {
            ExchangeError::InvalidGrant(description) => Self::new("invalid_grant", description),
            ExchangeError::Refused(refusal) => refusal.into(),
        }
    }
}

/// Returns the response to a program's request. Errors outside of the standards are problems with OAuth's
/// fields, so that they are logged and counted as elsewhere.
///
/// # Errors
/// The error outside of the standards.
pub fn respond(result: Result<HttpResponse, OAuthRefusal>) -> HandlerResult {
    match result {
        Ok(response) => Ok(response),
        Err(OAuthRefusal::Named { error, description }) => {
            let body = json!({"error": error, "error_description": description});
            Ok(no_store(response_head(error)).json(body))
        }
        Err(OAuthRefusal::Other(problem)) => {
            let is_temporary = matches!(problem.code.info().status, 429 | 503);
            let error = if is_temporary { "temporarily_unavailable" } else { "server_error" };
            let description = format!("{} {}", problem.detail, problem.hint_text());
            Err(problem.with_field("error", error).with_field("error_description", description))
        }
    }
}

fn response_head(error: &str) -> HttpResponseBuilder {
    if error != "invalid_client" {
        return HttpResponse::BadRequest();
    }
    let mut response = HttpResponse::build(StatusCode::UNAUTHORIZED);
    // Every 401 needs a challenge (RFC 9110), though no client has a secret here.
    response.insert_header((WWW_AUTHENTICATE, "Basic realm=\"oauth\""));
    response
}
