//! `/api/admin/settings`: what can be changed while the server runs.

use actix_web::HttpResponse;
use actix_web::web::Data;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::app::App;
use crate::http::Answer;
use crate::http::request::auth_operator::Order;
use crate::http::response::private::private_json;
use crate::moderation::Cause;
use crate::settings::{self, Told};

/// `POST /api/admin/settings`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewValue {
    /// As `GET /api/admin/settings` has it.
    pub name: String,
    /// The new value; null for what the environment has.
    #[schema(value_type = Value)]
    pub value: Value,
    /// For the audit log.
    #[schema(min_length = 1)]
    pub why: String,
}

/// All settings that can change while the server runs.
#[derive(Debug, Serialize, ToSchema)]
pub struct Settings {
    pub settings: Vec<Told>,
}

/// All of them.
pub async fn list(app: Data<App>) -> Answer {
    let settings = settings::all(&app.state).await?;
    Ok(private_json(Settings { settings }))
}

/// Changes one.
pub async fn set(app: Data<App>, order: Order<NewValue>) -> Answer {
    let NewValue { name, value, why } = &order.form;
    let cause = Cause::new(&order.operator.name, why)?;
    Ok(HttpResponse::Ok().json(settings::set(&app.state, &cause, name, value).await?))
}
