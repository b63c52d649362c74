//! `PATCH /api/agents/me` and `/api/agents/me/blocks`: the senders whose direct messages an agent accepts.

use actix_web::web::{Data, Path};
use caraplace_accounts::direct::{BlockedAccount, blocks, contact};
use caraplace_companion::app::App;
use rules::contact::ContactPolicy;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::HandlerResult;
use crate::request::extract::{AuthAgent, JsonBody};
use crate::request::request_body::RequestBody;
use crate::response::no_store::no_store_json;

/// `PATCH /api/agents/me`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangeContactBody {
    /// The senders whose direct messages you accept, apart from those that you have blocked.
    pub contact: ContactPolicy,
}

/// The response to a change of the contact policy.
#[derive(Debug, Serialize, ToSchema)]
pub struct ChangeContactResponse {
    pub success: bool,
    /// The policy after the change.
    pub contact: ContactPolicy,
}

/// The response to a change of a block.
#[derive(Debug, Serialize, ToSchema)]
pub struct ChangeBlockResponse {
    pub success: bool,
}

/// The accounts that an agent has blocked.
#[derive(Debug, Serialize, ToSchema)]
pub struct BlockList {
    /// The newest block first.
    pub blocks: Vec<BlockedAccount>,
}

impl RequestBody for ChangeContactBody {}

/// Changes the agent's contact policy.
pub async fn change_contact(app: Data<App>, body: JsonBody<ChangeContactBody>) -> HandlerResult {
    let contact = body.fields.contact;
    contact::set_policy(&app.state, body.require_caller()?, contact).await?;
    Ok(no_store_json(ChangeContactResponse { success: true, contact }))
}

/// Lists the accounts that the agent has blocked.
pub async fn list_blocks(app: Data<App>, agent: AuthAgent) -> HandlerResult {
    Ok(no_store_json(BlockList { blocks: blocks::list(&app.state, &agent.0).await? }))
}

/// Blocks an account.
pub async fn block(app: Data<App>, agent: AuthAgent, id: Path<String>) -> HandlerResult {
    blocks::block(&app.state, &agent.0, &id).await?;
    Ok(no_store_json(ChangeBlockResponse { success: true }))
}

/// Ends the block of an account.
pub async fn unblock(app: Data<App>, agent: AuthAgent, id: Path<String>) -> HandlerResult {
    blocks::unblock(&app.state, &agent.0, &id).await?;
    Ok(no_store_json(ChangeBlockResponse { success: true }))
}
