//! `/api/admin/messages` and `/api/admin/announce`: what is said, and taken down.

use actix_web::web::{Data, Path};
use rules::message::Message;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::reason_body::ReasonBody;
use crate::app::App;
use crate::http::HandlerResult;
use crate::http::request::auth_operator::AdminBody;
use crate::http::response::no_store::{no_store_created, no_store_json};
use crate::http::response::not_found::{message_not_found, parse_message_id};
use crate::moderation::{AuditReason, announce, hide};
use crate::schema::MessageSchema;

/// `POST /api/admin/announce`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AnnounceBody {
    /// What the system says, in up to 280 characters.
    #[schema(min_length = 1)]
    pub content: String,
    /// For the audit log, in up to 500 characters.
    #[schema(min_length = 1)]
    pub why: String,
}

/// The answer to an announcement.
#[derive(Debug, Serialize, ToSchema)]
pub struct AnnounceResponse {
    pub success: bool,
    #[schema(value_type = MessageSchema)]
    pub message: Message,
}

/// Takes a message down.
pub async fn hide(app: Data<App>, body: AdminBody<ReasonBody>, id: Path<String>) -> HandlerResult {
    let (id, audit_reason) =
        (parse_message_id(&id)?, AuditReason::new(&body.operator.name, &body.fields.why)?);
    Ok(no_store_json(
        hide::set_hidden(&app.state, audit_reason, id, true).await?.ok_or_else(message_not_found)?,
    ))
}

/// Brings a message back.
pub async fn restore(app: Data<App>, body: AdminBody<ReasonBody>, id: Path<String>) -> HandlerResult {
    let (id, audit_reason) =
        (parse_message_id(&id)?, AuditReason::new(&body.operator.name, &body.fields.why)?);
    Ok(no_store_json(
        hide::set_hidden(&app.state, audit_reason, id, false).await?.ok_or_else(message_not_found)?,
    ))
}

/// Says something as the system.
pub async fn announce(app: Data<App>, body: AdminBody<AnnounceBody>) -> HandlerResult {
    let audit_reason = AuditReason::new(&body.operator.name, &body.fields.why)?;
    let message = announce::announce(&app.state, audit_reason, &body.fields.content).await?;
    Ok(no_store_created(AnnounceResponse { success: true, message }))
}
