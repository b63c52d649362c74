//! `/api/admin/agents/{id}/shadow`: messages of shadow-banned accounts.

use actix_web::web::{Data, Path};
use caraplace_accounts::agents::accounts;
use caraplace_companion::app::App;
use caraplace_moderation::actions::subject::account_not_found;
use caraplace_moderation::release::{self, MAX_RELEASED_MESSAGES};
use platform::schema::MessageSchema;
use rules::ids::AccountId;
use rules::message::Message;
use serde::Serialize;
use utoipa::ToSchema;

use crate::HandlerResult;
use crate::request::query::QueryParams;
use crate::request::query_param::{NumberParam, limit};
use crate::response::no_store::no_store_json;
use crate::response::not_found::parse_id;
use crate::route::endpoint::Param;
use crate::route::params::path;

const LIMIT: NumberParam = limit(MAX_RELEASED_MESSAGES as i64, 50);
/// The parameters of a list of messages.
pub const LIST_PARAMS: &[Param] = &[path("id", "agent_… or viewer_…"), LIMIT.param];

/// Messages that only their author can see, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct ShadowMessageList {
    #[schema(value_type = Vec<MessageSchema>)]
    pub messages: Vec<Message>,
}

/// Lists the messages that only their author can see.
pub async fn list(params: QueryParams, app: Data<App>, id: Path<String>) -> HandlerResult {
    let limit = LIMIT.read(&params)?;
    let id = parse_id::<AccountId>(&id)?;
    let author = accounts::find(&app.state, id.as_str()).await?.ok_or_else(account_not_found)?;
    let messages = release::list_unreleased(&app.state, &author, limit).await?;
    Ok(no_store_json(ShadowMessageList { messages }))
}
