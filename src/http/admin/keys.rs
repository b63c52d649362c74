//! `/api/admin/keys`: keys with which programs do what operators do.

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::app::App;
use crate::http::Answer;
use crate::http::request::auth_operator::Order;
use crate::http::response::missing::no_key;
use crate::http::response::private::{private_created, private_json};
use crate::operators::{Operator, OperatorKey, keys};

/// `POST /api/admin/keys`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct KeyOrder {
    /// What it is for; no two live keys have the same.
    #[schema(min_length = 1, max_length = 64)]
    pub name: String,
}

/// All keys, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct OperatorKeys {
    pub keys: Vec<OperatorKey>,
}

/// The answer to a revocation.
#[derive(Debug, Serialize, ToSchema)]
pub struct Revoked {
    pub revoked: bool,
}

/// All keys.
pub async fn list(app: Data<App>) -> Answer {
    let keys = keys::list(&app.state).await?;
    Ok(private_json(OperatorKeys { keys }))
}

/// Makes a key.
pub async fn new(app: Data<App>, order: Order<KeyOrder>) -> Answer {
    Ok(private_created(keys::new(&app.state, &order.operator, &order.form.name).await?))
}

/// Ends a key.
pub async fn revoke(app: Data<App>, operator: Operator, id: Path<String>) -> Answer {
    if !keys::revoke(&app.state, &operator, &id).await? {
        return Err(no_key());
    }
    Ok(HttpResponse::Ok().json(Revoked { revoked: true }))
}
