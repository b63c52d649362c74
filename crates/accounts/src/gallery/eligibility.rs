//! Checks if a viewer may buy a pass.

use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use platform::refusal::Refusal;
use rules::rights::{AccountAction, Denied};

use super::store;

/// The reason why a viewer cannot buy a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ineligible {
    /// The viewer has a pass.
    HasPass,
    /// An operator has revoked a pass; a new one would be revoked, too.
    Revoked,
    /// The viewer is banned or muted, and a pass would not change that.
    BannedOrMuted,
}

/// Returns the reason why a viewer cannot buy a pass now. `None` if it can.
///
/// # Errors
/// `KeyInvalid` if the key was changed meanwhile.
pub async fn ineligibility(state: &AppState, viewer: &Identity) -> Result<Option<Ineligible>, Refusal> {
    let (now, account) = state.log.account(viewer).await?;
    let row = store::find_viewer(&state.pool, viewer.no).await?.ok_or(Refusal::KeyInvalid)?;
    let rights = &account.rights;
    Ok(match rights.check(AccountAction::Post, now) {
        _ if row.revoked => Some(Ineligible::Revoked),
        _ if rights.pass.as_ref().is_some_and(|pass| pass.until > now) => Some(Ineligible::HasPass),
        Err(Denied::Banned(_) | Denied::Muted(_)) => Some(Ineligible::BannedOrMuted),
        _ => None,
    })
}
