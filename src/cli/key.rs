//! `caraplace admin key`: keys with which programs operate.

use clap::Subcommand;
use serde_json::json;

use super::desk::{Desk, Done, Failure, Said, table, time};
use crate::operators::OperatorKey;
use crate::operators::keys::{self, LONGEST_NAME};

#[derive(Debug, Subcommand)]
pub(super) enum KeyVerb {
    /// Makes a key and prints it, this once.
    New {
        /// What it is for, as the audit log names it
        #[arg(value_parser = key_name)]
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

fn key_name(text: &str) -> Result<String, String> {
    let sentence = || format!("a name has 1 to {LONGEST_NAME} letters, and no space at its ends");
    keys::is_name(text).then(|| text.to_owned()).ok_or_else(sentence)
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
    let key = keys::new(&desk.state, &desk.operator, name).await?;
    Ok(Said::new(format!("{}\n\nThis is shown only once. Its id is {}.", key.api_key, key.id), &key))
}

async fn list(desk: &Desk) -> Done {
    let keys = keys::list(&desk.state).await?;
    let row = |key: &OperatorKey| {
        let [used, revoked] = [key.used_at, key.revoked_at].map(|at| at.map(time).unwrap_or_default());
        [key.id.clone(), time(key.created_at), used, revoked, key.name.clone()]
    };
    let rows: Vec<_> = keys.iter().map(row).collect();
    let text = if rows.is_empty() {
        "There is no key yet.".to_owned()
    } else {
        table(["ID", "MADE", "LAST USED", "REVOKED", "FOR"], rows)
    };
    Ok(Said::new(text, &json!({"keys": keys})))
}

async fn revoke(desk: &Desk, id: &str) -> Done {
    if keys::revoke(&desk.state, &desk.operator, id).await? {
        return Ok(Said::new(format!("{id} is revoked."), &json!({"revoked": true})));
    }
    Err(Failure::new(format!("There is no live key with the id {id}.")))
}
