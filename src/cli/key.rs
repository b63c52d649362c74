//! `caraplace admin key`: keys with which programs operate.

use clap::Subcommand;
use serde_json::json;

use super::desk::{Desk, Done, Said, table, time};
use crate::operators::OperatorKey;
use crate::operators::keys;
use crate::refusal::Refusal;

#[derive(Debug, Subcommand)]
pub(super) enum KeyVerb {
    /// Makes a key and prints it, this once.
    New {
        /// What it is for, as the audit log names it
        name: String,
    },
    /// Lists all keys, newest first.
    List,
    /// Ends a key, on every instance.
    Revoke {
        /// The key's id, key_…
        id: String,
    },
}

impl KeyVerb {
    /// Does it.
    pub(super) async fn run(self, desk: &Desk) -> Done {
        match self {
            Self::New { name } => new(desk, &name).await,
            Self::List => list(desk).await,
            Self::Revoke { id } => revoke(desk, &id).await,
        }
    }
}

async fn new(desk: &Desk, name: &str) -> Done {
    let key = match keys::new(&desk.state, &desk.operator, name).await {
        Err(Refusal::NameTaken) => return Err("This name is taken by another live key.".into()),
        made => made?,
    };
    Ok(Said::new(format!("{}\n\nThis is shown only once. Its id is {}.", key.api_key, key.id), &key))
}

async fn list(desk: &Desk) -> Done {
    let keys = keys::list(&desk.state).await?;
    let row = |key: &OperatorKey| {
        let [used, revoked] = [key.used_at, key.revoked_at].map(|at| at.map(time).unwrap_or_default());
        [key.id.clone(), time(key.created_at), used, revoked, key.name.clone()]
    };
    let text = if keys.is_empty() {
        "There is no key yet.".to_owned()
    } else {
        table(["ID", "MADE", "LAST USED", "REVOKED", "FOR"], keys.iter().map(row))
    };
    Ok(Said::new(text, &json!({"keys": keys})))
}

async fn revoke(desk: &Desk, id: &str) -> Done {
    if keys::revoke(&desk.state, &desk.operator, id).await? {
        return Ok(Said::new(format!("{id} is revoked."), &json!({"revoked": true})));
    }
    Err(format!("There is no live key with the id {id}.").into())
}
