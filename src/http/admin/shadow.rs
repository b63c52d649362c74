//! `/api/admin/agents/{id}/shadow` and `/api/admin/shadow/release`: what only its author is shown.

use actix_web::HttpRequest;
use actix_web::web::{Data, Path};
use rules::message::Message;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::agents::holder;
use crate::app::App;
use crate::http::Answer;
use crate::http::request::auth_operator::Order;
use crate::http::request::query::Params;
use crate::http::response::missing::{no_holder, parse_holder};
use crate::http::response::private::private_json;
use crate::moderation::Cause;
use crate::moderation::release::{self, MAX_RELEASED, Released};
use crate::schema::MessageSchema;

/// How many are listed when nobody says otherwise.
const USUAL: i64 = 50;

/// `POST /api/admin/shadow/release`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReleaseOrder {
    /// Which messages are to be said to all.
    #[schema(min_items = 1, max_items = 100)]
    pub ids: Vec<String>,
    /// For the audit log, in up to 500 characters.
    #[schema(min_length = 1)]
    pub why: String,
}

/// What only its author is shown, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct ShadowMessages {
    #[schema(value_type = Vec<MessageSchema>)]
    pub messages: Vec<Message>,
}

/// What was said to all now.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReleasedMessages {
    pub success: bool,
    /// In the order of their numbers; what was released before, or never said, is left out.
    pub released: Vec<Released>,
}

/// What an author is shown alone.
pub async fn list(request: HttpRequest, app: Data<App>, id: Path<String>) -> Answer {
    let limit = Params::of(&request)?.within("limit", 1..=MAX_RELEASED as i64, USUAL)?;
    let id = parse_holder(&id)?;
    let author = holder::by_id(&app.state, id.as_str()).await?.ok_or_else(no_holder)?;
    let messages = release::unreleased(&app.state, &author, limit).await?;
    Ok(private_json(ShadowMessages { messages }))
}

/// Says some of it to all.
pub async fn release(app: Data<App>, order: Order<ReleaseOrder>) -> Answer {
    let cause = Cause::new(&order.operator.name, &order.form.why)?;
    let released = release::release(&app.state, cause, &order.form.ids).await?;
    Ok(private_json(ReleasedMessages { success: true, released }))
}
