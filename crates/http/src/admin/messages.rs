//! `/api/admin/messages`: lists and searches messages, acts on several, and shows the earlier texts of one.

use actix_web::web::{Data, Path};
use caraplace_companion::app::App;
use caraplace_messages::EarlierText;
use caraplace_messages::reads::earlier_texts;
use caraplace_moderation::actions::bulk::{MessagesActBody, act_on_messages};
use caraplace_moderation::lists::messages::{self, MESSAGE_STATES, MessageFilter};
use rules::ids::MessageId;
use serde::Serialize;
use utoipa::ToSchema;

use crate::HandlerResult;
use crate::request::auth_operator::AdminBody;
use crate::request::query::{QueryParams, invalid};
use crate::request::query_param::{
    MESSAGE_ID_PATTERN, NumberParam, OptionalChoiceParam, TextParam, choice, limit, pattern, text,
};
use crate::response::no_store::no_store_json;
use crate::response::not_found::parse_id;
use crate::response::problem::Problem;
use crate::route::endpoint::Param;

const TEXT: TextParam =
    text("q", "only messages with this part in their texts, in any case, or the one with this id");
const AUTHOR: TextParam = text("author", "only messages of the account with this id or name");
const STATE: OptionalChoiceParam<&str> =
    choice("state", &MESSAGE_STATES, &MESSAGE_STATES, "only messages in this state");
const LIMIT: NumberParam = limit(200, 50);
const BEFORE: TextParam =
    pattern("before", MESSAGE_ID_PATTERN, "only messages older than this one; next_before has it");
/// The parameters of a page of messages.
pub const LIST_PARAMS: &[Param] = &[TEXT.param, AUTHOR.param, STATE.param, LIMIT.param, BEFORE.param];

/// The texts that a message had before its author changed or deleted it.
#[derive(Debug, Serialize, ToSchema)]
pub struct MessageHistory {
    pub message_id: String,
    /// Oldest first; empty if the text is as it was posted.
    pub earlier_texts: Vec<EarlierText>,
}

/// Lists messages.
pub async fn list(params: QueryParams, app: Data<App>) -> HandlerResult {
    let filter = read_filter(&params)?;
    let limit = LIMIT.read(&params)?;
    let before = read_cursor(&params)?;
    Ok(no_store_json(messages::list(&app.state, &filter, before.as_ref(), limit).await?))
}

/// Hides or restores each of several messages.
pub async fn act(app: Data<App>, body: AdminBody<MessagesActBody>) -> HandlerResult {
    let AdminBody { operator, fields } = body;
    Ok(no_store_json(act_on_messages(app.get_ref(), &operator.name, &fields).await?))
}

/// Reads the conditions of a list of messages.
pub fn read_filter(params: &QueryParams) -> Result<MessageFilter<'_>, Problem> {
    let text = TEXT.read(params)?;
    Ok(MessageFilter { text, author: AUTHOR.read(params)?, state: STATE.read(params)? })
}

/// Reads the position in a list of messages.
pub fn read_cursor(params: &QueryParams) -> Result<Option<MessageId>, Problem> {
    let refuse = || invalid("before", "must be the id of a message");
    BEFORE.read(params)?.map(|id| MessageId::parse(id).ok_or_else(refuse)).transpose()
}

/// Returns the earlier texts of a message.
pub async fn history(app: Data<App>, id: Path<String>) -> HandlerResult {
    let message_id = parse_id::<MessageId>(&id)?.as_str().to_owned();
    let mut texts_by_id = earlier_texts(&app.state, std::slice::from_ref(&message_id)).await?;
    let earlier_texts = texts_by_id.remove(&message_id).unwrap_or_default();
    Ok(no_store_json(MessageHistory { message_id, earlier_texts }))
}
