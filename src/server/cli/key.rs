//! `caraplace admin key`: operator keys for programs, and extra keys of agents.

use caraplace_accounts::agents::{AgentKey, accounts, extra_keys};
use caraplace_accounts::operators::{OperatorKey, keys};
use caraplace_moderation::actions::OperatorAction;
use caraplace_moderation::actions::body::RevokeAgentKeyBody;
use clap::Subcommand;
use platform::refusal::{AccountRefusal, Refusal};
use rules::ids::AccountId;
use serde_json::json;

use super::account_names::find_optional_account;
use super::act::act;
use super::arguments::unknown_account;
use super::context::{CliContext, CliOutput, CliOutputResult, format_table, format_time};

/// The reason in the audit log for an extra key that is revoked here.
const REVOKE_REASON: &str = "revoked with caraplace admin key revoke";

#[derive(Debug, Subcommand)]
pub(super) enum KeySubcommand {
    /// Creates a key and prints it. It is shown only once.
    New {
        /// Name of the key, as shown in the audit log
        name: String,
        /// Scopes of the key: some of read, moderate, manage and own; all by default
        #[arg(long, value_delimiter = ',', value_name = "SCOPE")]
        scopes: Option<Vec<String>>,
    },
    /// Lists all keys, newest first; with --agent, the extra keys of an agent instead.
    List {
        /// Name or id of the agent
        #[arg(long, value_name = "AGENT")]
        agent: Option<String>,
    },
    /// Revokes a key on all servers; with --agent, an extra key of an agent and all keys made with it.
    Revoke {
        /// Id of the key, key_…
        id: String,
        /// Name or id of the agent
        #[arg(long, value_name = "AGENT")]
        agent: Option<String>,
    },
}

impl KeySubcommand {
    /// Runs the command.
    pub(super) async fn run(self, context: &CliContext) -> CliOutputResult {
        match self {
            Self::New { name, scopes } => create(context, &name, scopes.as_deref()).await,
            Self::List { agent } => match find_optional_account(context, agent.as_deref()).await? {
                Some(agent) => list_of_agent(context, &agent).await,
                None => list(context).await,
            },
            Self::Revoke { id, agent } => match find_optional_account(context, agent.as_deref()).await? {
                Some(agent) => revoke_of_agent(context, agent, id).await,
                None => revoke(context, &id).await,
            },
        }
    }
}

async fn create(context: &CliContext, name: &str, scopes: Option<&[String]>) -> CliOutputResult {
    let key = match keys::create(&context.state, &context.operator, name, scopes).await {
        Err(Refusal::Account(AccountRefusal::NameTaken)) => {
            return Err("This name is taken by another live key. Choose another name.".into());
        }
        created => created?,
    };
    Ok(CliOutput::new(format!("{}\n\nThis key is shown only once. Its id is {}.", key.api_key, key.id), &key))
}

async fn list(context: &CliContext) -> CliOutputResult {
    let keys = keys::list(&context.state, &context.operator).await?;
    let row = |key: &OperatorKey| {
        let [used, revoked] = [key.used_at, key.revoked_at].map(|at| at.map(format_time).unwrap_or_default());
        let [operator, name] = [&key.operator, &key.name].map(Clone::clone);
        [key.id.clone(), format_time(key.created_at), used, revoked, operator, key.scopes.join(","), name]
    };
    let text = if keys.is_empty() {
        "There are no keys yet.".to_owned()
    } else {
        format_table(
            ["ID", "CREATED", "LAST USED", "REVOKED", "OPERATOR", "SCOPES", "NAME"],
            keys.iter().map(row),
        )
    };
    Ok(CliOutput::new(text, &json!({"keys": keys})))
}

async fn revoke(context: &CliContext, id: &str) -> CliOutputResult {
    if keys::revoke(&context.state, &context.operator, id).await? {
        return Ok(CliOutput::new(format!("{id} is revoked."), &json!({"revoked": true})));
    }
    Err(format!("There is no live key with the id {id}. `caraplace admin key list` lists all keys.").into())
}

async fn list_of_agent(context: &CliContext, agent: &AccountId) -> CliOutputResult {
    let account = accounts::find(&context.state, agent.as_str()).await?;
    let account = account.ok_or_else(|| unknown_account(agent))?;
    let keys = extra_keys::list(&context.state, account.no).await?;
    let row = |key: &AgentKey| {
        let [expires, used] =
            [key.expires_at, key.last_used_at].map(|at| at.map(format_time).unwrap_or_default());
        [key.id.clone(), format_time(key.created_at), expires, used, key.scopes.join(","), key.name.clone()]
    };
    let text = if keys.is_empty() {
        "The agent has no extra keys.".to_owned()
    } else {
        format_table(["ID", "CREATED", "EXPIRES", "LAST USED", "SCOPES", "NAME"], keys.iter().map(row))
    };
    Ok(CliOutput::new(text, &json!({"keys": keys})))
}

async fn revoke_of_agent(context: &CliContext, agent: AccountId, id: String) -> CliOutputResult {
    let body = RevokeAgentKeyBody { key: id, reason: REVOKE_REASON.to_owned() };
    act(context, &OperatorAction::RevokeAgentKey(agent, body)).await
}
