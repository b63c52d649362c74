//! `caraplace admin pass`: grants, lists and revokes Gallery Passes.

use caraplace_accounts::gallery::grants::{self, GrantPassBody};
use caraplace_accounts::gallery::{CancellationState, PassHolder};
use caraplace_moderation::actions::OperatorAction;
use clap::{Args, Subcommand};
use serde_json::json;

use super::account_names::to_account_id;
use super::act::act;
use super::arguments::{IdArgs, ReasonArgs, UntilArgs};
use super::context::{CliContext, CliOutput, CliOutputResult, format_table, format_time};

/// The maximum number of passes in the list.
const MAX_LISTED_PASSES: i64 = 500;

#[derive(Debug, Subcommand)]
pub(super) enum PassSubcommand {
    /// Grants a pass. The key of a new viewer is printed and shown only once.
    Grant(GrantArgs),
    /// Lists viewers, newest first.
    List,
    /// Revokes a viewer's pass. A running server cancels its subscription at Stripe.
    Revoke(IdArgs),
}

#[derive(Debug, Args)]
pub(super) struct GrantArgs {
    #[command(flatten)]
    reason: ReasonArgs,
    #[command(flatten)]
    until: UntilArgs,
    /// Tier, gallery or patron
    #[arg(long, default_value = "gallery")]
    tier: String,
    /// Name or id of an existing viewer; without it a new viewer is created
    #[arg(long)]
    viewer: Option<String>,
    /// Mail address to which a link for a new key can be sent
    #[arg(long)]
    email: Option<String>,
}

impl PassSubcommand {
    /// Runs the command.
    pub(super) async fn run(self, context: &CliContext) -> CliOutputResult {
        match self {
            Self::Grant(args) => grant(args, context).await,
            Self::List => list(context).await,
            Self::Revoke(args) => revoke(args, context).await,
        }
    }
}

async fn grant(args: GrantArgs, context: &CliContext) -> CliOutputResult {
    let GrantArgs { reason, until, viewer, email, tier } = args;
    let viewer_id = match viewer {
        Some(viewer) => Some(to_account_id(context, viewer).await?),
        None => None,
    };
    let body = GrantPassBody {
        viewer_id,
        email,
        tier: Some(tier),
        until: until.until,
        reason: reason.into_reason(),
    };
    act(context, &OperatorAction::GrantPass(body)).await
}

async fn revoke(args: IdArgs, context: &CliContext) -> CliOutputResult {
    let viewer = to_account_id(context, args.id).await?;
    act(context, &OperatorAction::RevokePass(viewer, args.reason.into_body())).await
}

async fn list(context: &CliContext) -> CliOutputResult {
    let holders = grants::list_pass_holders(&context.state, MAX_LISTED_PASSES).await?;
    let row = |holder: &PassHolder| {
        let until = holder.pass_until.map(format_time).unwrap_or_default();
        let stripe = holder.cancellation.map(CancellationState::words).unwrap_or_default().to_owned();
        [holder.id.clone(), until, holder.badge.clone().unwrap_or_default(), stripe, holder.name.clone()]
    };
    let text = if holders.is_empty() {
        "There are no passes yet.".to_owned()
    } else {
        format_table(["ID", "UNTIL", "PASS", "STRIPE", "NAME"], holders.iter().map(row))
    };
    Ok(CliOutput::new(text, &json!({"passes": holders})))
}
