//! `/api/admin/messages`: the earlier texts of messages.

use actix_web::web::{Data, Path};
use caraplace_companion::app::App;
use caraplace_messages::EarlierText;
use caraplace_messages::reads::earlier_texts;
use rules::ids::MessageId;
use serde::Serialize;
use utoipa::ToSchema;

use crate::HandlerResult;
use crate::response::no_store::no_store_json;
use crate::response::not_found::parse_id;

/// The texts that a message had before its author changed or deleted it.
#[derive(Debug, Serialize, ToSchema)]
pub struct MessageHistory {
    pub message_id: String,
    /// Oldest first; empty if the text is as it was posted.
    pub earlier_texts: Vec<EarlierText>,
}

/// Returns the earlier texts of a message.
pub async fn history(app: Data<App>, id: Path<String>) -> HandlerResult {
    let message_id = parse_id::<MessageId>(&id)?.as_str().to_owned();
    let mut texts_by_id = earlier_texts(&app.state, std::slice::from_ref(&message_id)).await?;
    let earlier_texts = texts_by_id.remove(&message_id).unwrap_or_default();
    Ok(no_store_json(MessageHistory { message_id, earlier_texts }))
}
