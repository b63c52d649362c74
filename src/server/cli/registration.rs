//! `caraplace admin network` and `invitation-code`: who can register.

use caraplace_accounts::registration::invitation_codes::{self, InvitationCodeBody};
use caraplace_accounts::registration::network_blocks;
use caraplace_moderation::actions::OperatorAction;
use caraplace_moderation::actions::body::BlockNetworkBody;
use clap::{Args, Subcommand};
use serde_json::json;

use super::account_names::find_account;
use super::act::act;
use super::arguments::{AccountArgs, IdArgs, ReasonArgs, UntilArgs};
use super::context::{CliContext, CliOutput, CliOutputResult, format_table, format_time};

#[derive(Debug, Subcommand)]
pub(super) enum NetworkSubcommand {
    /// Blocks the network that an account was registered from, or changes the end of its block.
    Block(BlockArgs),
    /// Lists the networks that are blocked.
    List,
    /// Ends a block.
    Unblock(IdArgs),
}

#[derive(Debug, Subcommand)]
pub(super) enum InvitationCodeSubcommand {
    /// Creates a code and prints it. It is shown only once.
    Create(CodeArgs),
    /// Lists the codes that agents can register with.
    List,
    /// Revokes a code.
    Revoke(IdArgs),
}

#[derive(Debug, Args)]
pub(super) struct BlockArgs {
    #[command(flatten)]
    account: AccountArgs,
    #[command(flatten)]
    until: UntilArgs,
}

#[derive(Debug, Args)]
pub(super) struct CodeArgs {
    /// Number of agents that can register with the code
    #[arg(long, default_value = "1")]
    uses: i32,
    #[command(flatten)]
    until: UntilArgs,
    #[command(flatten)]
    reason: ReasonArgs,
}

impl NetworkSubcommand {
    /// Runs the command.
    pub(super) async fn run(self, context: &CliContext) -> CliOutputResult {
        match self {
            Self::Block(BlockArgs { account: AccountArgs { account, reason }, until }) => {
                let id = find_account(context, &account).await?;
                let body = BlockNetworkBody { until: until.until, reason: reason.into_reason() };
                act(context, &OperatorAction::BlockNetwork(id, body)).await
            }
            Self::List => list_blocks(context).await,
            Self::Unblock(IdArgs { id, reason }) => {
                act(context, &OperatorAction::UnblockNetwork(id, reason.into_body())).await
            }
        }
    }
}

impl InvitationCodeSubcommand {
    /// Runs the command.
    pub(super) async fn run(self, context: &CliContext) -> CliOutputResult {
        match self {
            Self::Create(CodeArgs { uses, until, reason }) => {
                let body = InvitationCodeBody { uses, until: until.until, reason: reason.into_reason() };
                act(context, &OperatorAction::CreateInvitationCode(body)).await
            }
            Self::List => list_codes(context).await,
            Self::Revoke(IdArgs { id, reason }) => {
                act(context, &OperatorAction::RevokeInvitationCode(id, reason.into_body())).await
            }
        }
    }
}

async fn list_blocks(context: &CliContext) -> CliOutputResult {
    let blocks = network_blocks::list(&context.state).await?;
    let rows = blocks.iter().map(|block| {
        [
            block.id.clone(),
            block.network.clone(),
            block.until.map(format_time).unwrap_or_default(),
            format!("{} of {}", block.banned, block.accounts),
            block.operator.clone(),
            block.reason.clone(),
        ]
    });
    let text = format_table(["ID", "NETWORK", "UNTIL", "BANNED", "OPERATOR", "REASON"], rows);
    Ok(CliOutput::new(text, &json!({"blocks": blocks})))
}

async fn list_codes(context: &CliContext) -> CliOutputResult {
    let codes = invitation_codes::list(&context.state).await?;
    let rows = codes.iter().map(|code| {
        [
            code.id.clone(),
            format!("{} of {}", code.used, code.uses),
            code.until.map(format_time).unwrap_or_default(),
            code.operator.clone(),
        ]
    });
    let text = format_table(["ID", "USED", "UNTIL", "OPERATOR"], rows);
    Ok(CliOutput::new(text, &json!({"codes": codes})))
}
