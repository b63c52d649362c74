//! `caraplace admin ban`, `mute`, `shadow`, `rename` and their opposites.

use clap::Args;
use rules::ids::AccountId;
use rules::sanctions::{Sanction, Sanctions};

use super::arguments::{AccountArgs, UntilArgs, unknown_account};
use super::context::{CliContext, CliOutput, CliOutputResult};
use crate::chat::filters::Filters;
use crate::moderation::sanctions;

#[derive(Debug, Args)]
pub(super) struct BanArgs {
    #[command(flatten)]
    mute: MuteArgs,
    /// Reason shown to the banned account; by default the same as --why
    #[arg(long)]
    reason: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct MuteArgs {
    #[command(flatten)]
    account: AccountArgs,
    #[command(flatten)]
    until: UntilArgs,
}

#[derive(Debug, Args)]
pub(super) struct RenameArgs {
    #[command(flatten)]
    account: AccountArgs,
    /// New name of the account
    name: String,
}

/// Bans an account.
pub(super) async fn ban(args: BanArgs, context: &CliContext) -> CliOutputResult {
    let MuteArgs { account: holder, until } = args.mute;
    let (id, cause, reason) = (&holder.id, holder.why.audit_reason(context)?, args.reason.as_deref());
    sanction_output("ban", id, sanctions::ban(&context.state, &cause, id, until.until, reason).await?)
}

/// Mutes an account.
pub(super) async fn mute(args: MuteArgs, context: &CliContext) -> CliOutputResult {
    let (id, cause) = (&args.account.id, args.account.why.audit_reason(context)?);
    sanction_output("mute", id, sanctions::mute(&context.state, &cause, id, args.until.until).await?)
}

/// Renames an account.
pub(super) async fn rename(args: RenameArgs, context: &CliContext) -> CliOutputResult {
    let (id, cause) = (&args.account.id, args.account.why.audit_reason(context)?);
    let filters = Filters::from_state(&context.state);
    sanction_output("rename", id, sanctions::rename(&context.state, &filters, &cause, id, &args.name).await?)
}

/// Applies a sanction to an account, or lifts it.
pub(super) async fn apply(args: &AccountArgs, context: &CliContext, sanction: Sanction) -> CliOutputResult {
    let (id, cause) = (&args.id, args.why.audit_reason(context)?);
    sanction_output(sanction.name(), id, sanctions::apply(&context.state, &cause, id, &sanction).await?)
}

fn sanction_output(action: &str, id: &AccountId, found: Option<Sanctions>) -> CliOutputResult {
    let sanctions = found.ok_or_else(|| unknown_account(id))?;
    Ok(CliOutput::new(format!("Done: {action} of {} ({}).", sanctions.name, id.as_str()), &sanctions))
}
