//! The request body of acts that need only a reason.

use serde::Deserialize;
use utoipa::ToSchema;

/// An act that needs only a reason.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReasonBody {
    /// The reason for the audit log, in up to 500 characters.
    #[schema(min_length = 1)]
    #[serde(alias = "why")]
    pub reason: String,
}
