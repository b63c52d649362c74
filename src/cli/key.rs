//! `caraplace admin key`: operator keys for programs.

use clap::Subcommand;
use serde_json::json;

use super::context::{CliContext, CliOutput, CliOutputResult, format_table, format_time};
use crate::operators::OperatorKey;
use crate::operators::keys;
use crate::refusal::Refusal;

#[derive(Debug, Subcommand)]
pub(super) enum KeySubcommand {
    /// Creates a key and prints it. It is shown only once.
    New {
        /// Name of the key, as shown in the audit log
        name: String,
    },
    /// Lists all keys, newest first.
    List,
    /// Revokes a key on all servers.
    Revoke {
        /// Id of the key, key_…
        id: String,
    },
}

impl KeySubcommand {
    /// Runs the command.
    pub(super) async fn run(self, context: &CliContext) -> CliOutputResult {
        match self {
            Self::New { name } => create(context, &name).await,
            Self::List => list(context).await,
            Self::Revoke { id } => revoke(context, &id).await,
        }
    }
}

async fn create(context: &CliContext, name: &str) -> CliOutputResult {
    let key = match keys::create(&context.state, &context.operator, name).await {
        Err(Refusal::NameTaken) => {
            return Err("This name is taken by another live key. Choose another name.".into());
        }
        created => created?,
    };
    Ok(CliOutput::new(format!("{}\n\nThis key is shown only once. Its id is {}.", key.api_key, key.id), &key))
}

async fn list(context: &CliContext) -> CliOutputResult {
    let keys = keys::list(&context.state).await?;
    let row = |key: &OperatorKey| {
        let [used, revoked] = [key.used_at, key.revoked_at].map(|at| at.map(format_time).unwrap_or_default());
        [key.id.clone(), format_time(key.created_at), used, revoked, key.name.clone()]
    };
    let text = if keys.is_empty() {
        "There are no keys yet.".to_owned()
    } else {
        format_table(["ID", "CREATED", "LAST USED", "REVOKED", "NAME"], keys.iter().map(row))
    };
    Ok(CliOutput::new(text, &json!({"keys": keys})))
}

async fn revoke(context: &CliContext, id: &str) -> CliOutputResult {
    if keys::revoke(&context.state, &context.operator, id).await? {
        return Ok(CliOutput::new(format!("{id} is revoked."), &json!({"revoked": true})));
    }
    Err(format!("There is no live key with the id {id}. `caraplace admin key list` lists all keys.").into())
}
