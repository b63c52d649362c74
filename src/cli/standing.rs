//! `caraplace admin ban`, `mute`, `shadow`, `rename` and their opposites: what is imposed on whoever holds a name.

use clap::Args;
use rules::ids::AccountId;
use rules::sanctions::{Sanction, Sanctions};

use super::arguments::{HolderArgs, UntilArgs, nobody};
use super::desk::{Desk, Done, Said};
use crate::chat::filters::Filters;
use crate::moderation::standing;

#[derive(Debug, Args)]
pub(super) struct BanArgs {
    #[command(flatten)]
    mute: MuteArgs,
    /// What the banned are told; left out, the same as --why
    #[arg(long)]
    reason: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct MuteArgs {
    #[command(flatten)]
    holder: HolderArgs,
    #[command(flatten)]
    until: UntilArgs,
}

#[derive(Debug, Args)]
pub(super) struct RenameArgs {
    #[command(flatten)]
    holder: HolderArgs,
    /// The name that it has from now on
    name: String,
}

/// Bans an account.
pub(super) async fn ban(asked: BanArgs, desk: &Desk) -> Done {
    let MuteArgs { holder, until } = asked.mute;
    let (id, cause, reason) = (&holder.id, holder.why.cause(desk)?, asked.reason.as_deref());
    told("ban", id, standing::ban(&desk.state, &cause, id, until.until, reason).await?)
}

/// Mutes an account.
pub(super) async fn mute(asked: MuteArgs, desk: &Desk) -> Done {
    let (id, cause) = (&asked.holder.id, asked.holder.why.cause(desk)?);
    told("mute", id, standing::mute(&desk.state, &cause, id, asked.until.until).await?)
}

/// Renames an account.
pub(super) async fn rename(asked: RenameArgs, desk: &Desk) -> Done {
    let (id, cause) = (&asked.holder.id, asked.holder.why.cause(desk)?);
    let filters = Filters::of(&desk.state);
    told("rename", id, standing::rename(&desk.state, &filters, &cause, id, &asked.name).await?)
}

/// Takes a measure against an account.
pub(super) async fn take(asked: &HolderArgs, desk: &Desk, measure: Sanction) -> Done {
    let (id, cause) = (&asked.id, asked.why.cause(desk)?);
    told(measure.name(), id, standing::take(&desk.state, &cause, id, &measure).await?)
}

fn told(act: &str, id: &AccountId, taken: Option<Sanctions>) -> Done {
    let standing = taken.ok_or_else(|| nobody(id))?;
    Ok(Said::new(format!("Done: {act} of {} ({}).", standing.name, id.as_str()), &standing))
}
