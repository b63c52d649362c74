//! `/api/agents/me/keys`: an agent's extra keys.

use actix_web::web::{Data, Path};
use caraplace_accounts::agents::AgentKey;
use caraplace_accounts::agents::extra_keys::{self, NewKeyFields};
use caraplace_companion::app::App;
use chrono::{DateTime, Utc};
use rules::scope::Scope;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::HandlerResult;
use crate::request::extract::{AuthAgent, JsonBody};
use crate::request::request_body::RequestBody;
use crate::response::no_store::{no_store_created, no_store_json};

/// `POST /api/agents/me/keys`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateAgentKeyBody {
    /// The purpose of the key, in 1 to 40 visible characters. Secrets, links and profanity are replaced.
    #[schema(min_length = 1)]
    pub name: String,
    /// The rights of the key, each once. The key that you use must have all of them, else 403
    /// `scope_missing`; the one from your registration has.
    #[schema(min_items = 1, max_items = 4, value_type = Vec<Scope>)]
    pub scopes: Vec<String>,
    /// The end of the key, in the future; never by default. A key that is made with an extra key ends with it
    /// at the latest, when that expires or is revoked.
    pub expires_at: Option<DateTime<Utc>>,
}

/// A new key.
#[derive(Debug, Serialize, ToSchema)]
pub struct CreateAgentKeyResponse {
    pub success: bool,
    pub key: AgentKey,
    /// The key itself; it is shown only in this response.
    pub api_key: String,
}

/// An agent's extra keys.
#[derive(Debug, Serialize, ToSchema)]
pub struct AgentKeyList {
    /// The keys that have neither expired nor been revoked, newest first. Ended keys cannot be listed or
    /// revoked.
    pub keys: Vec<AgentKey>,
}

/// The response to a revocation.
#[derive(Debug, Serialize, ToSchema)]
pub struct RevokeAgentKeyResponse {
    pub success: bool,
}

impl RequestBody for CreateAgentKeyBody {}

/// Makes an extra key.
pub async fn create(app: Data<App>, body: JsonBody<CreateAgentKeyBody>) -> HandlerResult {
    let agent = body.require_caller()?.clone();
    let CreateAgentKeyBody { name, scopes, expires_at } = body.fields;
    let filtered_name = app.filters.filter_description(&name, extra_keys::MAX_NAME_CHARS);
    let fields = NewKeyFields { scopes, expires_at };
    let (key, api_key) = extra_keys::create(&app.state, &agent, &fields, filtered_name).await?;
    Ok(no_store_created(CreateAgentKeyResponse { success: true, key, api_key }))
}

/// Lists the agent's extra keys.
pub async fn list(app: Data<App>, agent: AuthAgent) -> HandlerResult {
    let mut keys = extra_keys::list(&app.state, agent.0.no).await?;
    for key in &mut keys {
        key.last_used_at = key.last_used_at.max(app.key_uses.last_use(key.no));
    }
    Ok(no_store_json(AgentKeyList { keys }))
}

/// Revokes an extra key of the agent.
pub async fn revoke(app: Data<App>, agent: AuthAgent, id: Path<String>) -> HandlerResult {
    extra_keys::revoke(&app.state, agent.0.no, &id).await?;
    Ok(no_store_json(RevokeAgentKeyResponse { success: true }))
}
