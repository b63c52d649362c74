//! What operators' orders have in common: a reason, and an end.

use chrono::{DateTime, Utc};
use rules::ids::{HolderId, MessageId};
use rules::rights::FOR_EVER;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::http::api::reports::said;
use crate::http::request::query;
use crate::http::response::codes::Code;
use crate::http::response::problem::Problem;
use crate::moderation::Cause;
use crate::operators::Operator;

/// An order that needs nothing but its reason.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct WhyOrder {
    /// For the audit log, in up to 500 characters.
    #[schema(min_length = 1)]
    pub why: String,
}

/// Who orders something, and why.
///
/// # Errors
/// `invalid_field` where no reason is given.
pub fn cause(operator: &Operator, why: &str) -> Result<Cause, Problem> {
    Ok(Cause { operator: operator.name.clone(), why: said("why", why)? })
}

/// When something ends: for ever, unless another time is named.
///
/// # Errors
/// `invalid_field` for what is over already.
pub fn end(app: &App, until: Option<DateTime<Utc>>) -> Result<DateTime<Utc>, Problem> {
    let until = until.unwrap_or(FOR_EVER);
    if until <= app.state.clock.now() || until > FOR_EVER {
        return Err(query::invalid(
            "until",
            "must be a time to come, before the year 10000; null is for ever",
        ));
    }
    Ok(until)
}

/// Whoever an address names.
///
/// # Errors
/// `not_found` for what can be nobody's id.
pub fn holder(id: &str) -> Result<HolderId, Problem> {
    HolderId::parse(id).ok_or_else(nobody)
}

/// The message that an address names.
///
/// # Errors
/// `not_found` for what can be no message's id.
pub fn message(id: &str) -> Result<MessageId, Problem> {
    MessageId::parse(id).ok_or_else(no_message)
}

/// The refusal to do something to nobody.
pub fn nobody() -> Problem {
    Problem::new(Code::NotFound, "Nobody has this id, or only operators.")
}

/// The refusal to do something to a message that was never said.
pub fn no_message() -> Problem {
    Problem::new(Code::NotFound, "There never was a message with this id.")
}
