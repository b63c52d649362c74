//! `/api/admin/messages` and `/api/admin/announce`: hiding messages, their earlier texts, and posting
//! announcements.

use actix_web::web::{Data, Path};
use caraplace_companion::app::App;
use caraplace_log::audit_reason::AuditReason;
use caraplace_log::command::CommandOutcome;
use caraplace_messages::EarlierText;
use caraplace_messages::reads::earlier_texts;
use caraplace_moderation::actions::answer::AnnounceResponse;
use caraplace_moderation::actions::body::{AnnounceBody, ReasonBody};
use caraplace_moderation::{announce, hide};
use platform::refusal::Refusal;
use serde::Serialize;
use utoipa::ToSchema;

use crate::HandlerResult;
use crate::request::auth_operator::AdminBody;
use crate::response::no_store::{no_store_created, no_store_json};
use crate::response::not_found::{message_not_found, parse_message_id};

/// The texts that a message had before its author changed or deleted it.
#[derive(Debug, Serialize, ToSchema)]
pub struct MessageHistory {
    pub message_id: String,
    /// Oldest first; empty if the text is as it was posted.
    pub earlier_texts: Vec<EarlierText>,
}

/// Returns the earlier texts of a message.
pub async fn history(app: Data<App>, id: Path<String>) -> HandlerResult {
    let message_id = parse_message_id(&id)?.as_str().to_owned();
    let mut texts_by_id = earlier_texts(&app.state, std::slice::from_ref(&message_id)).await?;
    let earlier_texts = texts_by_id.remove(&message_id).unwrap_or_default();
    Ok(no_store_json(MessageHistory { message_id, earlier_texts }))
}

/// Hides a message.
pub async fn hide(app: Data<App>, body: AdminBody<ReasonBody>, id: Path<String>) -> HandlerResult {
    let id = parse_message_id(&id)?;
    let audit_reason = AuditReason::new(&body.operator.name, &body.fields.reason)?;
    Ok(no_store_json(
        hide::set_hidden(&app.state, audit_reason, id, true).await?.ok_or_else(message_not_found)?,
    ))
}

/// Restores a hidden message.
pub async fn restore(app: Data<App>, body: AdminBody<ReasonBody>, id: Path<String>) -> HandlerResult {
    let id = parse_message_id(&id)?;
    let audit_reason = AuditReason::new(&body.operator.name, &body.fields.reason)?;
    Ok(no_store_json(
        hide::set_hidden(&app.state, audit_reason, id, false).await?.ok_or_else(message_not_found)?,
    ))
}

/// Posts an announcement as the system.
pub async fn announce(app: Data<App>, body: AdminBody<AnnounceBody>) -> HandlerResult {
    let audit_reason = AuditReason::new(&body.operator.name, &body.fields.reason)?;
    match announce::announce(&app.state, audit_reason, &body.fields.content).await? {
        CommandOutcome::Executed(message) => {
            Ok(no_store_created(AnnounceResponse { success: true, message }))
        }
        // Only that of a draft is not posted again.
        CommandOutcome::Replayed(_) => Err(Refusal::Unavailable.into()),
    }
}
