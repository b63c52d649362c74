//! `caraplace admin pass`: who may speak, given and taken away.

use clap::{Arg, ArgMatches, Command};
use futures_util::FutureExt as _;
use serde_json::json;

use super::cause::{about_an_id, cause, end, id, with_end, with_why, word};
use super::{Act, Desk, Done, Failure, Said, Verb, table};
use crate::gallery::gifts::{self, Giver};
use crate::gallery::passes::{Grant, Granted, Holder};
use crate::gallery::tiers::Tiers;

pub(super) const VERB: Verb =
    Verb { name: "pass", command, act: Act::At(|asked, desk| act(asked, desk).boxed()) };

const TIER: &str = "tier";
const VIEWER: &str = "viewer";
const EMAIL: &str = "email";
/// How many are listed.
const LISTED: i64 = 500;

fn command(pass: Command) -> Command {
    let grant = Command::new("grant").about("Gives a pass; a new viewer's key is printed this once.");
    let option = |name: &'static str, help: &'static str| Arg::new(name).long(name).help(help);
    let grant = with_end(with_why(grant))
        .arg(option(TIER, "gallery or patron").default_value("gallery"))
        .arg(option(VIEWER, "Whose, viewer_…; left out, somebody new"))
        .arg(option(EMAIL, "Where a lost key is sent to"));
    let revoke = Command::new("revoke").about("Takes a viewer's pass away, whatever is paid.");
    pass.about("Gives, lists and takes away passes.")
        .subcommand_required(true)
        .subcommand(grant)
        .subcommand(Command::new("list").about("Lists viewers, newest first."))
        .subcommand(about_an_id(revoke, "Whose, viewer_…"))
}

async fn act(asked: &ArgMatches, desk: &Desk) -> Done {
    match asked.subcommand() {
        Some(("grant", options)) => grant(options, desk).await,
        Some(("revoke", options)) => revoke(options, desk).await,
        _ => list(desk).await,
    }
}

async fn grant(asked: &ArgMatches, desk: &Desk) -> Done {
    let tiers = Tiers::new(&desk.config.payments);
    let tier = word(asked, TIER).to_owned();
    if tiers.find(&tier).is_none() {
        return Err(Failure::new("--tier must be gallery or patron."));
    }
    let (cause, until) = (cause(asked, desk)?, end(asked, desk)?);
    let text = |name| asked.get_one::<String>(name).cloned();
    let grant = Grant { viewer: text(VIEWER), name: None, email: text(EMAIL), until, tier };
    let giver = Giver { operator: &cause.operator, why: &cause.why };
    let Granted { id, key } = gifts::grant(&desk.state, &tiers, giver, grant).await?;
    let told = match &key {
        Some(key) => format!("{key}\n\nThis is the key of {id}. It is shown only once."),
        None => format!("{id} may speak."),
    };
    Ok(Said::new(told, &json!({"viewer_id": id, "api_key": key})))
}

async fn revoke(asked: &ArgMatches, desk: &Desk) -> Done {
    let (tiers, cause) = (Tiers::new(&desk.config.payments), cause(asked, desk)?);
    let giver = Giver { operator: &cause.operator, why: &cause.why };
    gifts::revoke(&desk.state, &tiers, giver, id(asked)).await?;
    Ok(Said::new(format!("The pass of {} is taken away.", id(asked)), &json!({"success": true})))
}

async fn list(desk: &Desk) -> Done {
    let holders = gifts::holders(&desk.state, LISTED).await?;
    let row = |one: &Holder| {
        let until = one.pass_until.map(|until| until.format("%Y-%m-%d %H:%M").to_string());
        let badge = one.badge.clone().unwrap_or_default();
        [one.id.clone(), until.unwrap_or_default(), badge, one.name.clone()]
    };
    let rows: Vec<_> = holders.iter().map(row).collect();
    let none = rows.is_empty();
    let text =
        if none { "Nobody has a pass yet.".to_owned() } else { table(["ID", "UNTIL", "PASS", "NAME"], rows) };
    Ok(Said::new(text, &json!({"passes": holders})))
}
