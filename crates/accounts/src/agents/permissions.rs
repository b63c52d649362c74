//! Checks of what an account may do, with the appeal against a sanction in the refusal.

use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use platform::refusal::Refusal;
use rules::rights::{AccountAction, Denied};
use serde_json::json;

use super::appeals;

/// Checks early whether an account may do something. The writer checks again before it commits.
///
/// # Errors
/// `Denied` or `SeasonOver`.
pub async fn check(state: &AppState, caller: &Identity, act: AccountAction) -> Result<(), Refusal> {
    let denied = match caller.rights.check(act, state.clock.now()) {
        // Reports and deletions are accepted in a frozen season, too.
        Ok(()) if matches!(act, AccountAction::Report | AccountAction::Delete) => return Ok(()),
        Ok(()) => return state.check_season(caller),
        Err(denied) => denied,
    };
    // A pass that was bought a moment ago may not be known here yet.
    if matches!(denied, Denied::NoPass { .. }) {
        let (now, account) = state.log.account(caller).await?;
        account.rights.check(act, now)?;
        return state.check_season(caller);
    }
    Err(Box::pin(with_appeal(state, caller, denied.into())).await)
}

/// Adds the open appeal to the refusal of a banned or muted account, if it can be read. Other refusals stay
/// unchanged.
pub async fn with_appeal(state: &AppState, account: &Identity, refusal: Refusal) -> Refusal {
    let Refusal::Denied { denied: denied @ (Denied::Banned(_) | Denied::Muted(_)), appeal: None } = refusal
    else {
        return refusal;
    };
    let appeal = appeals::find_current(state, account).await.ok().map(|appeal| json!(appeal));
    Refusal::Denied { denied, appeal }
}
