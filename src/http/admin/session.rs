//! `/api/admin/session`: who is asking.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use super::super::HandlerResult;
use crate::http::response::no_store::no_store_json;
use crate::operators::Operator;

/// Who is asking, as the audit log names it.
#[derive(Debug, Serialize, ToSchema)]
pub struct OperatorSessionInfo {
    pub operator: String,
    /// When it signed in, or when its key was made.
    pub since: DateTime<Utc>,
    /// What X-CSRF-Token must hold with each change; null for keys, which need none.
    pub csrf: Option<String>,
}

/// Who is asking.
pub async fn session(operator: Operator) -> HandlerResult {
    let Operator { name, since, csrf, .. } = operator;
    Ok(no_store_json(OperatorSessionInfo { operator: name, since, csrf }))
}
