//! `caraplace admin key`: keys with which programs operate.

use chrono::{DateTime, Utc};
use clap::{Arg, ArgMatches, Command};
use futures_util::FutureExt as _;
use serde_json::json;

use super::{Act, Desk, Done, Failure, Said, Verb, table};
use crate::operators::OperatorKey;
use crate::operators::keys::{self, LONGEST_NAME};

pub(super) const VERB: Verb =
    Verb { name: "key", command, act: Act::At(|asked, desk| act(asked, desk).boxed()) };

const NAME: &str = "NAME";
const ID: &str = "ID";

fn command(key: Command) -> Command {
    let new = Command::new("new").about("Makes a key and prints it, this once.");
    let revoke = Command::new("revoke").about("Ends a key, on every instance.");
    key.about("Makes, lists and revokes the keys with which programs operate (ca_…).")
        .subcommand_required(true)
        .subcommand(new.arg(Arg::new(NAME).required(true).help("What it is for, as the audit log names it")))
        .subcommand(Command::new("list").about("Lists all keys, newest first."))
        .subcommand(revoke.arg(Arg::new(ID).required(true).help("The key's id, key_…")))
}

async fn act(asked: &ArgMatches, desk: &Desk) -> Done {
    let text = |options: &ArgMatches, name| options.get_one::<String>(name).cloned().unwrap_or_default();
    match asked.subcommand() {
        Some(("new", options)) => new(desk, &text(options, NAME)).await,
        Some(("revoke", options)) => revoke(desk, &text(options, ID)).await,
        _ => list(desk).await,
    }
}

async fn new(desk: &Desk, name: &str) -> Done {
    if !keys::is_name(name) {
        let sentence = format!("A name has 1 to {LONGEST_NAME} letters, and no space at its ends.");
        return Err(Failure::new(sentence));
    }
    let key = keys::new(&desk.state, &desk.operator, name).await?;
    Ok(Said::new(format!("{}\n\nThis is shown only once. Its id is {}.", key.api_key, key.id), &key))
}

async fn list(desk: &Desk) -> Done {
    let keys = keys::list(&desk.state).await?;
    let time =
        |at: Option<DateTime<Utc>>| at.map(|at| at.format("%Y-%m-%d %H:%M").to_string()).unwrap_or_default();
    let row = |key: &OperatorKey| {
        [
            key.id.clone(),
            time(Some(key.created_at)),
            time(key.used_at),
            time(key.revoked_at),
            key.name.clone(),
        ]
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
