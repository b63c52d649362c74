//! `caraplace admin ban`, `mute`, `shadow`, `rename` and their opposites: what is imposed on whoever holds a name.

use clap::Args;
use rules::measures::Measure;
use rules::names::AgentName;

use super::arguments::{HolderArgs, UntilArgs, nobody, visible};
use super::desk::{Desk, Done, Said};
use crate::http::server::filters;
use crate::moderation::standing;
use crate::refusal::Refusal;

#[derive(Debug, Args)]
pub(super) struct BanArgs {
    #[command(flatten)]
    mute: MuteArgs,
    /// What the banned are told; left out, the same as --why
    #[arg(long, value_parser = visible)]
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
    let reason = match asked.reason {
        Some(reason) => reason,
        None => holder.why.cause(desk)?.why,
    };
    take(&holder, desk, Measure::Ban { until: until.end(desk)?, reason }).await
}

/// Mutes an account.
pub(super) async fn mute(asked: MuteArgs, desk: &Desk) -> Done {
    take(&asked.holder, desk, Measure::Mute { until: asked.until.end(desk)? }).await
}

/// Renames an account.
pub(super) async fn rename(asked: RenameArgs, desk: &Desk) -> Done {
    let filters = filters(&desk.state);
    let name = AgentName::parse(&asked.name, &filters.names()).map_err(Refusal::NameNotAllowed)?;
    take(&asked.holder, desk, Measure::Rename(name)).await
}

/// Takes a measure against an account.
pub(super) async fn take(asked: &HolderArgs, desk: &Desk, measure: Measure) -> Done {
    let (id, cause) = (&asked.id, asked.why.cause(desk)?);
    let taken = standing::take(&desk.state, &cause, id, &measure).await?;
    let standing = taken.ok_or_else(|| nobody(id.as_str()))?;
    Ok(Said::new(format!("Done: {} of {} ({}).", measure.name(), standing.name, id.as_str()), &standing))
}
