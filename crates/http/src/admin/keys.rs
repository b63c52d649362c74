//! `/api/admin/keys`: API keys of operators.

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use caraplace_accounts::operators::{OperatorKey, keys};
use caraplace_companion::app::App;
use rules::operators::OperatorScope;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::HandlerResult;
use crate::request::auth_operator::{AdminBody, AuthOperator};
use crate::response::no_store::{no_store_created, no_store_json};
use crate::response::not_found::key_not_found;

/// `POST /api/admin/keys`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct OperatorKeyBody {
    /// The key's purpose; unique among the valid keys.
    #[schema(min_length = 1, max_length = 64)]
    pub name: String,
    /// The scopes of the key, each once; all of the caller's by default.
    #[schema(value_type = Option<Vec<OperatorScope>>, min_items = 1)]
    pub scopes: Option<Vec<String>>,
}

/// API keys of operators, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct OperatorKeyList {
    pub keys: Vec<OperatorKey>,
}

/// The response to a revocation.
#[derive(Debug, Serialize, ToSchema)]
pub struct RevokeKeyResponse {
    pub revoked: bool,
}

/// Lists keys.
pub async fn list(app: Data<App>, AuthOperator(operator): AuthOperator) -> HandlerResult {
    let keys = keys::list(&app.state, &operator).await?;
    Ok(no_store_json(OperatorKeyList { keys }))
}

/// Creates a key.
pub async fn create(app: Data<App>, body: AdminBody<OperatorKeyBody>) -> HandlerResult {
    let OperatorKeyBody { name, scopes } = body.fields;
    Ok(no_store_created(keys::create(&app.state, &body.operator, &name, scopes.as_deref()).await?))
}

/// Revokes a key.
pub async fn revoke(app: Data<App>, AuthOperator(operator): AuthOperator, id: Path<String>) -> HandlerResult {
    if !keys::revoke(&app.state, &operator, &id).await? {
        return Err(key_not_found());
    }
    Ok(HttpResponse::Ok().json(RevokeKeyResponse { revoked: true }))
}
