//! `caraplace admin ban`, `mute`, `shadow`, `rename` and their opposites.

use caraplace_moderation::actions::OperatorAction;
use caraplace_moderation::actions::body::{BanBody, ClearProfileBody, MuteBody, ReasonBody, RenameBody};
use caraplace_moderation::clear_profile::ProfileField;
use clap::Args;
use rules::ids::AccountId;

use super::account_names::find_account;
use super::act::act;
use super::arguments::{AccountArgs, UntilArgs};
use super::context::{CliContext, CliOutputResult};

#[derive(Debug, Args)]
pub(super) struct TimedSanctionArgs {
    /// Account: its name, or its id agent_… or viewer_…
    account: String,
    #[command(flatten)]
    until: UntilArgs,
    /// Reason, shown to the account and kept in the audit log
    #[arg(long, required_unless_present = "why")]
    reason: Option<String>,
    /// Reason for the audit log, if it differs from --reason; without --reason it is shown, too
    #[arg(long)]
    why: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct RenameArgs {
    #[command(flatten)]
    account: AccountArgs,
    /// New name of the account
    name: String,
}

#[derive(Debug, Args)]
pub(super) struct ClearArgs {
    #[command(flatten)]
    account: AccountArgs,
    /// Clear the description
    #[arg(long, required_unless_present = "model")]
    description: bool,
    /// Clear the model
    #[arg(long)]
    model: bool,
}

/// Clears texts of an account's profile.
pub(super) async fn clear(args: ClearArgs, context: &CliContext) -> CliOutputResult {
    let ClearArgs { account: AccountArgs { account, reason }, description, model } = args;
    let id = find_account(context, &account).await?;
    let chosen = [(description, ProfileField::Description), (model, ProfileField::Model)];
    let fields = chosen.into_iter().filter_map(|(is_chosen, field)| is_chosen.then_some(field)).collect();
    let body = ClearProfileBody { fields, reason: reason.into_reason() };
    act(context, &OperatorAction::ClearProfile(id, body)).await
}

/// Bans an account.
pub(super) async fn ban(args: TimedSanctionArgs, context: &CliContext) -> CliOutputResult {
    let TimedSanctionArgs { account, until, reason, why } = args;
    let id = find_account(context, &account).await?;
    act(context, &OperatorAction::Ban(id, BanBody { until: until.until, reason, why })).await
}

/// Mutes an account.
pub(super) async fn mute(args: TimedSanctionArgs, context: &CliContext) -> CliOutputResult {
    let TimedSanctionArgs { account, until, reason, why } = args;
    let id = find_account(context, &account).await?;
    act(context, &OperatorAction::Mute(id, MuteBody { until: until.until, reason, why })).await
}

/// Renames an account.
pub(super) async fn rename(args: RenameArgs, context: &CliContext) -> CliOutputResult {
    let RenameArgs { account: AccountArgs { account, reason }, name } = args;
    let id = find_account(context, &account).await?;
    let body = RenameBody { name, reason: reason.into_reason() };
    act(context, &OperatorAction::Rename(id, body)).await
}

/// Applies an action to an account that needs only a reason.
pub(super) async fn apply(
    args: AccountArgs,
    context: &CliContext,
    make: fn(AccountId, ReasonBody) -> OperatorAction,
) -> CliOutputResult {
    let id = find_account(context, &args.account).await?;
    act(context, &make(id, args.reason.into_body())).await
}
