//! `caraplace admin pass`: who may speak, given and taken away.

use clap::{Args, Subcommand};
use serde_json::json;

use super::arguments::{IdArgs, ReasonArgs, UntilArgs};
use super::context::{CliContext, CliOutput, CliOutputResult, format_table, format_time};
use crate::gallery::grants::{self, PassRequest};
use crate::gallery::passes::{GrantedPass, PassHolder};
use crate::gallery::tiers::Tiers;

/// How many are listed.
const MAX_LISTED_PASSES: i64 = 500;

#[derive(Debug, Subcommand)]
pub(super) enum PassSubcommand {
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
    why: ReasonArgs,
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

impl PassSubcommand {
    /// Does it.
    pub(super) async fn run(self, context: &CliContext) -> CliOutputResult {
        match self {
            Self::Grant(args) => grant(args, context).await,
            Self::List => list(context).await,
            Self::Revoke(args) => revoke(args, context).await,
        }
    }
}

async fn grant(args: GrantArgs, context: &CliContext) -> CliOutputResult {
    let tiers = Tiers::new(&context.config.payments);
    let GrantArgs { why, until, viewer, email, tier } = args;
    let request = PassRequest { viewer_id: viewer, email, tier: Some(tier), until: until.until };
    let GrantedPass { id, key } =
        grants::grant_pass(&context.state, &tiers, &why.audit_reason(context)?, request).await?;
    let text = match &key {
        Some(key) => format!("{key}\n\nThis is the key of {id}. It is shown only once."),
        None => format!("{id} may speak."),
    };
    Ok(CliOutput::new(text, &json!({"viewer_id": id, "api_key": key})))
}

async fn revoke(args: IdArgs, context: &CliContext) -> CliOutputResult {
    let (tiers, cause) = (Tiers::new(&context.config.payments), args.why.audit_reason(context)?);
    grants::revoke_pass(&context.state, &tiers, &cause, &args.id).await?;
    Ok(CliOutput::new(format!("The pass of {} is taken away.", args.id), &json!({"success": true})))
}

async fn list(context: &CliContext) -> CliOutputResult {
    let holders = grants::list_pass_holders(&context.state, MAX_LISTED_PASSES).await?;
    let row = |holder: &PassHolder| {
        let until = holder.pass_until.map(format_time).unwrap_or_default();
        [holder.id.clone(), until, holder.badge.clone().unwrap_or_default(), holder.name.clone()]
    };
    let text = if holders.is_empty() {
        "Nobody has a pass yet.".to_owned()
    } else {
        format_table(["ID", "UNTIL", "PASS", "NAME"], holders.iter().map(row))
    };
    Ok(CliOutput::new(text, &json!({"passes": holders})))
}
