//! What operators' orders have in common: a reason.

use serde::Deserialize;
use utoipa::ToSchema;

/// An order that needs nothing but its reason.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReasonBody {
    /// For the audit log, in up to 500 characters.
    #[schema(min_length = 1)]
    pub why: String,
}
