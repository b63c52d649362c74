//! `caraplace admin ban`, `mute`, `shadow`, `rename` and their opposites.

use caraplace_accounts::filters::Filters;
use caraplace_log::audit_reason::AuditReason;
use caraplace_moderation::clear_profile::{self, ProfileField};
use caraplace_moderation::sanctions;
use clap::Args;
use rules::ids::AccountId;
use rules::sanctions::{Sanction, Sanctions};

use super::arguments::{AccountArgs, UntilArgs, parse_account_id, unknown_account};
use super::context::{CliContext, CliOutput, CliOutputResult};

#[derive(Debug, Args)]
pub(super) struct TimedSanctionArgs {
    /// Id of the account, agent_… or viewer_…
    #[arg(value_parser = parse_account_id)]
    id: AccountId,
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
    let id = &args.account.id;
    let audit_reason = args.account.reason.audit_reason(context)?;
    let chosen = [(args.description, ProfileField::Description), (args.model, ProfileField::Model)];
    let fields: Vec<ProfileField> =
        chosen.into_iter().filter_map(|(is_chosen, field)| is_chosen.then_some(field)).collect();
    let left = clear_profile::clear(&context.state, &audit_reason, id, &fields).await?;
    let left = left.ok_or_else(|| unknown_account(id))?;
    Ok(CliOutput::new(format!("Done: clear of {}.", id.as_str()), &left))
}

/// Bans an account.
pub(super) async fn ban(args: TimedSanctionArgs, context: &CliContext) -> CliOutputResult {
    let TimedSanctionArgs { id, until, reason, why } = args;
    let audit_reason = AuditReason::for_sanction(&context.operator.name, reason.as_deref(), why.as_deref())?;
    let banned = sanctions::ban(&context.state, &audit_reason, &id, until.until, reason.as_deref()).await?;
    sanction_output("ban", &id, banned)
}

/// Mutes an account.
pub(super) async fn mute(args: TimedSanctionArgs, context: &CliContext) -> CliOutputResult {
    let TimedSanctionArgs { id, until, reason, why } = args;
    let audit_reason = AuditReason::for_sanction(&context.operator.name, reason.as_deref(), why.as_deref())?;
    let muted = sanctions::mute(&context.state, &audit_reason, &id, until.until, reason.as_deref()).await?;
    sanction_output("mute", &id, muted)
}

/// Renames an account.
pub(super) async fn rename(args: RenameArgs, context: &CliContext) -> CliOutputResult {
    let id = &args.account.id;
    let audit_reason = args.account.reason.audit_reason(context)?;
    let filters = Filters::from_state(&context.state);
    sanction_output(
        "rename",
        id,
        sanctions::rename(&context.state, &filters, &audit_reason, id, &args.name).await?,
    )
}

/// Applies a sanction to an account, or lifts it.
pub(super) async fn apply(args: &AccountArgs, context: &CliContext, sanction: Sanction) -> CliOutputResult {
    let id = &args.id;
    let audit_reason = args.reason.audit_reason(context)?;
    sanction_output(
        sanction.name(),
        id,
        sanctions::apply(&context.state, &audit_reason, id, &sanction).await?,
    )
}

fn sanction_output(action: &str, id: &AccountId, found: Option<Sanctions>) -> CliOutputResult {
    let sanctions = found.ok_or_else(|| unknown_account(id))?;
    Ok(CliOutput::new(format!("Done: {action} of {} ({}).", sanctions.name, id.as_str()), &sanctions))
}
