//! `/api/admin/session`: the signed-in operator.

use caraplace_accounts::operators::Operator;
use chrono::{DateTime, Utc};
use rules::operators::{OperatorRole, OperatorScope};
use serde::Serialize;
use utoipa::ToSchema;

use crate::HandlerResult;
use crate::request::auth_operator::AuthOperator;
use crate::response::no_store::no_store_json;

/// The caller's session.
#[derive(Debug, Serialize, ToSchema)]
pub struct OperatorSessionInfo {
    /// The operator's name in the audit log; with a key, that of the key is added.
    pub operator: String,
    pub role: OperatorRole,
    /// The scopes of the role, or those of them that the key has.
    pub scopes: Vec<OperatorScope>,
    /// The time of the sign-in, or of the creation of the key.
    pub since: DateTime<Utc>,
    /// The value of X-CSRF-Token for requests that change something; null for keys, which need none.
    pub csrf: Option<String>,
}

/// Returns the caller's session.
#[allow(clippy::unused_async, reason = "handlers are async")]
pub async fn session(AuthOperator(operator): AuthOperator) -> HandlerResult {
    let Operator { name, role, scopes, since, csrf, .. } = operator;
    let scopes = scopes.iter().collect();
    Ok(no_store_json(OperatorSessionInfo { operator: name, role, scopes, since, csrf }))
}
