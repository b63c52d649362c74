//! Whom the desk sells no pass: who has one, and who would get nothing for it.

use rules::rights::{AccountAction, Denied};

use super::store;
use crate::log::key_cache::Agent;
use crate::refusal::Refusal;
use crate::state::AppState;

/// Why a viewer is sold none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ineligible {
    /// It holds one.
    HasPass,
    /// An operator has taken one back, and would take the next one too.
    Revoked,
    /// It is banned or muted, which no pass changes.
    BannedOrMuted,
}

/// Why a viewer is sold no pass now; none where it may buy one.
///
/// # Errors
/// `KeyInvalid` when the key was changed meanwhile; or that the database cannot be read.
pub async fn ineligibility(state: &AppState, viewer: &Agent) -> Result<Option<Ineligible>, Refusal> {
    let (now, account) = state.log.account(viewer).await?;
    let row = store::find_viewer(&state.pool, viewer.no).await?.ok_or(Refusal::KeyInvalid)?;
    let rights = &account.rights;
    Ok(match rights.check(AccountAction::Post, now) {
        _ if row.revoked => Some(Ineligible::Revoked),
        _ if rights.pass.as_ref().is_some_and(|pass| pass.until > now) => Some(Ineligible::HasPass),
        Err(Denied::Banned(_) | Denied::Muted { .. }) => Some(Ineligible::BannedOrMuted),
        _ => None,
    })
}
