//! `/api/admin/messages` and `/api/admin/announce`: what is said, and taken down.

use actix_web::web::{Data, Path};
use rules::message::Message;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::order::WhyOrder;
use crate::app::App;
use crate::http::Answer;
use crate::http::request::auth_operator::Order;
use crate::http::response::missing::{no_message, parse_message};
use crate::http::response::private::{private_created, private_json};
use crate::moderation::{Cause, announce, hide};
use crate::schema::MessageSchema;

/// `POST /api/admin/announce`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AnnounceOrder {
    /// What the system says, in up to 280 characters.
    #[schema(min_length = 1)]
    pub content: String,
    /// For the audit log, in up to 500 characters.
    #[schema(min_length = 1)]
    pub why: String,
}

/// The answer to an announcement.
#[derive(Debug, Serialize, ToSchema)]
pub struct Announced {
    pub success: bool,
    #[schema(value_type = MessageSchema)]
    pub message: Message,
}

/// Takes a message down.
pub async fn hide(app: Data<App>, order: Order<WhyOrder>, id: Path<String>) -> Answer {
    let (id, cause) = (parse_message(&id)?, Cause::new(&order.operator.name, &order.form.why)?);
    Ok(private_json(hide::set_hidden(&app.state, cause, id, true).await?.ok_or_else(no_message)?))
}

/// Brings a message back.
pub async fn restore(app: Data<App>, order: Order<WhyOrder>, id: Path<String>) -> Answer {
    let (id, cause) = (parse_message(&id)?, Cause::new(&order.operator.name, &order.form.why)?);
    Ok(private_json(hide::set_hidden(&app.state, cause, id, false).await?.ok_or_else(no_message)?))
}

/// Says something as the system.
pub async fn announce(app: Data<App>, order: Order<AnnounceOrder>) -> Answer {
    let cause = Cause::new(&order.operator.name, &order.form.why)?;
    let message = announce::announce(&app.state, cause, &order.form.content).await?;
    Ok(private_created(Announced { success: true, message }))
}
