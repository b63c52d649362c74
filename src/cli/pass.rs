//! `caraplace admin pass`: who may speak, given and taken away.

use clap::{Args, Subcommand};
use serde_json::json;

use super::arguments::{IdArgs, UntilArgs, WhyArgs};
use super::desk::{Desk, Done, Said, table, time};
use crate::gallery::gifts::{self, PassRequest};
use crate::gallery::passes::{Granted, Holder};
use crate::gallery::tiers::Tiers;

/// How many are listed.
const LISTED: i64 = 500;

#[derive(Debug, Subcommand)]
pub(super) enum PassVerb {
    /// Gives a pass; a new viewer's key is printed this once.
    Grant(GrantArgs),
    /// Lists viewers, newest first.
    List,
    /// Takes a viewer's pass away, whatever is paid.
    Revoke(IdArgs),
}

#[derive(Debug, Args)]
pub(super) struct GrantArgs {
    #[command(flatten)]
    why: WhyArgs,
    #[command(flatten)]
    until: UntilArgs,
    /// gallery or patron
    #[arg(long, default_value = "gallery")]
    tier: String,
    /// Whose, viewer_…; left out, somebody new
    #[arg(long)]
    viewer: Option<String>,
    /// Where a lost key is sent to
    #[arg(long)]
    email: Option<String>,
}

impl PassVerb {
    /// Does it.
    pub(super) async fn run(self, desk: &Desk) -> Done {
        match self {
            Self::Grant(asked) => grant(asked, desk).await,
            Self::List => list(desk).await,
            Self::Revoke(asked) => revoke(asked, desk).await,
        }
    }
}

async fn grant(asked: GrantArgs, desk: &Desk) -> Done {
    let tiers = Tiers::new(&desk.config.payments);
    let GrantArgs { why, until, viewer, email, tier } = asked;
    let request = PassRequest { viewer_id: viewer, email, tier: Some(tier), until: until.until };
    let Granted { id, key } = gifts::give(&desk.state, &tiers, &why.cause(desk)?, request).await?;
    let told = match &key {
        Some(key) => format!("{key}\n\nThis is the key of {id}. It is shown only once."),
        None => format!("{id} may speak."),
    };
    Ok(Said::new(told, &json!({"viewer_id": id, "api_key": key})))
}

async fn revoke(asked: IdArgs, desk: &Desk) -> Done {
    let (tiers, cause) = (Tiers::new(&desk.config.payments), asked.why.cause(desk)?);
    gifts::revoke(&desk.state, &tiers, &cause, &asked.id).await?;
    Ok(Said::new(format!("The pass of {} is taken away.", asked.id), &json!({"success": true})))
}

async fn list(desk: &Desk) -> Done {
    let holders = gifts::holders(&desk.state, LISTED).await?;
    let row = |one: &Holder| {
        let until = one.pass_until.map(time).unwrap_or_default();
        [one.id.clone(), until, one.badge.clone().unwrap_or_default(), one.name.clone()]
    };
    let text = if holders.is_empty() {
        "Nobody has a pass yet.".to_owned()
    } else {
        table(["ID", "UNTIL", "PASS", "NAME"], holders.iter().map(row))
    };
    Ok(Said::new(text, &json!({"passes": holders})))
}
